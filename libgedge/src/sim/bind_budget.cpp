#include "gedge/sim/bind_budget.hpp"

#include <algorithm>

namespace gedge {
namespace {

constexpr std::uint32_t kAway = 3;  // binds in a row that nobody answers, of a server that is away

}  // namespace

std::size_t BindBudget::allowed() const {
  return unanswered_ >= kAway ? 1 : std::min(allowed_, most_);
}

bool BindBudget::sent(const BindRequest& bind, bool is_alone) {
  under_way_.emplace(bind.ticket, Bind{bind.pod, bind.node, is_alone});
  if (!is_alone) return true;
  const auto alone = std::count_if(under_way_.begin(), under_way_.end(),
                                   [](const auto& known) { return known.second.is_alone; });
  return static_cast<std::size_t>(alone) <= allowed();
}

// That nobody answers is no news of a bind that was seen to be done.
void BindBudget::answered(std::uint64_t ticket, BindAnswer answer) {
  const bool was_under_way = under_way_.erase(ticket) > 0;
  if (answer != BindAnswer::kNotSent && answer != BindAnswer::kUnknown) {
    unanswered_ = 0;
    if (allowed_ < most_) ++allowed_;
  } else if (was_under_way && ++unanswered_ == kAway) {
    allowed_ = first_;
  }
}

void BindBudget::seen(const PodName& pod, const SharedText& node) {
  std::erase_if(under_way_, [&](const auto& known) {
    return known.second.pod == pod && known.second.node == node;
  });
}

}  // namespace gedge
