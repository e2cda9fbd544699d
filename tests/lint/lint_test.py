"""The lint finds what it is there to find, and leaves good code alone."""

import os
import tempfile
import unittest

from lint import lint

GOOD_HEADER = "#pragma once\nnamespace gedge {\nstruct A {};\n}  // namespace gedge\n"


class LintTest(unittest.TestCase):
    def found(self, files, base=True):
        """Rules broken by a tree of {path: text}, as sorted 'path:line rule' strings."""
        tree = {"libgedge/include/gedge/base/a.hpp": GOOD_HEADER} if base else {}
        tree.update(files)
        with tempfile.TemporaryDirectory() as top:
            for path, text in tree.items():
                os.makedirs(os.path.dirname(os.path.join(top, path)), exist_ok=True)
                with open(os.path.join(top, path), "w", encoding="utf-8") as stream:
                    stream.write(text)
            return sorted(f"{v.path}:{v.line} {v.rule}" for v in lint(top))

    def expect(self, path, text, *rules, **others):
        """`text` at `path` breaks exactly these 'line rule's."""
        found = self.found({path: text, **others.get("beside", {})})
        self.assertEqual(found, sorted(f"{path}:{rule}" for rule in rules))

    def include(self, path, header, *rules, beside=()):
        line = f"#include {header}\n" if header[0] == "<" else f'#include "{header}"\n'
        self.expect(path, line, *rules, beside={name: GOOD_HEADER for name in beside})

    # Floors -----------------------------------------------------------------------------------

    def test_lower_floor_is_fine(self):
        self.include("libgedge/src/model/x.cpp", "gedge/base/a.hpp")

    def test_own_room_is_fine(self):
        self.include("libgedge/src/base/x.cpp", "gedge/base/a.hpp")

    def test_higher_floor(self):
        self.include("libgedge/src/base/x.cpp", "gedge/model/m.hpp", "1 floor",
                     beside=["libgedge/include/gedge/model/m.hpp"])

    def test_neighbour(self):
        self.include("libgedge/include/gedge/verify/x.hpp", "gedge/snapshot/m.hpp", "1 floor",
                     beside=["libgedge/include/gedge/snapshot/m.hpp"])

    def test_wing(self):
        for room, rules in (("port", []), ("codec", []), ("plan", ["1 floor"])):
            self.include("libgedge/src/io/x.cpp", f"gedge/{room}/m.hpp", *rules,
                         beside=[f"libgedge/include/gedge/{room}/m.hpp"])
        self.include("libgedge/src/host/x.cpp", "gedge/io/m.hpp", "1 floor",
                     beside=["libgedge/include/gedge/io/m.hpp"])

    def test_unknown_room(self):
        self.include("libgedge/src/attic/x.cpp", "gedge/base/a.hpp", "1 floor")

    def test_missing_header(self):
        self.include("libgedge/src/model/x.cpp", "gedge/base/gone.hpp", "1 floor")

    def test_private_header(self):
        beside = ["libgedge/src/plan/order.hpp"]
        self.include("libgedge/src/plan/x.cpp", "plan/order.hpp", beside=beside)
        self.include("tests/unit/plan/x_test.cpp", "plan/order.hpp", beside=beside)
        self.include("tests/bench/plan/x_bench.cpp", "plan/order.hpp", beside=beside)
        self.include("libgedge/src/codec/x.cpp", "plan/order.hpp", "1 private", beside=beside)
        self.include("cli/src/x.cpp", "plan/order.hpp", "1 private", beside=beside)
        self.include("tests/integration/x_test.cpp", "plan/order.hpp", "1 private", beside=beside)

    def test_relative_include(self):
        self.include("libgedge/src/plan/x.cpp", "order.hpp", "1 private",
                     beside=["libgedge/src/plan/order.hpp"])

    def test_command_headers(self):
        beside = ["cli/src/term/table.hpp"]
        self.include("cli/src/cmd_plan.cpp", "term/table.hpp", beside=beside)
        self.include("examples/x.cpp", "term/table.hpp", "1 private", beside=beside)

    def test_module_sees_the_abi_only(self):
        self.include("plugins/x/x.c", "gedge/base/a.hpp", "1 floor")
        self.include("plugins/x/x.c", "gedge/plugin.h", beside=["libgedge/include/gedge/plugin.h"])

    # Prisons ----------------------------------------------------------------------------------

    def test_prisons(self):
        cells = {
            "<CLI/CLI.hpp>": "cli/src/a.cpp", "<rang.hpp>": "cli/src/term/a.cpp",
            "<yaml.h>": "libgedge/src/codec/a.cpp", "<simdjson.h>": "libgedge/src/codec/a.cpp",
            "<nlohmann/json.hpp>": "tests/unit/plan/a_test.cpp",
            "<xxhash.h>": "libgedge/src/codec/a.cpp",
            "<doctest/doctest.h>": "tests/unit/base/a_test.cpp",
            "<dlfcn.h>": "libgedge/src/host/a.cpp",
            "<expat.h>": "libgedge/src/io/machine_xml.cpp",
            "<sys/stat.h>": "libgedge/src/io/a.cpp",
        }
        for header, cell in cells.items():
            self.include(cell, header)
            self.include("libgedge/src/plan/a.cpp", header, "1 prison")
            self.include("libgedge/include/gedge/codec/a.hpp", header, "1 prison")
        self.include("libgedge/src/codec/a.cpp", "<rapidjson/document.h>", "1 prison")
        self.include("cli/src/a.cpp", "<nlohmann/json.hpp>", "1 prison")

    def test_commented_include_does_not_count(self):
        self.expect("libgedge/src/plan/a.cpp", "// #include <yaml.h>\n/*\n#include <yaml.h>\n*/\n")

    # Shape ------------------------------------------------------------------------------------

    @staticmethod
    def function(lines, head="int f()"):
        return head + " {\n" + "  g();\n" * (lines - 2) + "}\n"

    def test_function_length(self):
        heads = [
            "int f()", "auto f() -> std::vector<int>", "bool A::operator()(int a) const",
            "template <class T>\nvoid f(T t) noexcept", "A::A(int a) : a_(a), b_{a}",
            "struct stat f(struct stat* s)", "int f(A a = {}, B b = {1, 2})", "TEST_CASE(\"a b\")",
            "static const std::vector<int>& f(const std::map<int, std::string>& m)",
        ]
        for head in heads:
            line = head.count("\n") + 1
            with self.subTest(head):
                self.expect("libgedge/src/base/x.cpp", self.function(60, head))
                self.expect("libgedge/src/base/x.cpp", self.function(61, head),
                            f"{line} function-length")

    def test_function_inside_types_and_namespaces(self):
        text = "namespace a::b {\nenum class E : int { kA };\n"
        text += "class [[nodiscard]] C final : public D<int> {\n"
        text += " public:\n" + self.function(61, "  C() : x_{1}, y_(2)") + "  int x_{0};\n};\n}\n"
        self.expect("libgedge/src/base/x.cpp", text, "5 function-length")

    def test_tables_and_types_may_be_long(self):
        rows = "    {1, 2},\n" * 100
        self.expect("libgedge/src/base/x.cpp", "constexpr A kTable[] = {\n" + rows + "};\n")
        self.expect("libgedge/src/base/x.cpp", "const std::map<int, int> kTable{\n" + rows + "};\n")
        self.expect("libgedge/src/base/x.cpp", "struct A {\n" + "  int f();\n" * 100 + "};\n")

    def test_braces_in_literals_and_comments_do_not_count(self):
        text = 'const char* a = "{"; const char b = \'{\'; // {\n/* { */ auto c = R"x({ " )x";\n'
        self.expect("libgedge/src/base/x.cpp", text + self.function(60) + self.function(60))

    def test_digit_separators_are_no_literals(self):
        self.expect("libgedge/src/base/x.cpp", "int a = 1'000'000;\n" + self.function(61),
                    "2 function-length")

    def test_nesting(self):
        four = "void f() {\n  if (a) {\n for (;;) {\n while (b) {\n switch (c) {\n"
        self.expect("libgedge/src/base/x.cpp", four + "}\n}\n}\n}\n}\n")
        self.expect("libgedge/src/base/x.cpp", four + "default: if (d) {\n}\n}\n}\n}\n}\n}\n")
        self.expect("libgedge/src/base/x.cpp", four + "if (A{1}.b) {\n" + "}\n" * 6, "1 nesting")

    def test_file_length(self):
        self.expect("libgedge/src/base/x.cpp", "int a;\n" * 600)
        self.expect("libgedge/src/base/x.cpp", "int a;\n" * 601, "601 file-length")
        self.expect("cli/src/main.cpp", "int a;\n" * 31, "31 file-length")

    def test_line_length_counts_characters(self):
        self.expect("libgedge/src/base/x.cpp", "// " + "é" * 97 + "\n")
        self.expect("libgedge/src/base/x.cpp", "// " + "é" * 98 + "\n", "1 line-length")

    def test_trailing_blanks(self):
        self.expect("tests/run.sh", "a \n", "1 blanks")

    # Words ------------------------------------------------------------------------------------

    def test_words(self):
        planted = {
            "silence": ["std::cout << 1;", "printf(a);", "std::fprintf(f, a);", "puts(a);"],
            "no-exit": ["exit(1);", "std::abort();", "::_exit(0);"],
            "no-clock": ["std::chrono::steady_clock::now();", "clock_gettime(a);",
                         "time(nullptr);"],
            "no-chance": ["std::random_device a;", "rand();"],
            "no-sleep": ["std::this_thread::sleep_for(a);"],
            "shared-ptr": ["std::shared_ptr<int> a;", "std::make_shared<int>();"],
        }
        for rule, lines in planted.items():
            for line in lines:
                with self.subTest(line):
                    self.expect("libgedge/src/plan/x.cpp", f"\n{line}\n", f"2 {rule}")
                    self.expect("libgedge/src/plan/x.cpp", f"// {line}\nauto a = \"{line}\";\n")

    def test_words_that_only_look_alike(self):
        self.expect("libgedge/src/plan/x.cpp",
                    "std::snprintf(a, b, c); on_exit(); x.exit(); a.time(b); known();\n")

    def test_clock_lives_in_io(self):
        self.expect("libgedge/src/io/x.cpp", "std::chrono::steady_clock::now();\n")
        self.expect("cli/src/x.cpp", "std::chrono::steady_clock::now();\n", "1 no-clock")

    def test_using_namespace(self):
        self.expect("libgedge/include/gedge/base/x.hpp", "using namespace std;\n",
                    "1 using-namespace")
        self.expect("libgedge/src/base/x.cpp", "using namespace std::literals;\n")

    def test_promise(self):
        self.expect("libgedge/src/base/x.cpp", "// TO" "DO later\n", "1 promise")
        self.expect("tests/x.sh", "# FIX" "ME\n", "1 promise")

    # Test names -------------------------------------------------------------------------------

    def test_names(self):
        self.expect("tests/unit/base/x_test.cpp", "TEST_CASE(\"a-b: 1.5, c_d/e's\") {}\n")
        for bad in ("a; b", 'a\\"b', "a*", "(a)", " a"):
            self.expect("tests/unit/base/x_test.cpp", f'TEST_CASE("{bad}") {{}}\n', "1 test-name")
        self.expect("tests/unit/base/x_test.cpp", 'TEST_CASE("a" "; b") {}\n', "1 test-name")
        self.expect("tests/unit/base/x_test.cpp", 'TEST_CASE_FIXTURE(F, "a;b") {}\n', "1 test-name")

    def test_same_name_twice(self):
        self.expect("tests/unit/base/x_test.cpp", 'TEST_CASE("Ab") {}\nTEST_CASE("aB") {}\n',
                    "2 test-name")


if __name__ == "__main__":
    unittest.main()
