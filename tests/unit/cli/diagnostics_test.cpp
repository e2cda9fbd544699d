#include "term/diagnostics.hpp"

#include <doctest/doctest.h>

using namespace gedge;
using namespace gedge::cli;

namespace {

std::string printed(const Error& error) {
  Stream err = Stream::in_memory();
  print_error(err, error);
  return err.text();
}

Error at(int line, int column, std::string excerpt, int length = 1) {
  return invalid_input("duration has no unit",
                       {"camera.yaml", line, column, std::move(excerpt), length},
                       "write `25ms` for milliseconds");
}

}  // namespace

TEST_CASE("diagnostics: what and where and how to fix it") {
  CHECK(printed(at(14, 20, "      delayBudget: 25", 2)) ==
        "camera.yaml:14:20: error: duration has no unit\n"
        "   14 |       delayBudget: 25\n"
        "      |                    ^^\n"
        "  fix: write `25ms` for milliseconds\n");
}

TEST_CASE("diagnostics: lines without content are left out") {
  CHECK(printed({Errc::kNotFound, "cannot open site.yml: no such file", {}, {}}) ==
        "gedge: error: cannot open site.yml: no such file\n");
  SourceSpan whole;
  whole.origin = "big.yaml";
  CHECK(printed(invalid_input("too large", whole)) == "big.yaml: error: too large\n");
}

TEST_CASE("diagnostics: carets stand under the text whatever came before it") {
  CHECK(printed(at(1, 2, "\tx: 1")).find("    1 | \\tx: 1\n      |   ^\n") != std::string::npos);
  CHECK(printed(at(1, 8, "\xe6\x9d\xb1: 25", 1)).find("    1 | 東: 25\n") != std::string::npos);
  CHECK(printed(at(1, 6, "\xe6\x9d\xb1: 25", 2)).find("      |     ^^\n") != std::string::npos);
}

TEST_CASE("diagnostics: a span past the end of its line still has its caret") {
  CHECK(printed(at(3, 9, "abc", 5)).find("    3 | abc\n      |    ^\n") != std::string::npos);
}

TEST_CASE("diagnostics: a line of a megabyte is cut to the surroundings of the span") {
  const std::string line = std::string(500'000, 'a') + "HERE" + std::string(500'000, 'b');
  const std::string text = printed(at(1, 500'001, line, 4));
  CHECK(text.size() < 400);
  CHECK(text.find("..aaaa") != std::string::npos);
  const std::size_t excerpt = text.find("    1 | "), carets = text.find("      | ");
  CHECK(text.find("HERE") - excerpt == text.find("^^^^") - carets);
}

TEST_CASE("diagnostics: control characters of the input do not reach the terminal") {
  const std::string text =
      printed(invalid_input("bad name 'a\x1b[31m'", {"x\ny.yaml", 1, 1, "\x1b[2Jname", 1}));
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.starts_with("x\\ny.yaml:1:1: error: bad name 'a\\x1b[31m'\n"));
}

TEST_CASE("diagnostics: of fifty errors of one kind three are shown") {
  Errors errors;
  for (int i = 1; i <= 50; ++i)
    errors.push_back(
        invalid_input("unknown unit '" + std::string(static_cast<std::size_t>(i), 'q') + "'",
                      {"a.yaml", i, 1, "", 1}));
  Stream err = Stream::in_memory();
  print_errors(err, errors);
  CHECK(err.text() ==
        "a.yaml:1:1: error: unknown unit 'q'\n"
        "a.yaml:2:1: error: unknown unit 'qq'\n"
        "a.yaml:3:1: error: unknown unit 'qqq'\n"
        "... and 47 more of this kind\n");
  Stream all = Stream::in_memory();
  print_errors(all, errors, false);
  CHECK(all.text().find("a.yaml:50:1") != std::string::npos);
}

TEST_CASE("diagnostics: different causes are all shown") {
  Errors errors;
  for (const char* what : {"a", "b", "c", "d", "e"}) errors.push_back(invalid_input(what));
  Stream err = Stream::in_memory();
  print_errors(err, errors);
  CHECK(err.text().find("more of this kind") == std::string::npos);
  CHECK(err.text().find("error: e") != std::string::npos);
}

TEST_CASE("diagnostics: warnings are folded by their code") {
  std::vector<Warning> warnings;
  for (int i = 0; i < 10; ++i)
    warnings.push_back({"UnknownLatencyName",
                        'n' + std::string(static_cast<std::size_t>(i), 'o') + " is no node",
                        {}});
  Stream err = Stream::in_memory();
  print_warnings(err, warnings);
  CHECK(err.text() ==
        "gedge: warning: n is no node\n"
        "gedge: warning: no is no node\n"
        "gedge: warning: noo is no node\n"
        "... and 7 more of this kind\n");
}
