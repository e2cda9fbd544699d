// gedge/control/event_ledger.hpp - which Events are worth a write, and which only say again what
// another one has said.
//
// Source   EventCorrelator of client-go, whose numbers these are; and the field `series` of
//          events.k8s.io/v1, in which repeats are counted.
#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gedge/base/nanos.hpp"

namespace gedge {

struct EventLimits {
  std::size_t most_objects = 4'096;   ///< known at once; of more, the one told of longest ago goes
  std::uint32_t burst = 25;           ///< about one object
  Nanos next_after{300'000'000'000};  ///< and then one so often
  std::size_t most_similar = 10;      ///< with one reason about one object; later ones are one
  Nanos forgotten_after{600'000'000'000};  ///< what was said is said anew
};

/// What is to become of an Event.
struct EventFate {
  enum class Kind : std::uint8_t {
    kTold,    ///< as a new one
    kAgain,   ///< `first` happened once more
    kSilent,  ///< too many about its object
  } kind = Kind::kTold;
  bool is_combined = false;  ///< kTold: it stands for similar ones, too
  std::uint64_t first = 0;   ///< kAgain: number of the one that was told
  std::uint64_t times = 1;   ///< kAgain: how often by now
};

/// What was sent to the server.
struct SentEvent {
  std::uint64_t number = 0;
  bool is_new = true;  ///< else a repeat of what was sent before
};

class EventLedger {
 public:
  explicit EventLedger(const EventLimits& limits = {}) : limits_(limits) {}

  /// `object`: names it among all kinds. `number`: of this Event, should it be told.
  EventFate take(const std::string& object, std::string_view reason, std::string_view note,
                 std::uint64_t number, Nanos now);
  /// What came of it, 0 for no answer: of what is not there the next repeat is told as a new one.
  void answered(const SentEvent& event, unsigned status);
  std::size_t objects() const { return objects_.size(); }

 private:
  struct Said {
    std::string reason;
    std::size_t note = 0;  // hash
    bool is_combined = false;
    std::uint64_t number = 0, times = 1;
    Nanos last{0};
  };
  struct Object {
    std::string name;
    std::vector<Said> said;
    Nanos paid_up_to{0};  // each Event costs `next_after`, of which `burst` may be owed
  };
  Object& find(const std::string& name);
  void forget_old(Nanos now);
  bool pay(Object& object, Nanos now) const;

  EventLimits limits_;
  std::list<Object> objects_;  // the one told of last is first
  std::unordered_map<std::string, std::list<Object>::iterator> by_name_;
};

}  // namespace gedge
