#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>

#include "integration/cli/gedge.hpp"
#include "support/folder.hpp"

using namespace gedge::test;

namespace {

// A site that takes long enough to plan for a terminal to see progress.
std::string many_pods(int count) {
  return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: many}\nspec:\n  replicas: " +
         std::to_string(count) +
         "\n  selector: {matchLabels: {app: many}}\n  template:\n    metadata: {labels: {app: "
         "many}}\n"
         "    spec: {containers: [{name: c, image: c}]}\n";
}

}  // namespace

TEST_CASE("streams: a reader that leaves is a quiet success") {
  RunOptions options;
  options.close_out = true;
  for (const std::vector<std::string>& args :
       std::vector<std::vector<std::string>>{{"policies"}, {"help"}, {"completion", "bash"}}) {
    const Ran ran = run_gedge(args, options);
    CHECK(ran.exit == 0);
    CHECK(ran.err.empty());
  }
}

TEST_CASE("streams: without a standard output the answer goes into no file, and that is told") {
  const Folder folder;
  RunOptions options;
  options.no_out = true;
  options.folder = folder.path();
  folder.put("camera.yaml", kCamera);
  const Ran ran =
      run_gedge({"plan", "--cluster", kSite, "-f", "camera.yaml", "--out", "plan.json"}, options);
  CHECK(ran.exit == 4);
  CHECK(ran.err.ends_with("gedge: error: cannot write standard output: bad file descriptor\n"));
  CHECK(read_file(folder / "plan.json").find("POD\t") == std::string::npos);
}

TEST_CASE("streams: a standard output that is full is refused by the world") {
  RunOptions options;
  options.out_file = "/dev/full";
  const Ran ran = run_gedge({"policies"}, options);
  CHECK(ran.exit == 4);
  CHECK(ran.err == "gedge: error: cannot write standard output: no space left on device\n");
}

TEST_CASE("streams: an interrupt ends with a newline and 130 and leaves no file") {
  const Folder folder;
  RunOptions options;
  options.folder = folder.path();
  options.hold_input = true;
  options.err_columns = 80;
  options.signal_after_start = SIGINT;  // the progress line is the first byte
  const Ran ran = run_gedge(
      {"plan", "--cluster", "synthetic:nodes=300,pods=1000", "-f", "-", "--out", "plan.json"},
      options);
  CHECK(ran.exit == 130);
  CHECK(ran.out.empty());
  CHECK(ran.err.ends_with("\r\x1b[K\n"));
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("streams: progress is one line on a terminal and gone at the end") {
  const Folder folder;
  RunOptions options;
  options.folder = folder.path();
  options.err_columns = 80;
  options.input = many_pods(20'000);
  options.hold_input = true;  // until the run has lasted long enough to show progress
  const std::vector<std::string> args{
      "plan", "--cluster", "synthetic:nodes=200,pods=1000", "-f", "-", "-o", "name"};
  const Ran ran = run_gedge(args, options);
  CHECK(ran.exit == 0);
  CHECK(ran.err.find("planning  [") != std::string::npos);
  CHECK(ran.err.find('\n') == std::string::npos);
  CHECK(ran.err.ends_with("\r\x1b[K"));
  options.hold_input = false;
  std::vector<std::string> quiet = args;
  quiet.push_back("-q");
  CHECK(run_gedge(quiet, options).err.empty());
  options.err_columns = 0;
  CHECK(run_gedge(args, options).err.empty());
}
