// relay - runs a command in a network of its own whose every packet passes through this program,
// which delays, loses, doubles and reorders it by schedule, and writes down what it really did.
//
//   relay [--seed N] [--log FILE] [--ping-range] --path PATH... -- COMMAND...
//
// The command lives at 10.77.0.1 and fd77::1; the far ends, 10.77.1.NUMBER and fd77::1:NUMBER, are
// addresses of a second namespace, whose kernel answers. Between the two stand two TUN devices, and
// between those this program. It exits as the command does, or with 77 where it has no right to all
// this.
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <queue>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gedge/io/clock.hpp"
#include "support/relay/schedule.hpp"
#include "support/relay/tunnel.hpp"

namespace gedge::test {
namespace {

constexpr int kSkipped = 77, kWrongUse = 2;
constexpr Micros kSpinBefore{200};  // a sleep may last so much too long
constexpr std::size_t kLargestPacket = 65'536;

struct Options {
  std::map<std::uint8_t, Path> paths;
  std::uint64_t seed = 0;
  std::string log;
  bool ping_range = false;
  std::vector<std::string> command;
};

struct Copy {
  Micros out{0};
  std::uint64_t order = 0;
  int to = -1;
  std::string bytes;
  Passing passing;
  Direction direction = Direction::kThere;
  Micros in{0};
};
struct Later {
  bool operator()(const Copy& a, const Copy& b) const {
    return std::pair(a.out, a.order) > std::pair(b.out, b.order);
  }
};

class Relay {
 public:
  Relay(const Options& options, int near, int far)
      : options_(options),
        dice_(options.seed),
        near_(near),
        far_(far),
        buffer_(kLargestPacket, 0) {}

  /// Until the child has ended; its status.
  int run(pid_t child) {
    int status = 0;
    while (::waitpid(child, &status, WNOHANG) != child) {
      release();
      take(near_, far_, Direction::kThere);
      take(far_, near_, Direction::kBack);
      wait();
    }
    return status;
  }
  const std::string& log() const { return log_; }

 private:
  void take(int from, int to, Direction direction) {
    for (;;) {
      const ssize_t size = ::read(from, buffer_.data(), buffer_.size());
      if (size <= 0) return;
      const Micros in = clock_.now();
      const std::string_view packet(buffer_.data(), static_cast<std::size_t>(size));
      const auto passing = read_packet(packet, direction);
      if (!passing) continue;
      const auto path = options_.paths.find(passing->path);
      if (path == options_.paths.end()) continue;
      const std::uint64_t place = ++seen_[{passing->path, direction}];
      const std::vector<Micros> delays = fate_of(path->second, direction, place, dice_);
      if (delays.empty() && passing->echo) log_ += log_line(*passing, direction, in, {});
      for (const Micros delay : delays)
        waiting_.push({in + delay, order_++, to, std::string(packet), *passing, direction, in});
    }
  }

  // What is released to the far end is answered before write() returns: the answer is there when
  // the other side is looked at next.
  void release() {
    while (!waiting_.empty()) {
      const Copy& copy = waiting_.top();
      const Micros now = clock_.now();
      if (copy.out > now) return;
      if (::write(copy.to, copy.bytes.data(), copy.bytes.size()) < 0) std::perror("relay: write");
      if (copy.passing.echo) log_ += log_line(copy.passing, copy.direction, copy.in, now);
      waiting_.pop();
    }
  }

  // To be woken takes an idle processor 50 us, which would look like the network: so the relay
  // never sleeps where another processor is left for those that it serves.
  void wait() {
    if (std::thread::hardware_concurrency() > 1) return;
    constexpr Micros kLook{2'000};  // whether the child has ended
    Micros span = kLook;
    if (!waiting_.empty()) span = std::min(span, waiting_.top().out - clock_.now() - kSpinBefore);
    if (span <= Micros{0}) return;
    std::array<pollfd, 2> polled{{{near_, POLLIN, 0}, {far_, POLLIN, 0}}};
    const timespec patience{0, span.count() * 1'000};
    ::ppoll(polled.data(), polled.size(), &patience, nullptr);
  }

  const Options& options_;
  SteadyClock clock_;
  Dice dice_;
  int near_, far_;
  std::string buffer_, log_;
  std::map<std::pair<std::uint8_t, Direction>, std::uint64_t> seen_;
  std::uint64_t order_ = 0;
  std::priority_queue<Copy, std::vector<Copy>, Later> waiting_;
};

bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--ping-range") {
      options.ping_range = true;
      continue;
    }
    if (word == "--") {
      options.command.assign(argv + i + 1, argv + argc);
      return !options.command.empty() && !options.paths.empty();
    }
    if (++i == argc) return false;
    const auto path = parse_path(argv[i]);
    if (word == "--path" && path)
      options.paths.emplace(path->number, *path);
    else if (word == "--seed")
      options.seed = std::strtoull(argv[i], nullptr, 10);
    else if (word == "--log")
      options.log = argv[i];
    else
      return false;
  }
  return false;
}

std::string v6_of(std::uint8_t number) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "fd77::1:%x", number);
  return text.data();
}

// The far namespace first; it lives on as long as its device does. Then ours, for the command.
bool open_both(const Options& options, int& near, int& far, std::string& why) {
  why = enter_new_network(false);
  if (!why.empty()) why = enter_new_network(true);
  if (!why.empty()) return false;
  far = open_tunnel("far", "10.77.0.2", "fd77::2", why);
  if (far < 0) return false;
  int label = 0;
  for (const auto& [number, path] : options.paths)
    if (!add_address("far", label++, "10.77.1." + std::to_string(number), v6_of(number)))
      return why = "cannot add addresses", false;
  const int kept = ::open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
  if (kept < 0) return why = "cannot keep a namespace", false;
  why = enter_new_network(false);
  if (!why.empty()) return false;
  near = open_tunnel("near", "10.77.0.1", "fd77::1", why);
  return near >= 0;
}

pid_t start(const Options& options) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  std::vector<char*> args;
  for (const std::string& word : options.command) args.push_back(const_cast<char*>(word.c_str()));
  args.push_back(nullptr);
  ::execvp(args[0], args.data());
  std::perror(args[0]);
  ::_exit(127);
}

// The relay goes first wherever it may: what keeps it waiting would look like the network. Not as a
// real-time process: one that never sleeps is kept from running for 50 ms of every second.
void hurry() {
  constexpr int kFirst = -20;
  if (::setpriority(PRIO_PROCESS, 0, kFirst) != 0)
    std::fprintf(stderr, "relay: may not go first, stamps may be late\n");
}

int run_relay(int argc, char** argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    std::fprintf(stderr,
                 "usage: relay [--seed N] [--log FILE] [--ping-range] --path PATH... -- "
                 "COMMAND...\n");
    return kWrongUse;
  }
  int near = -1, far = -1;
  std::string why;
  if (!open_both(options, near, far, why)) {
    std::printf("[skipped] %s\n", why.c_str());
    return kSkipped;
  }
  if (options.ping_range) std::ofstream("/proc/sys/net/ipv4/ping_group_range") << "0 2147483647\n";
  const pid_t child = start(options);
  hurry();
  Relay relay(options, near, far);
  const int status = relay.run(child);
  if (!options.log.empty()) std::ofstream(options.log) << relay.log();
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace
}  // namespace gedge::test

int main(int argc, char** argv) { return gedge::test::run_relay(argc, argv); }
