#include "flags.hpp"

#include <doctest/doctest.h>

using namespace gedge;
using namespace gedge::cli;

namespace {

struct Options {
  std::vector<std::string> files;
  std::string output = "table", pod;
  bool recursive = false, all = false;
};

FlagSet flags_for(Options& options) {
  FlagSet flags;
  flags.add({.name = "filename", .letter = 'f', .value = "FILE", .shapes_answer = true},
            options.files);
  flags.add({.name = "recursive", .letter = 'R', .shapes_answer = true}, options.recursive);
  flags.add({.name = "all", .letter = 'A'}, options.all);
  flags.add(
      {.name = "output", .letter = 'o', .value = "FORMAT", .words = {"table", "json", "yaml"}},
      options.output);
  flags.add({.name = "POD", .value = "POD", .operand = true, .required = true}, options.pod);
  return flags;
}

// The error's text, or "" where the words are accepted.
std::string error_of(const std::vector<std::string>& args, Options& options) {
  FlagSet flags = flags_for(options);
  bool help = false;
  const Status status = flags.parse(args, help);
  return status ? ""
                : status.error().what +
                      (status.error().hint.empty() ? "" : " | " + status.error().hint);
}

std::string error_of(const std::vector<std::string>& args) {
  Options options;
  return error_of(args, options);
}

}  // namespace

TEST_CASE("flags: every spelling of kubectl is read") {
  for (const std::vector<std::string>& args : std::vector<std::vector<std::string>>{
           {"web", "-f", "a.yaml", "-R", "-o", "json"},
           {"-f", "a.yaml", "-Ro", "json", "web"},
           {"-fa.yaml", "-R", "-ojson", "web"},
           {"-f=a.yaml", "-R=true", "-o=json", "web"},
           {"--filename=a.yaml", "--recursive", "--output=json", "web"},
           {"--filename", "a.yaml", "-Ro=json", "--", "web"}}) {
    Options options;
    CHECK(error_of(args, options) == "");
    CHECK(options.files == std::vector<std::string>{"a.yaml"});
    CHECK(options.recursive);
    CHECK_FALSE(options.all);
    CHECK(options.output == "json");
    CHECK(options.pod == "web");
  }
}

TEST_CASE("flags: a repeated list grows and the last single value wins") {
  Options options;
  CHECK(error_of({"-f", "a", "-f", "-", "-o", "json", "-o", "yaml", "web"}, options) == "");
  CHECK(options.files == std::vector<std::string>{"a", "-"});
  CHECK(options.output == "yaml");
}

TEST_CASE("flags: a list does not swallow the operand behind it") {
  Options options;
  CHECK(error_of({"-f", "a", "web"}, options) == "");
  CHECK(options.files == std::vector<std::string>{"a"});
  CHECK(options.pod == "web");
}

TEST_CASE("flags: behind two dashes everything is an operand") {
  Options options;
  CHECK(error_of({"--", "-f"}, options) == "");
  CHECK(options.pod == "-f");
}

TEST_CASE("flags: an unknown flag gets the nearest one") {
  CHECK(error_of({"web", "--filname", "x"}) ==
        "unknown flag '--filname' | did you mean `--filename`?");
  CHECK(error_of({"web", "--filname=x"}) ==
        "unknown flag '--filname' | did you mean `--filename`?");
  CHECK(error_of({"web", "-x"}) == "unknown flag '-x'");
  CHECK(error_of({"web", "-Rx"}) == "unknown flag '-x'");
}

TEST_CASE("flags: a missing or superfluous value is named") {
  CHECK(error_of({"web", "-f"}) == "flag '-f' needs a value");
  CHECK(error_of({"web", "--filename="}) == "flag '--filename' needs a value");
  CHECK(error_of({"web", "-R=x"}) == "flag '-R' takes no value");
  CHECK(error_of({"web", "--recursive=yes"}) == "flag '--recursive' takes no value");
}

TEST_CASE("flags: a word outside the list gets the nearest one") {
  CHECK(error_of({"web", "-o", "jsn"}) ==
        "unknown value 'jsn' for --output | did you mean `json`?");
  CHECK(error_of({"web", "-o", "xml-like"}) ==
        "unknown value 'xml-like' for --output | use table, json or yaml");
}

TEST_CASE("flags: operands are counted") {
  CHECK(error_of({}) == "missing operand POD");
  CHECK(error_of({"a", "b"}) == "unexpected argument 'b' | write `-f` before each file");
}

TEST_CASE("flags: two operands keep their order and lists around them") {
  std::string pod, node;
  std::vector<std::string> files;
  FlagSet flags;
  flags.add({.name = "POD", .value = "POD", .operand = true, .required = true}, pod);
  flags.add({.name = "NODE", .value = "NODE", .operand = true, .required = true}, node);
  flags.add({.name = "filename", .letter = 'f', .value = "FILE"}, files);
  bool help = false;
  REQUIRE(flags.parse({"web", "-f", "a", "edge-1", "-f", "b"}, help));
  CHECK(pod == "web");
  CHECK(node == "edge-1");
  CHECK(files == std::vector<std::string>{"a", "b"});
}

TEST_CASE("flags: the rest of a line is taken as it is") {
  std::vector<std::string> rest;
  FlagSet flags;
  flags.add_rest(rest);
  bool help = false;
  REQUIRE(flags.parse({"pods", "-f", "--help", "--nonsense="}, help));
  CHECK_FALSE(help);
  CHECK(rest == std::vector<std::string>{"pods", "-f", "--help", "--nonsense="});
}

TEST_CASE("flags: help wins over everything but two dashes") {
  Options options;
  FlagSet flags = flags_for(options);
  bool help = false;
  CHECK(flags.parse({"-h"}, help));
  CHECK(help);
  CHECK(flags.parse({"web", "--help", "--nonsense"}, help));
  CHECK(help);
}

TEST_CASE("flags: a hundred thousand flags and odd bytes are read or refused") {
  std::vector<std::string> many{"web"};
  for (int i = 0; i < 100'000; ++i) many.insert(many.end(), {"-f", "x"});
  Options options;
  CHECK(error_of(many, options) == "");
  CHECK(options.files.size() == 100'000);
  CHECK(error_of({"web", "-\xff"}) == "unknown flag '-\xff'");
  CHECK(error_of({std::string(2'000'000, 'x')}) == "");
}

TEST_CASE("flags: what shaped the answer can be typed again") {
  Options options;
  FlagSet flags = flags_for(options);
  bool help = false;
  REQUIRE(flags.parse({"web", "-f", "a.yaml", "-o", "json", "-f", "it's here.yaml", "-R"}, help));
  CHECK(flags.retyped() == " -f a.yaml -f 'it'\\''s here.yaml' -R");
}

TEST_CASE("flags: a flag is given where it stands, with its fallback too") {
  Options options;
  FlagSet flags = flags_for(options);
  bool help = false;
  REQUIRE(flags.parse({"web", "-o", "table", "--recursive=false", "--all"}, help));
  std::vector<std::string> given;
  for (const Flag& flag : flags.flags())
    if (flags.is_given(flag)) given.push_back(flag.name);
  CHECK(given == std::vector<std::string>{"all", "output", "POD"});
}

TEST_CASE("flags: leading flags end where the first word stands") {
  Options options;
  const FlagSet flags = flags_for(options);
  CHECK(flags.leading_flags({"-f", "x", "-R", "plan", "-o", "json"}) == 3);
  CHECK(flags.leading_flags({"--filename=x", "plan"}) == 1);
  CHECK(flags.leading_flags({"-f"}) == 1);
  CHECK(flags.leading_flags({"plan"}) == 0);
}

TEST_CASE("flags: a second one is an error where the flag says so, else the last one counts") {
  const auto parse = [](const std::vector<std::string>& args, std::string& name) {
    std::string pid;
    FlagSet flags;
    flags.add({.name = "pid", .value = "PID", .once = true}, pid);
    flags.add({.name = "name", .value = "NAME"}, name);
    bool help = false;
    return flags.parse(args, help);
  };
  std::string name;
  CHECK(parse({"--name", "a", "--pid", "1", "--name", "b"}, name));
  CHECK(name == "b");
  const Status twice = parse({"--pid", "1", "--pid=1"}, name);
  REQUIRE_FALSE(twice);
  CHECK(twice.error().what == "flag '--pid' is given twice");
}

TEST_CASE("flags: a command without -- before it is said, whatever flags it has") {
  std::vector<std::string> command;
  FlagSet flags;
  flags.add_behind_dashes(command);
  bool help = false;
  const Status bare = flags.parse({"sh", "-c", "true"}, help);
  REQUIRE_FALSE(bare);
  CHECK(bare.error().what == "unexpected argument 'sh'");
  CHECK(bare.error().hint == "write `--` before the command");
  CHECK(flags.parse({"--", "sh", "-c", "true"}, help));
  CHECK(command == std::vector<std::string>{"sh", "-c", "true"});
}
