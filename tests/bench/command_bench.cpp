// How long the command takes, start to end, beside a program that does nothing.
//
// The programs run in turn, so that a busy machine slows both; the median of many runs is printed.
// On a shared machine absolute times move by a factor of two or three; the ratio does not.
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

extern char** environ;

namespace {

using Command = std::vector<std::string>;

/// Seconds from spawn to exit, with stdout and stderr thrown away. Ends the program where the
/// command cannot be started or exits with more than 1 (0 and 1 are answers).
double run(const Command& command) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", 1, 0);
  posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", 1, 0);
  const auto start = std::chrono::steady_clock::now();
  pid_t child = 0;
  int status = 0;
  const int spawned = posix_spawn(&child, argv[0], &quiet, nullptr, argv.data(), environ);
  if (spawned == 0) waitpid(child, &status, 0);
  const auto stop = std::chrono::steady_clock::now();
  posix_spawn_file_actions_destroy(&quiet);
  if (spawned != 0 || !WIFEXITED(status) || WEXITSTATUS(status) > 1) {
    std::fprintf(stderr, "cannot run %s\n", argv[0]);
    std::exit(1);
  }
  return std::chrono::duration<double>(stop - start).count();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void compare(const char* what, const Command& command, const Command& empty, int rounds) {
  std::vector<double> times, floor;
  for (int i = 0; i < rounds; ++i) {
    times.push_back(run(command));
    floor.push_back(run(empty));
  }
  std::printf("%-22s %7.2f ms   empty program %5.2f ms   ratio %5.2f\n", what, 1e3 * median(times),
              1e3 * median(floor), median(times) / median(floor));
}

}  // namespace

int main() {
  const std::string gedge = GEDGE_PROGRAMS_DIR "/gedge", site = GEDGE_SOURCE_DIR "/examples/site/";
  if (!std::filesystem::exists(gedge)) {
    std::fprintf(stderr, "%s is not built\n", gedge.c_str());
    return 1;
  }
  const Command empty{GEDGE_PROGRAMS_DIR "/bench_empty"};
  const Command plan{gedge,   "plan",           "--cluster", site + "nodes.yaml",
                     "--rtt", site + "rtt.csv", "-f",        site + "app.yaml"};
  Command explain = plan;
  explain[1] = "explain";
  explain.insert(explain.begin() + 2, "archive-0");
  compare("gedge --version", {gedge, "--version"}, empty, 400);
  compare("plan the quickstart", plan, empty, 100);
  compare("explain the quickstart", explain, empty, 100);
}
