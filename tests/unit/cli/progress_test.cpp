#include "term/progress.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

using namespace gedge::cli;
using gedge::Micros;
using std::chrono::milliseconds;

namespace {

// Moves when it is told to; by `step` whenever somebody looks.
class ManualClock final : public gedge::Clock {
 public:
  explicit ManualClock(Micros step = Micros{0}) : step_(step) {}
  Micros now() const override { return time_ += step_; }
  void advance(Micros by) { time_ += by; }

 private:
  mutable Micros time_{0};
  Micros step_;
};

}  // namespace

TEST_CASE("progress: a run under half a second shows nothing") {
  Stream err = Stream::in_memory(80);
  ManualClock clock;
  {
    ProgressLine line(err, false, clock);
    for (std::size_t i = 0; i < 100; ++i, clock.advance(milliseconds{4}))
      line.show("planning", i, 100);
  }
  CHECK(err.text().empty());
}

TEST_CASE("progress: a longer one shows a bar with the time left and takes it away at the end") {
  Stream err = Stream::in_memory(80);
  ManualClock clock;
  {
    ProgressLine line(err, false, clock);
    line.show("planning", 0, 100);
    clock.advance(milliseconds{4'000});
    line.show("planning", 40, 100);
  }
  CHECK(err.text() == "\r\x1b[Kplanning  [========>            ]  40/100   eta 6 s\r\x1b[K");
}

TEST_CASE("progress: pictures come ten times a second at most") {
  Stream err = Stream::in_memory(80);
  ManualClock clock;
  ProgressLine line(err, false, clock);
  for (std::size_t i = 0; i < 1'000; ++i, clock.advance(milliseconds{1}))
    line.show("reading", 0, 0);
  std::size_t pictures = 0;
  for (std::size_t at = 0; (at = err.text().find("reading", at)) != std::string::npos; ++at)
    ++pictures;
  CHECK(pictures == 5);
}

TEST_CASE("progress: nothing in a pipe and nothing when quiet") {
  for (const bool quiet : {false, true}) {
    Stream err = Stream::in_memory(quiet ? 80 : 0);
    const ManualClock clock(milliseconds{1'000});
    ProgressLine line(err, quiet, clock);
    line.show("planning", 1, 2);
    line.erase();
    CHECK(err.text().empty());
  }
}

TEST_CASE("progress: the line fits the terminal") {
  Stream err = Stream::in_memory(20);
  const ManualClock clock(milliseconds{1'000});
  ProgressLine line(err, false, clock);
  line.show("reading a file with a very long name", 3, 10);
  CHECK(err.text().size() <= std::string("\r\x1b[K").size() + 19);
}

TEST_CASE("progress: one long step is shown without another word about it and not after its end") {
  Stream err = Stream::in_memory(80);
  ManualClock clock;
  ProgressLine line(err, false, clock);
  line.show("reading dump.json", 0, 0);
  line.refresh();
  CHECK(err.text().empty());
  clock.advance(milliseconds{600});
  line.refresh();
  CHECK(err.text() == "\r\x1b[Kreading dump.json");
  line.erase();
  clock.advance(milliseconds{600});
  line.refresh();
  CHECK(err.text() == "\r\x1b[Kreading dump.json\r\x1b[K");
}

TEST_CASE("progress: the ticker draws by itself and ends with its scope") {
  class Jumping final : public gedge::Clock {  // every look is a second later
   public:
    Micros now() const override { return Micros{1'000'000} * ++looks; }
    mutable std::atomic<int> looks = 0;
  };
  Stream err = Stream::in_memory(80);
  const Jumping clock;
  ProgressLine line(err, false, clock);
  line.show("reading", 0, 0);
  {
    const ProgressTicker ticker(line);
    const int before = clock.looks;
    while (clock.looks < before + 2) std::this_thread::yield();
  }
  line.erase();
  CHECK(err.text().find("reading") != err.text().rfind("reading"));
}
