#include "term/stream.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "event_log.hpp"
#include "gedge/base/error.hpp"

using gedge::cli::ColorChoice;
using gedge::cli::EventLog;
using gedge::cli::Stream;

namespace late_stream {

class Midnight final : public gedge::WallClock {
 public:
  gedge::UnixSeconds date() const override { return 0; }
};

/// A pipe of two pages: the second one is there for what does not fit into the first.
struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    REQUIRE(::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) == 0);
    reader = ends[0];
    writer = ends[1];
    ::fcntl(writer, F_SETFL, 0);  // as whoever starts a daemon leaves it
    ::fcntl(writer, F_SETPIPE_SZ, 8192);
    ::signal(SIGPIPE, SIG_IGN);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    ::close(writer);
    if (reader >= 0) ::close(reader);
  }
  std::string take() const {
    std::string all;
    std::array<char, 4096> bytes{};
    for (ssize_t got = 0; (got = ::read(reader, bytes.data(), bytes.size())) > 0;)
      all.append(bytes.data(), static_cast<std::size_t>(got));
    return all;
  }

  int reader = -1, writer = -1;
};

const Midnight kMidnight;
std::string at(const std::string& level) {
  return "at=1970-01-01T00:00:00Z level=" + level + " event=";
}

}  // namespace late_stream

using late_stream::at;
using late_stream::kMidnight;
using late_stream::Pipe;

TEST_CASE("stream: a reader that does not read costs lines, and nobody waits for it") {
  const Pipe pipe;
  Stream stream(pipe.writer, ColorChoice::kNever, {});
  stream.lose_late();
  const std::string line(99, 'a');
  for (int i = 0; i < 100; ++i) {
    stream.line(line);
    stream.flush();
  }
  const std::uint64_t lost = stream.lost();
  CHECK(lost > 0);
  CHECK(pipe.take().size() == 100 * (100 - lost));
  stream.line("b");
  stream.flush();
  CHECK(pipe.take() == "b\n");
  CHECK(stream.lost() == lost);
}

TEST_CASE("stream: a line of which a part was written is lost, and the next one begins anew") {
  const Pipe pipe;
  Stream stream(pipe.writer, ColorChoice::kNever, {});
  stream.lose_late();
  stream.line(std::string(9000, 'a'));
  stream.flush();
  CHECK(stream.lost() == 1);
  CHECK(pipe.take() == std::string(8192, 'a'));
  stream.line("b");
  stream.flush();
  CHECK(pipe.take() == "\nb\n");
  CHECK(stream.lost() == 1);
}

TEST_CASE("event log: how many lines were lost is said once lines can be written again") {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  REQUIRE(full >= 0);
  const Pipe pipe;
  {
    Stream stream(full, ColorChoice::kNever, {});
    stream.lose_late();
    EventLog log(stream, kMidnight, {});
    log.event("first", {});
    log.event("second", {});
    CHECK(stream.lost() == 3);  // and that the first one was
    ::dup2(pipe.writer, full);
    log.event("third", {{"pod", "a"}});
    CHECK(pipe.take() == at("warn") + "lost lines=2\n" + at("info") + "third pod=a\n");
    log.event("fourth", {});
    CHECK(pipe.take() == at("info") + "fourth\n");
  }
  ::close(full);
}

TEST_CASE("event log: a reader that has gone costs lines until there is another one") {
  Pipe pipe;
  Stream stream(pipe.writer, ColorChoice::kNever, {});
  stream.lose_late();
  EventLog log(stream, kMidnight, {});
  ::close(std::exchange(pipe.reader, -1));
  log.event("first", {});
  const Pipe other;
  ::dup2(other.writer, pipe.writer);
  log.event("second", {});
  CHECK(other.take() == at("warn") + "lost lines=1\n" + at("info") + "second\n");
}

TEST_CASE("event log: the same failure is told again once what failed has worked") {
  Stream stream = Stream::in_memory();
  EventLog log(stream, kMidnight, {});
  const gedge::Error error = gedge::invalid_input("no answer");
  log.failed(error);
  log.failed(error);
  const std::string line = at("error") + "failed what=\"no answer\" fix=\"\"\n";
  CHECK(stream.text() == line);
  log.recovered();
  log.failed(error);
  CHECK(stream.text() == line + line);
}

TEST_CASE("event log: threads that fail alike are told once") {
  Stream stream = Stream::in_memory();
  EventLog log(stream, kMidnight, {});
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&log] {
        for (int turn = 0; turn < 1'000; ++turn) log.failed(gedge::invalid_input("no answer"));
      });
  }
  CHECK(stream.text() == at("error") + "failed what=\"no answer\" fix=\"\"\n");
}

TEST_CASE("event log: only what is of the level that was asked for is written, and quiet is none") {
  using gedge::cli::LogLevel;
  const auto written = [](LogLevel least, bool quiet) {
    Stream stream = Stream::in_memory();
    gedge::cli::OutputOptions output;
    output.log_level = least;
    output.quiet = quiet;
    EventLog log(stream, kMidnight, output);
    log.event("bound", {});
    log.event("unschedulable", {});
    log.failed(gedge::invalid_input("no"));
    return std::count(stream.text().begin(), stream.text().end(), '\n');
  };
  CHECK(written(LogLevel::kInfo, false) == 3);
  CHECK(written(LogLevel::kWarn, false) == 2);
  CHECK(written(LogLevel::kError, false) == 1);
  CHECK(written(LogLevel::kInfo, true) == 0);
}
