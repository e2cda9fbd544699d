#include "gedge/drive/publish_pace.hpp"

#include <algorithm>

namespace gedge {
namespace {

constexpr Micros kFirstPause{800'000}, kMostPause{30'000'000};
constexpr int kMostDoublings = 6;

}  // namespace

Micros PublishPace::fail(Micros now) {
  const Micros least = std::min(kFirstPause * (1 << failures_), kMostPause);
  failures_ = std::min(failures_ + 1, kMostDoublings);
  const double chance = random_.even() * static_cast<double>(least.count());
  const Micros pause = least + Micros{static_cast<std::int64_t>(chance)};
  next_ = now + pause;
  return pause;
}

}  // namespace gedge
