#include "completion.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace gedge::cli;

namespace {

bool offers(const std::vector<std::string>& line, const std::string& word) {
  const LineCompletion completion = complete_line(line);
  return std::find(completion.words.begin(), completion.words.end(), word) !=
         completion.words.end();
}

}  // namespace

TEST_CASE("completion: the first word is a command") {
  CHECK(offers({""}, "plan"));
  CHECK(offers({"co"}, "config"));
  CHECK_FALSE(offers({""}, "__complete"));
  CHECK(complete_line({}).words.size() >= 10);
}

TEST_CASE("completion: a flag with a value is followed by its values") {
  CHECK(offers({"plan", "-o", ""}, "wide"));
  CHECK(offers({"plan", "-f", "x", "--rtt-unit", ""}, "ms"));
  CHECK(complete_line({"plan", "-f", ""}).files);
  CHECK(complete_line({"plan", "--profile", ""}).live == "profiles");
  CHECK(complete_line({"plan", "--profile", ""}).files);
  CHECK(complete_line({"plan", "--seed", ""}).words.empty());
  const LineCompletion joined = complete_line({"plan", "--output=j"});
  CHECK(joined.prefix == "--output=");
  CHECK(joined.partial == "j");
  CHECK(std::find(joined.words.begin(), joined.words.end(), "json") != joined.words.end());
}

TEST_CASE("completion: operands are counted between flags") {
  CHECK(complete_line({"why-not", ""}).live == "pods");
  CHECK(complete_line({"why-not", "-f", "x", "pod", "-R", ""}).live == "nodes");
  CHECK(complete_line({"why-not", "pod", "node", ""}).live.empty());
  CHECK(offers({"completion", ""}, "fish"));
  CHECK(offers({"config", ""}, "view"));
  CHECK(offers({"matrix", ""}, "convert"));
  CHECK(complete_line({"matrix", "convert", ""}).files);
  CHECK(complete_line({"matrix", "convert", "a.csv", "-o", "csv", "b.csv", ""}).files);
  CHECK(complete_line({"scale", "explain", ""}).live == "autoscalers");
  CHECK(complete_line({"scale", "recommend", "-f", "x", ""}).live == "workloads");
  CHECK(complete_line({"help", ""}).live == "commands");
  CHECK(complete_line({"help", "config", ""}).live == "subcommands");
}

TEST_CASE("completion: a dash asks for flags") {
  CHECK(offers({"plan", "--"}, "--what-if"));
  CHECK(offers({"matrix", "convert", "--"}, "--names-out"));
  CHECK_FALSE(offers({"matrix", "--"}, "--names-out"));
  CHECK(offers({"plan", "-"}, "--help"));
  CHECK_FALSE(offers({"version", "-"}, "--what-if"));
}

TEST_CASE("completion: every flag has help that ends without a full stop") {
  for (const Described& described : described_commands())
    for (const Flag& flag : described.flags) {
      CAPTURE(described.command->name());
      CAPTURE(flag.name);
      CHECK_FALSE(flag.help.empty());
      CHECK_FALSE((flag.help.ends_with('.') && !flag.help.ends_with("...")));
      CHECK(flag.help.size() <= 50);
    }
}

TEST_CASE("completion: one meaning of a letter in all commands") {
  std::vector<std::pair<char, std::string>> meanings;
  for (const Described& described : described_commands())
    for (const Flag& flag : described.flags) {
      if (flag.letter == 0) continue;
      const auto known = std::find_if(meanings.begin(), meanings.end(),
                                      [&](const auto& m) { return m.first == flag.letter; });
      if (known == meanings.end())
        meanings.emplace_back(flag.letter, flag.name);
      else
        CHECK(known->second == flag.name);
    }
  CHECK(meanings.size() >= 9);
}
