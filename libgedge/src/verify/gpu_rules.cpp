// Shares of GPU cards: every share must lie on one card (annotations of alibaba/open-gpu-share).
#include <algorithm>

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
  Packing(std::vector<Wish> wishes, std::int64_t cards)
      : wishes_(std::move(wishes)), free_(static_cast<std::size_t>(cards), kCard) {
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
  std::vector<Wish> wishes{own};
  for (const Placed& other : world.placed())
    if (other.node == pod.node) wishes.push_back(wish_of(*other.spec));
  const std::int64_t counted = std::clamp<std::int64_t>(cards, 0, kMostCards);
  if (Packing(std::move(wishes), counted).exists()) return;
  out.push_back({"GpuShare", "no " + std::to_string(own.cards) + " of the node's " +
                                 std::to_string(cards) + " GPU cards were found with " +
                                 std::to_string(own.share) +
                                 " thousandths free beside the shares that are there"});
}

}  // namespace gedge::verify_detail
