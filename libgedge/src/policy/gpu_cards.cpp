// policy/gpu_cards.cpp - cards of one node, and who lies on them.
#include "policy/gpu_cards.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <numeric>
#include <optional>
#include <string_view>

#include "gedge/base/quantity.hpp"

namespace gedge {
namespace {

constexpr std::string_view kMilli = "alibabacloud.com/gpu-milli";
constexpr std::string_view kCount = "alibabacloud.com/gpu-count";
constexpr std::string_view kModel = "alibabacloud.com/gpu-card-model";
constexpr std::string_view kIndex = "alibabacloud.com/gpu-index";

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::optional<std::size_t> card_number(const std::string& text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// `absent` where there is no annotation, 0 where it is no amount.
std::int64_t amount(const std::string* text, std::int64_t absent) {
  return text == nullptr ? absent : parse_units(*text).value_or(0);
}

}  // namespace

GpuRequest gpu_request(const PodSpec& spec) {
  GpuRequest request;
  if (spec.annotations.empty()) return request;
  const std::string* milli = spec.annotations.find(kMilli);
  const std::string* count = spec.annotations.find(kCount);
  if (milli == nullptr && count == nullptr) return request;
  const std::int64_t cards = amount(count, 1), share = amount(milli, kWholeCard);
  if (cards <= 0 || share <= 0) return request;
  request.cards = cards;
  request.share = share;
  if (const std::string* models = spec.annotations.find(kModel))
    request.models = split(*models, '|');
  if (const std::string* indexes = spec.annotations.find(kIndex))
    for (const std::string& part : split(*indexes, '-'))
      if (const auto number = card_number(part)) request.indexes.push_back(*number);
  return request;
}

GpuCards::GpuCards(std::int64_t cards) {
  constexpr std::int64_t kMostCards = 1024;  // of one node; guards against absurd input
  free_.assign(static_cast<std::size_t>(std::clamp<std::int64_t>(cards, 0, kMostCards)),
               kWholeCard);
}

bool GpuCards::fits(const GpuRequest& request) const {
  return std::count_if(free_.begin(), free_.end(),
                       [&](std::int64_t free) { return free >= request.share; }) >= request.cards;
}

std::int64_t GpuCards::best_share(const GpuRequest& request) const {
  if (request.cards <= 0 || static_cast<std::int64_t>(free_.size()) < request.cards) return 0;
  std::vector<std::int64_t> shares = free_;
  std::sort(shares.begin(), shares.end(), std::greater<>());
  return std::max<std::int64_t>(shares[static_cast<std::size_t>(request.cards) - 1], 0);
}

// Cards that suffice come first, the fullest of them; then the emptiest of the others.
bool GpuCards::before(std::size_t a, std::size_t b, std::int64_t share) const {
  const bool fits_a = free_[a] >= share, fits_b = free_[b] >= share;
  if (fits_a != fits_b) return fits_a;
  return fits_a ? free_[a] < free_[b] : free_[a] > free_[b];
}

void GpuCards::place(const GpuRequest& request) {
  if (free_.empty() || request.cards == 0) return;
  const std::int64_t taken = std::min(request.share, kWholeCard);
  if (request.cards == 1) {  // nearly all pods: no list of cards
    std::size_t best = 0;
    for (std::size_t card = 1; card < free_.size(); ++card)
      if (before(card, best, request.share)) best = card;
    free_[best] -= taken;
    return;
  }
  std::vector<std::size_t> cards(free_.size());
  std::iota(cards.begin(), cards.end(), std::size_t{0});
  std::stable_sort(cards.begin(), cards.end(),
                   [&](std::size_t a, std::size_t b) { return before(a, b, request.share); });
  if (static_cast<std::int64_t>(cards.size()) > request.cards)
    cards.resize(static_cast<std::size_t>(request.cards));
  for (const std::size_t card : cards) free_[card] -= taken;
}

void GpuCards::place_as_told(const GpuRequest& request) {
  for (const std::size_t card : request.indexes)
    if (card < free_.size()) free_[card] -= std::min(request.share, kWholeCard);
}

}  // namespace gedge
