// policy/delay_columns.cpp - one budget against every row.
#include "policy/delay_columns.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <span>

#include "gedge/snapshot/reach_rows.hpp"
#include "policy/rows.hpp"
#include "policy/score_kernels.hpp"

namespace gedge {
namespace {

constexpr std::uint32_t kWordsAtOnce = 256;

using StripsOfWords = std::array<std::uint16_t, kWordsAtOnce * kStripsInWord>;
constexpr bool kStripsAreInOrder = std::endian::native == std::endian::little;

void split_words(std::span<const std::uint64_t> words, StripsOfWords& strips) {
  if constexpr (kStripsAreInOrder) {
    std::memcpy(strips.data(), words.data(), words.size_bytes());
  } else {
    for (std::size_t i = 0; i < kStripsInWord * words.size(); ++i)
      strips[i] = static_cast<std::uint16_t>(words[i / kStripsInWord] >>
                                             (kStripRows * (i % kStripsInWord)));
  }
}

void join_words(const StripsOfWords& strips, std::span<std::uint64_t> words) {
  if constexpr (kStripsAreInOrder) {
    std::memcpy(words.data(), strips.data(), words.size_bytes());
  } else {
    std::fill(words.begin(), words.end(), 0);
    for (std::size_t i = 0; i < kStripsInWord * words.size(); ++i)
      words[i / kStripsInWord] |= std::uint64_t{strips[i]} << (kStripRows * (i % kStripsInWord));
  }
}

// Keeps what is within the limit: by bounds of strips, else by a look at their cells. `words`: no
// more than kWordsAtOnce; `cells` and `bounds` begin where they do.
void keep_words(std::span<const Rtt> cells, RttMatrix::Strips bounds, Rtt limit,
                std::span<std::uint64_t> words) {
  StripsOfWords rows;
  std::array<std::uint32_t, kWordsAtOnce * kStripsInWord> mixed;
  split_words(words, rows);
  const std::uint16_t coarse = RttMatrix::coarse(limit);
  const auto strips = static_cast<std::uint32_t>(kStripsInWord * words.size());
  std::size_t count = 0;
  for (std::uint32_t at = 0; at < strips; at += kMostPlaced) {
    std::uint64_t bits = place_strips(bounds.least.data() + at, bounds.most.data() + at,
                                      std::min(strips - at, kMostPlaced), coarse, rows.data() + at);
    for (; bits != 0; bits &= bits - 1) {
      const std::uint32_t strip = at + static_cast<std::uint32_t>(std::countr_zero(bits));
      mixed[count++] = strip;
      // Rows of a large matrix lie far from the processor: they are asked for together.
      __builtin_prefetch(cells.data() + kStripRows * std::size_t{strip});
    }
  }
  within_strips(cells, std::span(mixed).first(count), limit.us, rows.data());
  join_words(rows, words);
}

}  // namespace

DelayColumn::DelayColumn(const ClassContext& context, const DelayBudget& budget)
    : cluster_(&context.cluster),
      budget_(&budget),
      target_(find_target(context.cluster, budget, context.pod)),
      joint_group_(context.joint_group) {
  for (const PodIndex pod : target_.pods)
    if (context.cluster.is_placed(pod)) add_place(context.cluster.node_of(pod));
  for (const NodeIndex node : target_.nodes) places_.push_back({node, 1});
  measure();
}

// True if the node is a new place.
bool DelayColumn::add_place(NodeIndex node) {
  for (Place& place : places_)
    if (place.node == node) {
      ++place.pods;
      return false;
    }
  places_.push_back({node, 1});
  return true;
}

// True if that was the last peer on the node.
bool DelayColumn::remove_place(NodeIndex node) {
  for (Place& place : places_)
    if (place.node == node) --place.pods;
  return std::erase_if(places_, [](const Place& place) { return place.pods == 0; }) > 0;
}

DelayColumn::Status DelayColumn::status_without_places() const {
  if (target_.kind != DelayTarget::Kind::kPeerPods) return Status::kUnknown;
  if (target_.own) return Status::kFree;
  if (target_.pods.empty()) return Status::kNotPlaced;
  const bool all_deferred =
      joint_group_ != 0 && std::all_of(target_.pods.begin(), target_.pods.end(), [&](PodIndex p) {
        return cluster_->joint_group(p) == joint_group_;
      });
  return all_deferred ? Status::kFree : Status::kNotPlaced;
}

void DelayColumn::measure() {
  const bool from_name = target_.kind == DelayTarget::Kind::kMatrixName;
  status_ = from_name || !places_.empty() ? Status::kMeasured : status_without_places();
  us_.clear();
  if (status_ != Status::kMeasured || places_.size() == 1) return;
  us_.assign(cluster_->slots(), CountedRtt(budget_->nearest).get().us);
  for (const Place& place : places_) count_in(place.node);
  for (std::uint32_t row = 0; from_name && row < cluster_->slots(); ++row)
    us_[row] = rtt_from_name(*cluster_, target_.name, NodeIndex{row}).us;
}

void DelayColumn::count_in(NodeIndex place) {
  for (std::uint32_t row = 0; row < cluster_->slots(); ++row) {
    CountedRtt counted(budget_->nearest, Rtt{us_[row]});
    counted.add(cluster_->rtt_between(place, NodeIndex{row}));
    us_[row] = counted.get().us;
  }
}

bool DelayColumn::on_pod(PodIndex pod, NodeIndex node, int delta) {
  if (!std::binary_search(target_.pods.begin(), target_.pods.end(), pod)) return false;
  if (!(delta > 0 ? add_place(node) : remove_place(node))) return false;
  if (delta > 0 && !us_.empty())
    count_in(node);
  else
    measure();
  return true;
}

// The measured RTT is at least that of one direction, which stands in one row of the matrix: what
// is over the limit there needs no second look. A node is as near to itself as can be.
std::uint64_t DelayColumn::worth_a_look(std::uint32_t first, std::uint32_t last) const {
  const NodeIndex from = places_.front().node;
  const std::span<const Rtt> one_way = cluster_->rtt_row(from);
  if (one_way.empty()) return ~std::uint64_t{0};
  const auto limit = static_cast<std::uint32_t>(std::min<std::int64_t>(limit_us(), kMaxRtt.us));
  std::uint64_t rows = within_or_unknown(one_way.data() + first, last - first, limit);
  if (raw(from) >= first && raw(from) < last) rows |= std::uint64_t{1} << (raw(from) - first);
  return rows;
}

std::span<const Rtt> DelayColumn::as_row() const {
  if (places_.size() != 1 || !us_.empty() || !cluster_->rtt().symmetric()) return {};
  return cluster_->rtt_row(here());
}

RttMatrix::Strips DelayColumn::row_strips() const {
  if (as_row().empty()) return {};
  return cluster_->rtt_strips(here());
}

// Where both directions are equal, one row of the matrix says it all, and most of that its bounds.
void keep_reached(const ClusterState& cluster, NodeIndex from, Rtt limit,
                  std::span<std::uint64_t> words) {
  const RttMatrix::Strips strips = cluster.rtt_strips(from);
  const std::span<const Rtt> row = cluster.rtt_row(from);
  for (std::size_t first = 0; first < words.size(); first += kWordsAtOnce) {
    const std::size_t strip = first * kStripsInWord;
    keep_words(row.subspan(strip * kStripRows),
               {strips.least.subspan(strip), strips.most.subspan(strip)}, limit,
               words.subspan(first, std::min<std::size_t>(kWordsAtOnce, words.size() - first)));
  }
}

bool keep_near(const ClusterState& cluster, NodeIndex from, std::int64_t limit_us, NodeMask& rows) {
  if (limit_us < 0 || cluster.rtt_strips(from).least.empty()) return false;
  const Rtt limit{
      static_cast<std::uint32_t>(std::min<std::int64_t>(limit_us, std::int64_t{kMaxRtt.us}))};
  ReachRows& known = cluster.reach_rows();
  const std::uint64_t* reached = known.find(from, limit.us);
  const bool was_in = rows.test(from);
  if (reached == nullptr) {
    std::uint64_t* const room = known.room_for(from);
    if (room != nullptr) {
      std::fill_n(room, rows.words(), ~std::uint64_t{0});
      keep_reached(cluster, from, limit, {room, rows.words()});
      reached = room;
    }
  }
  if (reached == nullptr) {
    keep_reached(cluster, from, limit, rows.bits());
  } else {
    for (std::uint64_t& word : rows.bits()) word &= *reached++;
  }
  if (was_in) rows.set(from);
  return true;
}

void DelayColumn::keep_admitted(NodeMask& rows) const {
  if (status_ == Status::kFree) return;
  const bool in_one_row = status_ == Status::kMeasured && places_.size() == 1 && us_.empty();
  if (in_one_row && keep_near(*cluster_, here(), limit_us(), rows)) return;
  const bool looks_up = status_ == Status::kMeasured && us_.empty();
  const auto slots = static_cast<std::uint32_t>(rows.size());
  for (std::uint32_t first = 0; first < slots; first += kWordRows) {
    std::uint64_t left = rows.word(first / kWordRows);
    if (left == 0) continue;
    if (looks_up) left &= worth_a_look(first, std::min(first + kWordRows, slots));
    for (std::uint64_t bits = left; bits != 0; bits &= bits - 1) {
      const auto at = static_cast<std::uint32_t>(std::countr_zero(bits));
      if (!admits(NodeIndex{first + at})) left &= ~(std::uint64_t{1} << at);
    }
    rows.keep(first / kWordRows, left);
  }
}

Evidence DelayColumn::evidence(NodeIndex n) const {
  Evidence made;
  const bool towards_pods = target_.kind == DelayTarget::Kind::kPeerPods ||
                            budget_->kind == PeerKind::kPod || budget_->kind == PeerKind::kWorkload;
  made.verdict = towards_pods ? Verdict::kUnschedulable : Verdict::kUnresolvable;
  made.subject = budget_->from;
  made.unit = Unit::kMicros;
  made.limit = limit_us();
  if (status_ == Status::kUnknown) {
    made.reason = Reason::kUnknownPeer;
  } else if (status_ == Status::kNotPlaced) {
    made.reason = Reason::kPeerNotPlaced;
  } else if (rtt(n) == kUnmeasured) {
    made.reason = Reason::kUnmeasuredRtt;
  } else {
    made.reason = Reason::kOverBudget;
    made.measured = std::int64_t{rtt(n).us};
  }
  return made;
}

std::vector<DelayColumn> make_columns(const ClassContext& context) {
  std::vector<DelayColumn> columns;
  columns.reserve(context.pod.spec->budgets.size());
  for (const DelayBudget& budget : context.pod.spec->budgets) columns.emplace_back(context, budget);
  return columns;
}

}  // namespace gedge
