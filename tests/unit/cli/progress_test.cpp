#include "term/progress.hpp"

#include <doctest/doctest.h>

using namespace gedge::cli;
using std::chrono::milliseconds;

TEST_CASE("progress: a run under half a second shows nothing") {
  Stream err = Stream::in_memory(80);
  milliseconds now{1'000};
  {
    ProgressLine line(err, false, [&] { return now; });
    for (std::size_t i = 0; i < 100; ++i, now += milliseconds{4}) line.show("planning", i, 100);
  }
  CHECK(err.text().empty());
}

TEST_CASE("progress: a longer one shows a bar with the time left and takes it away at the end") {
  Stream err = Stream::in_memory(80);
  milliseconds now{0};
  {
    ProgressLine line(err, false, [&] { return now; });
    line.show("planning", 0, 100);
    now = milliseconds{4'000};
    line.show("planning", 40, 100);
  }
  CHECK(err.text() == "\r\x1b[Kplanning  [========>            ]  40/100   eta 6 s\r\x1b[K");
}

TEST_CASE("progress: pictures come ten times a second at most") {
  Stream err = Stream::in_memory(80);
  milliseconds now{0};
  ProgressLine line(err, false, [&] { return now; });
  for (std::size_t i = 0; i < 1'000; ++i, now += milliseconds{1}) line.show("reading", 0, 0);
  std::size_t pictures = 0;
  for (std::size_t at = 0; (at = err.text().find("reading", at)) != std::string::npos; ++at)
    ++pictures;
  CHECK(pictures == 5);
}

TEST_CASE("progress: nothing in a pipe and nothing when quiet") {
  for (const bool quiet : {false, true}) {
    Stream err = Stream::in_memory(quiet ? 80 : 0);
    milliseconds now{0};
    ProgressLine line(err, quiet, [&] { return now += milliseconds{1'000}; });
    line.show("planning", 1, 2);
    line.erase();
    CHECK(err.text().empty());
  }
}

TEST_CASE("progress: the line fits the terminal") {
  Stream err = Stream::in_memory(20);
  milliseconds now{0};
  ProgressLine line(err, false, [&] { return now += milliseconds{1'000}; });
  line.show("reading a file with a very long name", 3, 10);
  CHECK(err.text().size() <= std::string("\r\x1b[K").size() + 19);
}
