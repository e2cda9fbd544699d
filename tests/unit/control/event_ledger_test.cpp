#include "gedge/control/event_ledger.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

using namespace gedge;

namespace {

constexpr Nanos kSecond{1'000'000'000}, kMinute = 60 * kSecond;

std::string fate_text(const EventFate& fate) {
  if (fate.kind == EventFate::Kind::kSilent) return "silent";
  if (fate.kind == EventFate::Kind::kTold) return fate.is_combined ? "combined" : "told";
  return std::to_string(fate.first) + " x" + std::to_string(fate.times);
}

struct Teller {
  EventLedger ledger;
  std::uint64_t number = 0;
  std::string tell(const std::string& object, const std::string& note, Nanos now) {
    return fate_text(ledger.take(object, "FailedScheduling", note, ++number, now));
  }
};

}  // namespace

TEST_CASE("event ledger: what was said is counted, until it is long ago") {
  Teller at;
  CHECK(at.tell("a", "no room", kMinute) == "told");
  CHECK(at.tell("a", "no room", 2 * kMinute) == "1 x2");
  CHECK(at.tell("b", "no room", 2 * kMinute) == "told");
  CHECK(at.tell("a", "no room", 3 * kMinute) == "1 x3");
  CHECK(fate_text(at.ledger.take("a", "Overcommitted", "no room", 9, 4 * kMinute)) == "told");
  CHECK(at.tell("a", "no room", 13 * kMinute) == "told");
}

TEST_CASE("event ledger: the eleventh that is similar stands for all that come") {
  Teller at;
  for (int i = 0; i < 10; ++i)
    CHECK(at.tell("a", std::to_string(i) + " nodes", i * kSecond) == "told");
  CHECK(at.tell("a", "10 nodes", 10 * kSecond) == "combined");
  CHECK(at.tell("a", "11 nodes", 11 * kSecond) == "11 x2");
  CHECK(at.tell("a", "3 nodes", 12 * kSecond) == "4 x2");
  CHECK(at.tell("b", "11 nodes", 12 * kSecond) == "told");
}

TEST_CASE("event ledger: about one object 25 at once, then one in five minutes") {
  Teller at;
  int heard = 0;
  for (int i = 0; i < 100; ++i) heard += at.tell("a", "no room", Nanos{i}) == "silent" ? 0 : 1;
  CHECK(heard == 25);
  CHECK(at.tell("b", "no room", Nanos{100}) == "told");
  CHECK(at.tell("a", "no room", 5 * kMinute - kSecond) == "silent");
  CHECK(at.tell("a", "no room", 5 * kMinute + kSecond) != "silent");
  CHECK(at.tell("a", "no room", 6 * kMinute) == "silent");
  heard = 0;
  for (int i = 0; i < 100; ++i)
    heard += at.tell("a", "no room", 1'000 * kMinute + Nanos{i}) == "silent" ? 0 : 1;
  CHECK(heard == 25);
}

TEST_CASE("event ledger: of whom nothing was told for long nothing is kept") {
  EventLedger ledger;
  for (int i = 0; i < 1'000; ++i) ledger.take("a" + std::to_string(i), "r", "n", 1, i * kSecond);
  CHECK(ledger.objects() == 600);  // of the last ten minutes
  for (int i = 0; i < 10; ++i) ledger.take("much", "r", "n", 1, 1'000 * kSecond);
  ledger.take("b", "r", "n", 1, 2'000 * kSecond);
  CHECK(ledger.objects() == 2);  // ten Events are paid for in fifty minutes
  ledger.take("b", "r", "n", 1, 10'000 * kSecond);
  CHECK(ledger.objects() == 1);
}

TEST_CASE("event ledger: of too many objects the one is forgotten that was told of longest ago") {
  EventLimits limits;
  limits.most_objects = 2;
  EventLedger ledger(limits);
  const auto tell = [&](const std::string& object, std::uint64_t number) {
    return fate_text(ledger.take(object, "r", "n", number, kSecond));
  };
  CHECK(tell("a", 1) == "told");
  CHECK(tell("b", 2) == "told");
  CHECK(tell("a", 3) == "1 x2");
  CHECK(tell("c", 4) == "told");
  CHECK(tell("a", 5) == "1 x3");
  CHECK(tell("b", 6) == "told");
  CHECK(ledger.objects() == 2);
}

TEST_CASE("event ledger: what was never there is told anew, what may be there is not") {
  for (const auto& [status, fate] : {std::pair(201U, "1 x2"),
                                     {200U, "1 x2"},
                                     {0U, "told"},
                                     {429U, "told"},
                                     {503U, "told"},
                                     {404U, "told"}}) {
    CAPTURE(status);
    Teller at;
    CHECK(at.tell("a", "no room", kMinute) == "told");
    CHECK(at.tell("b", "no room", kMinute) == "told");
    at.ledger.answered({1, true}, status);
    CHECK(at.tell("a", "no room", kMinute) == fate);
    CHECK(at.tell("b", "no room", kMinute) == "2 x2");
  }
}

TEST_CASE("event ledger: a repeat of what the server has forgotten is told anew") {
  for (const auto& [status, fate] :
       {std::pair(200U, "1 x3"), {0U, "1 x3"}, {503U, "1 x3"}, {404U, "told"}}) {
    CAPTURE(status);
    Teller at;
    CHECK(at.tell("a", "no room", kMinute) == "told");
    CHECK(at.tell("a", "no room", kMinute) == "1 x2");
    at.ledger.answered({1, false}, status);
    CHECK(at.tell("a", "no room", kMinute) == fate);
  }
}
