// verify/gpu_rules.cpp - shares of GPU cards: every share must lie on one card (annotations of
// alibaba/open-gpu-share).
#include <algorithm>
#include <sstream>
#include <utility>

#include "gedge/base/quantity.hpp"
#include "verify/world.hpp"

namespace gedge::verify_detail {
namespace {

constexpr std::int64_t kCard = 1000;       // thousandths
constexpr std::int64_t kMostCards = 1024;  // guards against absurd input
constexpr int kMostSteps = 20'000;         // also bounds the depth

/// `cards` distinct cards, `share` thousandths of each.
struct Wish {
  std::int64_t cards = 0, share = 0;
};

std::int64_t annotated(const PodSpec& spec, std::string_view key, std::int64_t absent) {
  const std::string* text = spec.annotations.find(key);
  return text == nullptr ? absent : parse_units(*text).value_or(0);
}

Wish wish_of(const PodSpec& spec) {
  constexpr std::string_view kCount = "alibabacloud.com/gpu-count",
                             kMilli = "alibabacloud.com/gpu-milli";
  if (spec.annotations.find(kCount) == nullptr && spec.annotations.find(kMilli) == nullptr)
    return {};
  const Wish wish{annotated(spec, kCount, 1), annotated(spec, kMilli, kCard)};
  return wish.cards > 0 && wish.share > 0 ? wish : Wish{};
}

/// Looks for any way to lay single shares onto cards, largest first. Shares of one pod are
/// neighbours in the list and go to cards that rise.
class Packing {
 public:
  /// `free`: thousandths of each card that are left for the wishes.
  Packing(std::vector<Wish> wishes, std::vector<std::int64_t> free)
      : wishes_(std::move(wishes)), free_(std::move(free)) {
    std::stable_sort(wishes_.begin(), wishes_.end(),
                     [](const Wish& a, const Wish& b) { return a.share > b.share; });
  }
  bool exists() { return lay(0, 0, 0); }

 private:
  bool lay(std::size_t wish, std::int64_t done, std::size_t from) {
    if (wish == wishes_.size()) return true;
    if (done == wishes_[wish].cards) return lay(wish + 1, 0, 0);
    for (std::size_t card = from; card < free_.size(); ++card) {
      if (free_[card] < wishes_[wish].share) continue;
      if (++steps_ > kMostSteps) return false;
      free_[card] -= wishes_[wish].share;
      if (lay(wish, done + 1, card + 1)) return true;
      free_[card] += wishes_[wish].share;
    }
    return false;
  }
  std::vector<Wish> wishes_;
  std::vector<std::int64_t> free_;
  int steps_ = 0;
};

/// A bound pod says on which cards it lies ("0-1"); those that exist have less left then.
bool lies_where_told(const Placed& pod, const Wish& wish, std::vector<std::int64_t>& free) {
  const std::string* told = pod.spec->annotations.find("alibabacloud.com/gpu-index");
  if (told == nullptr || pod.pod->bound_node != pod.node->name || wish.cards == 0) return false;
  bool any = false;
  std::istringstream numbers(*told);
  for (std::string number; std::getline(numbers, number, '-');) {
    const auto card = parse_units(number);
    if (!card || *card < 0) continue;
    any = true;
    if (*card < static_cast<std::int64_t>(free.size()))
      free[static_cast<std::size_t>(*card)] -= wish.share;
  }
  return any;
}

/// Another bound pod lies, card by card, on the fullest that has its share free; on the emptiest
/// where none has.
void lay_as_bound(const Wish& wish, std::vector<std::int64_t>& free) {
  std::vector<bool> is_taken(free.size());
  for (std::int64_t i = 0; i < wish.cards; ++i) {
    std::size_t best = free.size();
    for (std::size_t card = 0; card < free.size(); ++card) {
      if (is_taken[card]) continue;
      const auto rank = [&](std::size_t c) {
        return std::pair(free[c] < wish.share, free[c] < wish.share ? -free[c] : free[c]);
      };
      if (best == free.size() || rank(card) < rank(best)) best = card;
    }
    if (best == free.size()) return;
    is_taken[best] = true;
    free[best] -= std::min(wish.share, kCard);
  }
}

/// True if `model` is one of "A|B".
bool is_one_of(std::string_view models, std::string_view model) {
  while (!models.empty()) {
    const std::size_t end = std::min(models.find('|'), models.size());
    if (models.substr(0, end) == model) return true;
    models.remove_prefix(std::min(end + 1, models.size()));
  }
  return false;
}

}  // namespace

void check_gpus(const World& world, const Placed& pod, Findings& out) {
  constexpr std::string_view kModel = "alibabacloud.com/gpu-card-model";
  const Wish own = wish_of(*pod.spec);
  if (own.cards == 0) return;
  const std::string* models = pod.spec->annotations.find(kModel);
  const std::string* model = pod.node->labels.find(kModel);
  if (models != nullptr && !models->empty() && (model == nullptr || !is_one_of(*models, *model)))
    out.push_back({"GpuShare", "the pod asks for GPU cards of model " + *models});
  const std::int64_t cards = pod.node->allocatable.amount("alibabacloud.com/gpu-count");
  std::vector<std::int64_t> free(
      static_cast<std::size_t>(std::clamp<std::int64_t>(cards, 0, kMostCards)), kCard);
  std::vector<Wish> wishes;
  for (const std::size_t at : world.placed_on(*pod.node)) {
    const Placed& other = world.placed()[at];
    const Wish wish = wish_of(*other.spec);
    if (wish.cards == 0 || lies_where_told(other, wish, free)) continue;
    if (other.pod->bound_node == other.node->name)
      lay_as_bound(wish, free);
    else
      wishes.push_back(wish);
  }
  if (!Packing(wishes, free).exists() && own.cards <= cards) return;  // not this pod's doing
  wishes.push_back(own);
  if (Packing(std::move(wishes), std::move(free)).exists()) return;
  out.push_back({"GpuShare", "no " + std::to_string(own.cards) + " of the node's " +
                                 std::to_string(cards) + " GPU cards were found with " +
                                 std::to_string(own.share) +
                                 " thousandths free beside the shares that are there"});
}

}  // namespace gedge::verify_detail
