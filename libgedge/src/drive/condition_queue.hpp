// drive/condition_queue.hpp - what is still to be written into pods that wait: of each the newest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "gedge/base/nanos.hpp"
#include "gedge/port/binding.hpp"

namespace gedge {

/// A condition says what is so, other than an Event: none is dropped before the server has it, or
/// has said that it will never take it. Of one pod at most one is under way. Cost: O(log pods)
/// each.
class ConditionQueue {
 public:
  void put(Unschedulable pod);
  /// It has a place now, or is gone: what waits for it, or fails, is not to be written any more.
  void forget(const PodName& pod);
  /// All others are gone. Cost: O(pods log pods).
  void keep_only(const std::vector<PodName>& pods);
  void clear();

  /// One to be sent now; then answered() says what became of it.
  std::optional<Unschedulable> take(Nanos now);
  /// `status`: of the server's answer, 0 for none. What may pass is sent again after a rest of
  /// everything, 1 s to 30 s or as long as the server asks for, five minutes at most.
  void answered(const Unschedulable& pod, unsigned status, std::optional<Nanos> retry_after,
                Nanos now);

  /// Those that wait; none while the server rests.
  std::size_t ready(Nanos now) const { return now < rest_until_ ? 0 : order_.size(); }
  /// When take() may say something; empty: there is nothing.
  std::optional<Nanos> next() const;

 private:
  struct Entry {
    std::optional<Unschedulable> waiting;
    bool is_under_way = false, is_forgotten = false;
    std::uint64_t turn = 0;  // in order_; 0: it is not there
  };

  void line_up(Entry& entry, const PodName& pod);
  void leave_line(Entry& entry);

  std::map<PodName, Entry> entries_;
  std::map<std::uint64_t, PodName> order_;  // of those that wait and are not under way
  std::uint64_t last_turn_ = 0;
  Nanos rest_until_{0}, rest_{0};  // `rest_`: how long the last one was, since all went well
};

}  // namespace gedge
