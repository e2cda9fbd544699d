// Filters that only gedge has, from their published rules: GpuShare and CloudForUnconstrained.
#include <algorithm>
#include <numeric>

#include "support/reference/filters.hpp"

namespace gedge::reference {
namespace {

constexpr std::int64_t kWholeCard = 1000;
constexpr const char* kGpuMilli = "alibabacloud.com/gpu-milli";
constexpr const char* kGpuCount = "alibabacloud.com/gpu-count";
constexpr const char* kGpuModel = "alibabacloud.com/gpu-card-model";
constexpr const char* kGpuIndex = "alibabacloud.com/gpu-index";

using Cards = std::vector<std::int64_t>;  // free thousandths

std::int64_t number(const PodSpec& spec, const char* key, std::int64_t otherwise) {
  const std::string* text = spec.annotations.find(key);
  return text == nullptr ? otherwise : std::stoll(*text);
}

struct Wanted {
  std::int64_t cards = 0, share = 0;
};

Wanted wanted_by(const PodSpec& spec) {
  const bool any =
      spec.annotations.find(kGpuMilli) != nullptr || spec.annotations.find(kGpuCount) != nullptr;
  if (!any) return {};
  const Wanted out{number(spec, kGpuCount, 1), number(spec, kGpuMilli, kWholeCard)};
  return out.cards > 0 && out.share > 0 ? out : Wanted{};
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> out(1);
  for (const char c : text) {
    if (c == at)
      out.emplace_back();
    else
      out.back() += c;
  }
  return out;
}

/// Card numbers, fullest first among those that suffice; then the emptiest ones, to be overdrawn.
std::vector<std::size_t> preference(const Cards& cards, std::int64_t share) {
  std::vector<std::size_t> order(cards.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const bool fits_a = cards[a] >= share, fits_b = cards[b] >= share;
    if (fits_a != fits_b) return fits_a;
    return fits_a ? cards[a] < cards[b] : cards[a] > cards[b];
  });
  return order;
}

void take(Cards& cards, const Seat& seat) {
  const Wanted wanted = wanted_by(*seat.spec);
  if (const std::string* chosen = seat.spec->annotations.find(kGpuIndex)) {
    for (const std::string& index : split(*chosen, '-'))
      if (const auto i = static_cast<std::size_t>(std::stoll(index)); i < cards.size())
        cards[i] -= wanted.share;
    return;
  }
  const auto order = preference(cards, wanted.share);
  for (std::size_t i = 0; i < order.size() && i < static_cast<std::size_t>(wanted.cards); ++i)
    cards[order[i]] -= wanted.share;
}

Cards cards_of(const World& world, const Node& node) {
  Cards cards(static_cast<std::size_t>(node.allocatable.amount(kGpuCount)), kWholeCard);
  auto seats = world.on(node);
  std::stable_sort(seats.begin(), seats.end(),
                   [](const Seat* a, const Seat* b) { return a->turn < b->turn; });
  for (const Seat* seat : seats) take(cards, *seat);
  return cards;
}

bool accepts(const PodSpec& spec, const Node& node) {
  const std::string* models = spec.annotations.find(kGpuModel);
  if (models == nullptr || models->empty()) return true;
  const std::string* have = node.labels.find(kGpuModel);
  const auto all = split(*models, '|');
  return have != nullptr && std::find(all.begin(), all.end(), *have) != all.end();
}

}  // namespace

Objections gpu_share(const World& world, const Seat& pod, const Node& node) {
  const Wanted wanted = wanted_by(*pod.spec);
  if (wanted.cards == 0) return {};
  const Cards cards = cards_of(world, node);
  const auto asked = static_cast<std::size_t>(wanted.cards);
  Evidence no;
  if (!accepts(*pod.spec, node)) {
    no.reason = Reason::kGpuModel;
    no.subject = *pod.spec->annotations.find(kGpuModel);
    no.verdict = Verdict::kUnresolvable;
    return {no};
  }
  const auto fitting = std::count_if(cards.begin(), cards.end(),
                                     [&](std::int64_t free) { return free >= wanted.share; });
  if (fitting >= wanted.cards) return {};
  const bool never = cards.size() < asked || wanted.share > kWholeCard;
  no.reason = Reason::kGpuCard;
  no.subject = kGpuMilli;
  no.verdict = never ? Verdict::kUnresolvable : Verdict::kUnschedulable;
  return {no};
}

Objections cloud_for_unconstrained(const Seat& pod, const Node& node) {
  const auto is = [&](const char* key) {
    const std::string* value = node.labels.find(key);
    return value != nullptr && *value == "cloud";
  };
  if (!pod.spec->budgets.empty() || is("kubernetes.io/role") || is("gedge.io/tier")) return {};
  return {{Reason::kNotCloud, Verdict::kUnresolvable, kNoNumber, kNoNumber, Unit::kNone, {}}};
}

}  // namespace gedge::reference
