// gedge/sim/bind_budget.hpp - how many binds a scheduler may have under way, counted where they are
// sent.
//
// Under way is what was sent, and is neither answered nor seen to be done. So many may be at first,
// and one more with each answer up to the most; after three in a row that nobody answers it is one
// at a time. Pods that are placed together are bound together, whatever the budget: they are not
// counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "gedge/port/binding.hpp"

namespace gedge {

class BindBudget {
 public:
  BindBudget(std::size_t first, std::size_t most) : first_(first), most_(most), allowed_(first) {}

  /// False: it is one too many.
  bool sent(const BindRequest& bind, bool is_alone = true);
  void answered(std::uint64_t ticket, BindAnswer answer);
  /// The cluster has shown the pod there.
  void seen(const PodName& pod, const SharedText& node);

 private:
  struct Bind {
    PodName pod;
    SharedText node;
    bool is_alone = true;
  };
  std::size_t allowed() const;

  std::size_t first_, most_, allowed_;
  std::uint32_t unanswered_ = 0;             // in a row
  std::map<std::uint64_t, Bind> under_way_;  // by ticket
};

}  // namespace gedge
