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

// `absent` where the annotation is not there, 0 where it is no amount.
std::int64_t amount(const PodSpec& spec, std::string_view key, std::int64_t absent) {
  const std::string* text = spec.annotations.find(key);
  return text == nullptr ? absent : parse_units(*text).value_or(0);
}

}  // namespace

GpuRequest gpu_request(const PodSpec& spec) {
  GpuRequest request;
  const bool asks =
      spec.annotations.find(kMilli) != nullptr || spec.annotations.find(kCount) != nullptr;
  const std::int64_t cards = asks ? amount(spec, kCount, 1) : 0;
  const std::int64_t share = asks ? amount(spec, kMilli, kWholeCard) : 0;
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

std::vector<std::size_t> GpuCards::choose(const GpuRequest& request) const {
  std::vector<std::size_t> cards;
  for (std::size_t card = 0; card < free_.size(); ++card)
    if (free_[card] >= request.share) cards.push_back(card);
  if (static_cast<std::int64_t>(cards.size()) < request.cards) return {};
  std::stable_sort(cards.begin(), cards.end(),
                   [&](std::size_t a, std::size_t b) { return free_[a] < free_[b]; });
  cards.resize(static_cast<std::size_t>(request.cards));
  return cards;
}

bool GpuCards::fits(const GpuRequest& request) const {
  return request.cards == 0 || !choose(request).empty();
}

std::int64_t GpuCards::best_share(const GpuRequest& request) const {
  if (request.cards <= 0 || static_cast<std::int64_t>(free_.size()) < request.cards) return 0;
  std::vector<std::int64_t> shares = free_;
  std::sort(shares.begin(), shares.end(), std::greater<>());
  return std::max<std::int64_t>(shares[static_cast<std::size_t>(request.cards) - 1], 0);
}

void GpuCards::place(const GpuRequest& request) {
  if (free_.empty() || request.cards == 0) return;
  std::vector<std::size_t> cards = choose(request);
  if (cards.empty()) {
    cards.resize(free_.size());
    std::iota(cards.begin(), cards.end(), std::size_t{0});
    std::stable_sort(cards.begin(), cards.end(),
                     [&](std::size_t a, std::size_t b) { return free_[a] > free_[b]; });
    const auto wanted =
        static_cast<std::size_t>(std::min(request.cards, static_cast<std::int64_t>(free_.size())));
    cards.resize(wanted);
  }
  for (const std::size_t card : cards) free_[card] -= std::min(request.share, kWholeCard);
}

void GpuCards::place_as_told(const GpuRequest& request) {
  for (const std::size_t card : request.indexes)
    if (card < free_.size()) free_[card] -= std::min(request.share, kWholeCard);
}

}  // namespace gedge
