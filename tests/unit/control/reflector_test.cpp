#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <set>

#include "unit/control/reflector_fixture.hpp"

namespace gedge {
namespace {

using namespace reflector_test;

TEST_CASE("reflector: lists page by page, and watches from the version of the last page") {
  Reflector reflector(1);
  const auto first = reflector.advance(Nanos{0});
  REQUIRE(first);
  CHECK(first->is_list);
  CHECK(first->next.empty());
  CHECK_FALSE(reflector.advance(Nanos{0}));  // one call at a time
  CHECK_FALSE(reflector.take_page({"5", "more"}, Nanos{0}));
  CHECK_FALSE(reflector.is_synced());
  const auto second = reflector.advance(Nanos{0});
  REQUIRE(second);
  CHECK(second->is_list);
  CHECK(second->next == "more");
  CHECK(reflector.take_page({"6", ""}, Nanos{0}));
  CHECK(reflector.is_synced());
  const auto watch = reflector.advance(Nanos{0});
  REQUIRE(watch);
  CHECK_FALSE(watch->is_list);
  CHECK(watch->version == "6");
  CHECK(watch->watch_seconds >= 300);
  CHECK(watch->watch_seconds <= 600);
  CHECK(reflector.lists() == 1);
  CHECK(reflector.watches() == 1);
}

TEST_CASE("reflector: what waits because a server does not answer waits no longer once it does") {
  for (const unsigned status : {0U, 500U, 503U}) {
    Reflector reflector = away(std::nullopt, status);
    const Nanos now = *reflector.next() - 20 * kSecond;
    reflector.hasten(now);
    CHECK(*reflector.next() >= now);
    CHECK(*reflector.next() <= now + 3 * kSecond);
    const Nanos soon = *reflector.next();
    reflector.hasten(now + kSecond);
    CHECK(*reflector.next() <= soon);  // never later
  }
}

TEST_CASE("reflector: not all at once") {
  std::set<Nanos> when;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Reflector reflector(seed);
    REQUIRE(reflector.advance(Nanos{0}));
    for (Nanos now{0}; now < 400 * kSecond;) {
      reflector.failed(0, std::nullopt, now);
      REQUIRE(*reflector.next() > now);
      now = *reflector.next();
      REQUIRE(reflector.advance(now));
    }
    reflector.failed(0, std::nullopt, 500 * kSecond);
    reflector.hasten(500 * kSecond);
    when.insert(*reflector.next());
  }
  CHECK(when.size() == 20);
  CHECK(*when.rbegin() - *when.begin() > 2 * kSecond);
}

TEST_CASE("reflector: a pause that the server asked for is kept, and no refusal is hurried") {
  Reflector asked = away(100 * kSecond);
  const Nanos end = *asked.next();
  asked.hasten(end - 90 * kSecond);
  CHECK(*asked.next() == end);
  Reflector refused = watching();
  refused.failed(410, std::nullopt, 20 * kSecond);
  const Nanos next = *refused.next();
  refused.hasten(20 * kSecond);
  CHECK(*refused.next() == next);
}

TEST_CASE("reflector: that a server answers again is told once") {
  Reflector reflector = away();
  CHECK_FALSE(reflector.take_return());
  const Nanos now = *reflector.next();
  REQUIRE(reflector.advance(now));
  CHECK_FALSE(reflector.take_return());
  reflector.opened(now);
  CHECK(reflector.take_return());
  CHECK_FALSE(reflector.take_return());
  reflector.opened(now);
  CHECK_FALSE(reflector.take_return());
}

TEST_CASE("reflector: a token of a page that has expired begins the list anew") {
  Reflector reflector(1);
  reflector.advance(Nanos{0});
  reflector.take_page({"5", "more"}, Nanos{0});
  reflector.advance(Nanos{0});
  reflector.failed(410, std::nullopt, Nanos{0});
  const auto again = reflector.advance(10 * kSecond);
  REQUIRE(again);
  CHECK(again->is_list);
  CHECK(again->next.empty());
}

TEST_CASE("reflector: a page that could not be had is asked for again") {
  Reflector reflector(1);
  reflector.advance(Nanos{0});
  reflector.take_page({"5", "more"}, Nanos{0});
  for (const unsigned status : {0U, 429U, 503U}) {
    reflector.advance(1'000 * kSecond);
    reflector.failed(status, std::nullopt, Nanos{0});
    CHECK(reflector.advance(1'000 * kSecond)->next == "more");
  }
}

TEST_CASE("reflector: a watch that its server ends is resumed at once from the last line") {
  Reflector reflector = watching();
  CHECK(reflector.take_line(line(WatchType::kAdded, "8"), 11 * kSecond));
  CHECK(reflector.take_line(line(WatchType::kBookmark, "12"), 12 * kSecond));
  CHECK(reflector.take_line(line(WatchType::kOther, "99"), 12 * kSecond));
  reflector.failed(200, std::nullopt, 400 * kSecond);
  const auto next = reflector.advance(400 * kSecond);
  REQUIRE(next);
  CHECK_FALSE(next->is_list);
  CHECK(next->version == "12");
}

TEST_CASE("reflector: what is known is current while a watch goes on, and a minute after") {
  Reflector reflector = watching();
  CHECK(reflector.is_current(70 * kSecond));
  CHECK_FALSE(reflector.is_current(71 * kSecond));  // nobody has answered the watch
  reflector.opened(71 * kSecond);
  CHECK(reflector.is_current(150 * kSecond));  // a connection that is lost is noticed
  reflector.take_line(line(WatchType::kBookmark, "9"), 160 * kSecond);
  reflector.failed(0, std::nullopt, 170 * kSecond);
  CHECK(reflector.is_current(220 * kSecond));
  CHECK_FALSE(reflector.is_current(221 * kSecond));
  REQUIRE(reflector.advance(221 * kSecond));
  CHECK_FALSE(reflector.is_current(221 * kSecond));
  reflector.opened(222 * kSecond);
  CHECK(reflector.is_current(222 * kSecond));
}

TEST_CASE(
    "reflector: a watch that was cut may have been silent before, and tells no more by that") {
  Reflector reflector = watching();
  reflector.opened(11 * kSecond);
  reflector.failed(200, std::nullopt, 100 * kSecond);
  CHECK(reflector.is_current(140 * kSecond));
  CHECK_FALSE(reflector.is_current(141 * kSecond));
  Reflector talks = watching();
  talks.take_line(line(WatchType::kBookmark, "9"), 95 * kSecond);
  talks.failed(200, std::nullopt, 100 * kSecond);
  CHECK(talks.is_current(155 * kSecond));
  CHECK_FALSE(talks.is_current(156 * kSecond));
}

TEST_CASE("reflector: a list is as old as its first page") {
  Reflector reflector(1);
  REQUIRE(reflector.advance(10 * kSecond));
  reflector.take_page({"5", "more"}, 40 * kSecond);
  REQUIRE(reflector.advance(40 * kSecond));
  REQUIRE(reflector.take_page({"5", ""}, 65 * kSecond));
  CHECK(reflector.is_current(70 * kSecond));
  CHECK_FALSE(reflector.is_current(71 * kSecond));
}

TEST_CASE("reflector: a watch that is silent for a minute is doubted, and so is what lay unread") {
  Reflector reflector = watching();
  reflector.opened(11 * kSecond);
  CHECK_FALSE(reflector.is_unheard(71 * kSecond));
  CHECK(reflector.is_unheard(72 * kSecond));
  CHECK_FALSE(reflector.is_vain(72 * kSecond));
  reflector.resume(72 * kSecond);
  CHECK_FALSE(reflector.is_unheard(72 * kSecond));
  CHECK_FALSE(reflector.is_current(72 * kSecond));
  REQUIRE(reflector.advance(72 * kSecond));
  reflector.opened(72 * kSecond);
  reflector.take_line(line(WatchType::kAdded, "9"), 200 * kSecond);
  reflector.distrust(100 * kSecond);
  CHECK(reflector.is_current(160 * kSecond));
  CHECK_FALSE(reflector.is_current(200 * kSecond));
}

TEST_CASE("reflector: a watch that ends as soon as it began is not asked for in a loop") {
  Reflector reflector = watching();
  reflector.failed(200, std::nullopt, 10 * kSecond);
  CHECK_FALSE(reflector.advance(10 * kSecond));
  CHECK(*reflector.next() >= 10 * kSecond + Nanos{800'000'000});
}

TEST_CASE("reflector: what was never listed and is refused is absent, until it is listed") {
  for (const unsigned status : {403U, 404U}) {
    Reflector reflector(1);
    reflector.advance(10 * kSecond);
    reflector.failed(status, std::nullopt, 10 * kSecond);
    CHECK(reflector.is_absent() == (status == 404));  // a server that starts knows no rights
    REQUIRE(reflector.advance(20 * kSecond));
    reflector.failed(status, std::nullopt, 20 * kSecond);
    CHECK(reflector.is_absent());
    REQUIRE(reflector.advance(30 * kSecond));
    reflector.take_page({"5", ""}, 30 * kSecond);
    CHECK_FALSE(reflector.is_absent());
  }
}

TEST_CASE("reflector: what was listed is absent when a list was refused for a minute") {
  Reflector reflector = watching();
  const auto refuse_list = [&](Nanos now) {
    REQUIRE(reflector.advance(now)->is_list);
    reflector.failed(404, std::nullopt, now);
  };
  reflector.failed(404, std::nullopt, 100 * kSecond);  // the watch
  CHECK_FALSE(reflector.is_absent());
  CHECK_FALSE(reflector.is_current(100 * kSecond));
  refuse_list(140 * kSecond);
  refuse_list(199 * kSecond);
  CHECK_FALSE(reflector.is_absent());
  CHECK(reflector.next() == 200 * kSecond);  // whatever failed before: nobody decides until then
  REQUIRE(reflector.advance(200 * kSecond)->is_list);
  reflector.failed(503, std::nullopt, 200 * kSecond);
  CHECK(*reflector.next() > 200 * kSecond);  // and does not ask all the time
  refuse_list(260 * kSecond);
  CHECK(reflector.is_absent());
  CHECK(*reflector.next() > 260 * kSecond);
  REQUIRE(reflector.advance(400 * kSecond)->is_list);
  reflector.take_page({"9", ""}, 400 * kSecond);
  CHECK_FALSE(reflector.is_absent());
  REQUIRE_FALSE(reflector.advance(400 * kSecond)->is_list);
  reflector.failed(403, std::nullopt, 450 * kSecond);
  refuse_list(500 * kSecond);  // another time
  CHECK_FALSE(reflector.is_absent());
}

TEST_CASE("reflector: a version that is too old is listed again, by either way of saying so") {
  Reflector told = watching();
  CHECK_FALSE(told.take_line(line(WatchType::kError, "", 410), 20 * kSecond));
  CHECK(told.advance(30 * kSecond)->is_list);
  CHECK(told.is_synced());  // what was known stays known meanwhile
  Reflector refused = watching();
  refused.failed(410, std::nullopt, 20 * kSecond);
  CHECK(refused.advance(30 * kSecond)->is_list);
}

TEST_CASE("reflector: an error of the server is tried once more, then listed again") {
  Reflector reflector = watching();
  CHECK_FALSE(reflector.take_line(line(WatchType::kError, "", 500), 20 * kSecond));
  const auto second = reflector.advance(30 * kSecond);
  REQUIRE_FALSE(second->is_list);
  CHECK(second->version == "7");
  CHECK_FALSE(reflector.take_line(line(WatchType::kError, "", 500), 31 * kSecond));
  CHECK(reflector.advance(100 * kSecond)->is_list);
}

TEST_CASE("reflector: too many requests and lost connections resume where they were") {
  for (const unsigned status : {429U, 0U}) {
    Reflector reflector = watching();
    for (int i = 0; i < 5; ++i) {
      reflector.failed(status, std::nullopt, 20 * kSecond);
      const auto next = reflector.advance(10'000 * kSecond);
      REQUIRE(next);
      CHECK_FALSE(next->is_list);
      CHECK(next->version == "7");
    }
  }
}

TEST_CASE("reflector: waits longer each time, with jitter, up to a minute") {
  std::set<std::int64_t> firsts;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Reflector reflector = watching(seed);
    Nanos least{800'000'000};
    Nanos now = 20 * kSecond;
    for (int i = 0; i < 12; ++i) {
      reflector.failed(503, std::nullopt, now);
      const Nanos wait = *reflector.next() - now;
      CHECK(wait >= least);
      CHECK(wait <= 2 * least);
      if (i == 0) firsts.insert(wait.count());
      least = std::min(2 * least, 30 * kSecond);
      now += wait;
      REQUIRE(reflector.advance(now));
    }
  }
  CHECK(firsts.size() == 20);
}

TEST_CASE("reflector: a watch that was healthy forgets what failed before") {
  Reflector reflector = watching();
  for (int i = 0; i < 8; ++i) {
    reflector.failed(0, std::nullopt, 20 * kSecond);
    reflector.advance(1'000 * kSecond);
  }
  reflector.failed(0, std::nullopt, 2'000 * kSecond);
  CHECK(*reflector.next() - 2'000 * kSecond <= Nanos{1'600'000'000});
}

/// Whatever it asks for is answered until it watches.
void watch_on(Reflector& reflector, Nanos now) {
  auto call = reflector.advance(now);
  REQUIRE(call);
  if (call->is_list) {
    REQUIRE(reflector.take_page({"7", ""}, now));
    call = reflector.advance(now);
  }
  REQUIRE_FALSE(call->is_list);
  reflector.opened(now);
}

TEST_CASE("reflector: a failure an hour never makes it wait longer, however the watch ended") {
  const auto wait_after_day = [](auto hour) {
    Reflector reflector = watching();
    Nanos now = 20 * kSecond;
    for (int i = 0; i < 24; ++i) {
      reflector.failed(0, std::nullopt, now);
      now += 100 * kSecond;
      watch_on(reflector, now);
      hour(reflector, now);
    }
    reflector.failed(0, std::nullopt, now);
    return *reflector.next() - now;
  };
  const Nanos most{1'600'000'000};
  CHECK(wait_after_day([](Reflector&, Nanos& now) { now += 60 * kSecond; }) <= most);
  CHECK(wait_after_day([](Reflector& reflector, Nanos& now) {  // is silent, and asked anew
          for (int i = 0; i < 40; ++i, now += 2 * kSecond) {
            now += 88 * kSecond;
            reflector.resume(now);
            watch_on(reflector, now);
          }
        }) <= most);
  CHECK(wait_after_day([](Reflector& reflector, Nanos& now) {
          now += 2 * kSecond;
          reflector.take_line(line(WatchType::kBookmark, "8"), now);
        }) <= most);
  CHECK(wait_after_day([](Reflector& reflector, Nanos& now) {  // ends by itself
          now += 5 * kSecond;
          reflector.failed(200, std::nullopt, now);
          watch_on(reflector, now);
        }) <= most);
  CHECK(wait_after_day([](Reflector& reflector, Nanos& now) {  // breaks after what it had to tell
          reflector.take_line(line(WatchType::kAdded, "8"), now);
        }) > 20 * kSecond);
}

/// Watches of ten minutes, each answered and ended by its server, until one is followed by a list.
Nanos watch_until_list(Reflector& reflector, Nanos now) {
  for (int i = 0; i < 20; ++i) {
    reflector.opened(now);
    now += 600 * kSecond;
    CHECK(reflector.is_current(now));
    reflector.failed(200, std::nullopt, now);
    CHECK(reflector.is_synced());
    CHECK(reflector.is_current(now));
    const auto call = reflector.advance(now);
    REQUIRE(call);
    if (call->is_list) return now;
    CHECK(call->version == "7");
  }
  return Nanos{0};
}

TEST_CASE(
    "reflector: lists again once an hour, where a watch ends, and knows meanwhile what it knew") {
  Reflector reflector = watching();
  const Nanos first = watch_until_list(reflector, 10 * kSecond);
  CHECK(first == 3'610 * kSecond);
  CHECK(reflector.is_synced());
  CHECK(reflector.is_current(first + 40 * kSecond));
  CHECK_FALSE(reflector.take_page({"8", "more"}, first + kSecond));
  REQUIRE(reflector.advance(first + kSecond)->next == "more");
  CHECK(reflector.take_page({"7", ""}, first + 2 * kSecond));
  REQUIRE_FALSE(reflector.advance(first + 2 * kSecond)->is_list);
  CHECK(watch_until_list(reflector, first + 2 * kSecond) == first + 3'602 * kSecond);
}

TEST_CASE("reflector: a watch that is cut each minute is listed again once an hour, too") {
  Reflector reflector = watching();
  Nanos now = 10 * kSecond;
  for (bool is_list = false; !is_list; is_list = reflector.advance(now)->is_list) {
    reflector.opened(now);
    now += 90 * kSecond;
    reflector.resume(now);
    REQUIRE(now < 7'200 * kSecond);
  }
  CHECK(now == 3'610 * kSecond);
}

TEST_CASE("reflector: a list that could wait gives way to a watch where it cannot be had") {
  Reflector reflector = watching();
  const Nanos now = watch_until_list(reflector, 10 * kSecond);
  reflector.failed(429, std::nullopt, now);
  const auto watch = reflector.advance(now + 2 * kSecond);
  REQUIRE(watch);
  CHECK_FALSE(watch->is_list);
  CHECK(watch->version == "7");
  CHECK(watch_until_list(reflector, now + 2 * kSecond) == now + 602 * kSecond);
  reflector.take_page({"8", "more"}, now + 602 * kSecond);
  REQUIRE(reflector.advance(now + 602 * kSecond)->next == "more");
  reflector.failed(503, std::nullopt, now + 603 * kSecond);  // a part of it is known
  CHECK(reflector.advance(now + 700 * kSecond)->next == "more");
  reflector.failed(410, std::nullopt, now + 700 * kSecond);
  CHECK(reflector.advance(now + 800 * kSecond)->is_list);
}

TEST_CASE("reflector: Retry-After is the least, and five minutes the most of it") {
  const auto wait_after = [](std::int64_t seconds) {
    Reflector reflector = watching();
    reflector.failed(429, seconds * kSecond, 20 * kSecond);
    return *reflector.next() - 20 * kSecond;
  };
  CHECK(wait_after(60) == 60 * kSecond);
  CHECK(wait_after(86'400) == 300 * kSecond);
  CHECK(wait_after(-5) >= Nanos{800'000'000});
  CHECK(wait_after(0) >= Nanos{800'000'000});
}

TEST_CASE("reflector: so it is where a watch says it, which goes on where it was then") {
  Reflector reflector = watching();
  WatchLine busy = line(WatchType::kError, "", 429);
  busy.retry_after = 60 * kSecond;
  CHECK_FALSE(reflector.take_line(busy, 20 * kSecond));
  CHECK(*reflector.next() == 80 * kSecond);
  const auto watch = reflector.advance(80 * kSecond);
  CHECK_FALSE(watch->is_list);
  CHECK(watch->version == "7");
}

TEST_CASE("reflector: a silent watch is asked anew from where it was, at once") {
  Reflector reflector = watching();
  const Nanos first = reflector.next().value();
  CHECK_FALSE(reflector.is_vain(first - Nanos{1}));
  CHECK(reflector.is_vain(first));
  reflector.take_line(line(WatchType::kBookmark, "8"), 20 * kSecond);
  CHECK_FALSE(reflector.is_vain(109 * kSecond));
  CHECK(*reflector.next() == 110 * kSecond);
  CHECK(reflector.is_vain(110 * kSecond));
  reflector.resume(110 * kSecond);
  const auto again = reflector.advance(110 * kSecond);
  REQUIRE(again);
  CHECK_FALSE(again->is_list);
  CHECK(again->version == "8");
}

TEST_CASE("reflector: where nobody pings a server ends each watch before it is taken for gone") {
  Reflector reflector = watching();
  Nanos now = 20 * kSecond;
  reflector.resume(now);
  for (int i = 0; i < 100; ++i) {
    CAPTURE(i);
    const auto watch = reflector.advance(now, false);
    REQUIRE(watch);
    CHECK_FALSE(watch->is_list);
    CHECK(watch->watch_seconds >= 15);
    const Nanos over = now + watch->watch_seconds * kSecond;
    CHECK_FALSE(reflector.is_vain(over + 4 * kSecond));
    CHECK(reflector.is_vain(now + 25 * kSecond));
    CHECK(*reflector.next() == now + 25 * kSecond);
    now = over;
    reflector.failed(200, std::nullopt, now);
    CHECK(*reflector.next() == now);
  }
  CHECK(reflector.lists() == 1);
  REQUIRE(reflector.advance(now));  // over another transport, which pings
  CHECK_FALSE(reflector.is_vain(now + 89 * kSecond));
}

}  // namespace
}  // namespace gedge
