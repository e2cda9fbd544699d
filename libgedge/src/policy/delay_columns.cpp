// policy/delay_columns.cpp - one budget against every row.
#include "policy/delay_columns.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <span>

#include "policy/rows.hpp"
#include "policy/score_kernels.hpp"

namespace gedge {
namespace {

constexpr std::uint32_t kWordsAtOnce = 256;

// The rows of four strips of a word, by a bit for each.
constexpr std::array<std::uint64_t, 1U << kStripsInWord> kRowsOfStrips = [] {
  constexpr std::uint64_t kStrip = (std::uint64_t{1} << kStripRows) - 1;
  std::array<std::uint64_t, 1U << kStripsInWord> rows{};
  for (std::uint32_t bits = 0; bits < rows.size(); ++bits)
    for (std::uint32_t strip = 0; strip < kStripsInWord; ++strip)
      if ((bits >> strip & 1) != 0) rows[bits] |= kStrip << (kStripRows * strip);
  return rows;
}();

// Strips whose cells have to be looked at.
struct Mixed {
  std::array<std::uint32_t, kWordsAtOnce * kStripsInWord> strips;
  std::uint32_t count = 0;
};

// Settles what bounds settle of the words [first, last), whose strips are no more than kMostPlaced.
void keep_by_bounds(RttMatrix::Strips strips, Rtt limit, std::uint32_t first, std::uint32_t last,
                    NodeMask& rows, Mixed& mixed) {
  const std::size_t begin = std::size_t{first} * kStripsInWord;
  PlacedStrips placed = place_strips(strips.least.data() + begin, strips.most.data() + begin,
                                     (last - first) * kStripsInWord, RttMatrix::coarse(limit));
  std::uint64_t four = (1U << kStripsInWord) - 1;
  for (std::uint32_t word = first; word < last; ++word, four <<= kStripsInWord) {
    const std::uint64_t out = (placed.out & four) >> (kStripsInWord * (word - first));
    rows.keep(word, ~kRowsOfStrips[out]);
    if (rows.word(word) == 0) placed.mixed &= ~four;
  }
  for (std::uint64_t bits = placed.mixed; bits != 0; bits &= bits - 1)
    mixed.strips[mixed.count++] =
        first * kStripsInWord + static_cast<std::uint32_t>(std::countr_zero(bits));
}

void keep_words(std::span<const Rtt> row, RttMatrix::Strips strips, Rtt limit, std::uint32_t first,
                std::uint32_t last, NodeMask& rows) {
  constexpr std::uint32_t kAtOnce = kMostPlaced / kStripsInWord;
  Mixed mixed;
  for (std::uint32_t word = first; word < last; word += kAtOnce)
    keep_by_bounds(strips, limit, word, std::min(word + kAtOnce, last), rows, mixed);
  const auto open = std::span(mixed.strips).first(mixed.count);
  // Rows of a large matrix lie far from the processor: what is read soon is asked for together.
  for (const std::uint32_t strip : open)
    __builtin_prefetch(row.data() + kStripRows * std::size_t{strip});
  std::array<std::uint16_t, kWordsAtOnce * kStripsInWord> near;
  within_strips(row, open, limit.us, near.data());
  for (std::size_t i = 0; i < open.size(); ++i) {
    const std::uint64_t out = static_cast<std::uint16_t>(~near[i]);
    rows.keep(open[i] / kStripsInWord, ~(out << (kStripRows * (open[i] % kStripsInWord))));
  }
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
bool keep_near(const ClusterState& cluster, NodeIndex from, std::int64_t limit_us, NodeMask& rows) {
  const RttMatrix::Strips strips = cluster.rtt_strips(from);
  if (strips.least.empty() || limit_us < 0) return false;
  const std::span<const Rtt> row = cluster.rtt_row(from);
  const Rtt limit{
      static_cast<std::uint32_t>(std::min<std::int64_t>(limit_us, std::int64_t{kMaxRtt.us}))};
  const bool was_in = rows.test(from);
  const auto words = static_cast<std::uint32_t>(rows.words());
  for (std::uint32_t first = 0; first < words; first += kWordsAtOnce)
    keep_words(row, strips, limit, first, std::min(first + kWordsAtOnce, words), rows);
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
