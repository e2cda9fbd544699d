// plan/fit_errors.cpp
#include "plan/fit_errors.hpp"

#include <algorithm>

#include "plan/blocks.hpp"

namespace gedge {
namespace {

constexpr std::size_t kMostLedgers = 64;
// Reasons may name pods, which come and go.
constexpr std::size_t kMostAnswers = 4096;

}  // namespace

// Moves rows along the paths of a ledger. Texts read the reason and the subject alone.
class FitErrors::Listener final : public Recorder {
 public:
  Listener(Ledger& ledger, Compat compat) : ledger_(ledger), compat_(compat) {}

  void listen_to(std::size_t filter) { filter_ = filter; }

  void reject(NodeIndex row, Evidence evidence) override {
    std::uint32_t& answer = ledger_.answer_of[raw(row)];
    const bool as_last = to_ != 0 && answer == from_ && filter_ == last_filter_ &&
                         evidence.reason == last_.reason && evidence.subject == last_.subject;
    if (!as_last) {
      from_ = answer;
      last_filter_ = filter_;
      to_ = step(evidence);
      last_ = std::move(evidence);
    }
    answer = to_;
  }

 private:
  std::uint32_t step(const Evidence& evidence) {
    const auto fresh = static_cast<std::uint32_t>(ledger_.answers.size());
    Step taken{from_, filter_, evidence.reason, evidence.subject};
    if (const auto at = ledger_.steps.find(taken); at != ledger_.steps.end()) return at->second;
    ledger_.is_full = ledger_.is_full || fresh == kMostAnswers;
    if (ledger_.is_full) return from_;
    ledger_.steps.emplace(std::move(taken), fresh);
    ledger_.answers.push_back({filter_, from_, reason_texts(evidence, compat_), 0});
    return fresh;
  }

  Ledger& ledger_;
  Compat compat_;
  std::size_t filter_ = 0, last_filter_ = 0;
  std::uint32_t from_ = 0, to_ = 0;  // 0: nothing yet
  Evidence last_;
};

// Of all rows together.
class FitErrors::Counter final : public Recorder {
 public:
  Counter(Counts& counts, Compat compat) : counts_(counts), compat_(compat) {}
  void reject(NodeIndex, Evidence evidence) override {
    for (std::string& text : reason_texts(evidence, compat_)) ++counts_[std::move(text)];
  }

 private:
  Counts& counts_;
  Compat compat_;
};

FitErrors::Counts FitErrors::count(const ClassContext& context,
                                   const PreparedClass& prepared) const {
  Counts counts;
  Counter counter(counts, compat_);
  NodeMask open = cluster_.alive();
  for (std::size_t i = 0; i < filters_.size(); ++i)
    for_each_block(cluster_.slots(), [&](Rows rows) {
      filters_[i].policy->filter(context, prepared.filters[i], rows, open, &counter);
    });
  return counts;
}

void FitErrors::ask_all(const ClassContext& context, const PreparedClass& prepared,
                        Ledger& ledger) const {
  ledger = {};
  ledger.answer_of.assign(cluster_.slots(), 0);
  ledger.answers.push_back({filters_.size(), 0, {}, 0});
  Listener listener(ledger, compat_);
  NodeMask open = cluster_.alive();
  for (std::size_t i = 0; i < filters_.size(); ++i) {
    listener.listen_to(i);
    for_each_block(cluster_.slots(), [&](Rows rows) {
      filters_[i].policy->filter(context, prepared.filters[i], rows, open, &listener);
    });
  }
  for (const std::uint32_t answer : ledger.answer_of) ++ledger.answers[answer].rows;
}

void FitErrors::ask(const ClassContext& context, const PreparedClass& prepared, Ledger& ledger,
                    NodeIndex row, NodeMask& open) const {
  --ledger.answers[ledger.answer_of[raw(row)]].rows;
  ledger.answer_of[raw(row)] = 0;
  if (cluster_.alive().test(row)) {
    Listener listener(ledger, compat_);
    open.set(row);
    for (std::size_t i = 0; i < filters_.size() && open.test(row); ++i) {
      listener.listen_to(i);
      filters_[i].policy->filter(context, prepared.filters[i], {raw(row), raw(row) + 1}, open,
                                 &listener);
    }
    open.clear(row);
  }
  ++ledger.answers[ledger.answer_of[raw(row)]].rows;
}

// Filters before it look at the row alone, or at nothing.
std::size_t FitErrors::first_unsettled(const PreparedClass& prepared) const {
  for (std::size_t i = 0; i < filters_.size(); ++i)
    if (prepared.filters[i] != nullptr && (filters_[i].policy->reads() & (kDomains | kOpaque)) != 0)
      return i;
  return filters_.size();
}

void FitErrors::ask_again(const ClassContext& context, const PreparedClass& prepared,
                          Ledger& ledger) const {
  NodeMask rows(cluster_.slots()), open(cluster_.slots());
  for (const Change& change : cluster_.since(ledger.epoch)) rows.set(change.node);
  const std::size_t settled = first_unsettled(prepared);
  if (settled < filters_.size())
    for (std::uint32_t row = 0; row < ledger.answer_of.size(); ++row)
      if (ledger.answers[ledger.answer_of[row]].filter >= settled) rows.set(NodeIndex{row});
  rows.for_each([&](NodeIndex row) { ask(context, prepared, ledger, row, open); });
}

FitErrors::Ledger& FitErrors::ledger_of(const PodFacts& pod) {
  if (ledgers_.size() >= kMostLedgers && !ledgers_.contains(&pod)) ledgers_.clear();
  return ledgers_[&pod];
}

FitErrors::Counts FitErrors::counts_of(const Ledger& ledger) {
  Counts counts;
  for (const Answer& answer : ledger.answers)
    for (const Answer* step = &answer; answer.rows > 0 && !step->texts.empty();
         step = &ledger.answers[step->before])
      for (const std::string& text : step->texts) counts[text] += answer.rows;
  return counts;
}

std::string FitErrors::message_of(const Counts& counts) const {
  std::vector<std::string> lines;
  for (const auto& [text, count] : counts) lines.push_back(std::to_string(count) + " " + text);
  std::sort(lines.begin(), lines.end());
  std::string message = "0/" + std::to_string(cluster_.alive().count()) + " nodes are available";
  std::string separator = ": ";
  for (const std::string& line : lines) {
    message += separator + line;
    separator = ", ";
  }
  return message + ".";
}

std::string FitErrors::message(const ClassContext& context, const PreparedClass& prepared,
                               bool keep) {
  if (!keep) return message_of(count(context, prepared));
  Ledger& ledger = ledger_of(context.pod);
  const bool is_followed =
      !ledger.answers.empty() && !ledger.is_full && ledger.static_epoch == cluster_.static_epoch();
  if (is_followed)
    ask_again(context, prepared, ledger);
  else
    ask_all(context, prepared, ledger);
  ledger.epoch = cluster_.epoch();
  ledger.static_epoch = cluster_.static_epoch();
  return message_of(ledger.is_full ? count(context, prepared) : counts_of(ledger));
}

}  // namespace gedge
