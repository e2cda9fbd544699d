// Files that are refused, and what is said of each.
#include <fcntl.h>
#include <sys/stat.h>

#include <cstdlib>
#include <vector>

#include "gedge/plugin.h"
#include "module_support.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

namespace fs = std::filesystem;

// Refused, and not a line of its code ran.
std::string refused_unread(const std::string& path) {
  ::unsetenv("GEDGE_TEST_MODULE_RAN");
  const Error error = refusal(path);
  CHECK_MESSAGE(std::getenv("GEDGE_TEST_MODULE_RAN") == nullptr, path);
  return error.what;
}

constexpr char kGood[] = "good";

}  // namespace

TEST_CASE("modules: a good one is loaded and says what it has") {
  ::unsetenv("GEDGE_TEST_MODULE_RAN");
  const Modules modules = loaded({module_path(kGood)});
  CHECK(std::getenv("GEDGE_TEST_MODULE_RAN") != nullptr);
  REQUIRE(modules.policies().size() == 1);
  const ModulePolicy& policy = modules.policies()[0];
  CHECK(policy.info.name == "GoodOne");
  CHECK_FALSE(policy.info.filter);
  CHECK(policy.info.score);
  CHECK(policy.info.formula == "length of the name");
  CHECK(policy.info.range == "0 and up");
  CHECK(policy.info.source == "tests");
  CHECK(policy.module == module_path(kGood));
  CHECK(modules.score_names() == std::vector<std::string>{"GoodOne"});
  CHECK(modules.filter_names().empty());
  CHECK(modules.filter("GoodOne") == nullptr);
  CHECK(modules.score("BadOne") == nullptr);
  CHECK_FALSE(modules.failure());
}

TEST_CASE("modules: what can be told from the file is refused before its code runs") {
  CHECK(refused_unread(module_path("wrong_abi")) ==
        "the module is written for version 2 of the module contract, and this gedge for version 1");
  CHECK(refused_unread(module_path("wrong_size")) ==
        "`gedge_module` says that it has 8 bytes, and it has 24");
  CHECK(refused_unread(module_path("huge_size")) ==
        "`gedge_module` says that it has 5000 bytes, and it has 24");
  CHECK(refused_unread(module_path("no_symbol")) ==
        "this shared object is no policy module: it does not export `gedge_module`");
  CHECK(refused_unread(module_path("empty_symbol")) ==
        "the module is written for version 0 of the module contract, and this gedge for version 1");
}

TEST_CASE("modules: a policy outside the contract is refused by name") {
  const auto what = [](const char* name) { return refusal(module_path(name)).what; };
  CHECK(what("no_policies") == "the module has no policies");
  CHECK(what("too_many") ==
        "the module says that it has 100000 policies, and at most 1000 are allowed");
  CHECK(what("null_policy") == "policy 1 of the module is null");
  CHECK(what("policy_size") == "a policy of the module says that it has 64 bytes, and it has " +
                                   std::to_string(sizeof(gedge_policy)));
  CHECK(what("newer") == "policy 0 of the module uses fields that this gedge does not know");
  CHECK(what("built_in_name") == "gedge itself has a policy 'NodeName'");
  CHECK(what("bad_name") == "'good-one' is no name of a policy");
  CHECK(what("no_name") == "a policy of the module has no name");
  CHECK(what("same_name_twice") == "the module has two policies 'GoodOne'");
  CHECK(what("unknown_reads") == "policy 'GoodOne' reads things that this gedge does not know: 64");
  CHECK(what("unknown_normalize") ==
        "policy 'GoodOne' names a normalisation that this gedge does not know: 4");
  CHECK(what("neither") == "policy 'GoodOne' is neither a filter nor a score");
  CHECK(what("two_lines") ==
        "policy 'GoodOne' has a formula that is not one line of at most 255 bytes");
  CHECK(what("undefined").find("nobody_defines_this") != std::string::npos);
}

TEST_CASE("modules: a struct with later fields is taken where those are not used") {
  CHECK(loaded({module_path("newer_unused")}).score_names() == std::vector<std::string>{"GoodOne"});
}

TEST_CASE("modules: two modules with one name cannot be loaded together") {
  const auto both = Modules::load({module_path(kGood), module_path("twin")});
  REQUIRE_FALSE(both);
  CHECK(both.error().where.origin == module_path("twin"));
  CHECK(both.error().what == "policy 'GoodOne' is also in " + module_path(kGood));
}

TEST_CASE("modules: what is no module file is refused") {
  const Scratch scratch;
  CHECK(refusal(scratch.file("missing.so")).what == "cannot open the module: no such file");
  CHECK(refusal(scratch.path().string()).what == "a module is a file, and this is none");
  const std::string fifo = scratch.file("fifo.so");
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  CHECK(refusal(fifo).what == "a module is a file, and this is none");
  CHECK(refusal(scratch.write("text.so", "apiVersion: v1\n")).what == "this is no shared object");
  CHECK(refusal(scratch.write("empty.so", "")).what == "this is no shared object");
  CHECK(refusal((programs_dir() / "unit_host").string()).what ==
        "this shared object is no policy module: it does not export `gedge_module`");
  fs::create_symlink("nowhere.so", scratch.path() / "dangling.so");
  CHECK(refusal(scratch.file("dangling.so")).what == "cannot open the module: no such file");
}

TEST_CASE("modules: what everybody may write to or replace is refused before its code runs") {
  const Scratch scratch;
  const std::string copy = scratch.file("copy.so");
  fs::copy_file(module_path(kGood), copy);
  REQUIRE(::chmod(copy.c_str(), 0666) == 0);
  CHECK(refused_unread(copy) == "everybody may write to this module");
  REQUIRE(::chmod(copy.c_str(), 0644) == 0);
  REQUIRE(::chmod(scratch.path().c_str(), 0777) == 0);
  const std::string open_folder = "everybody may replace this module: its folder " +
                                  fs::canonical(scratch.path()).string() + " is open to all";
  CHECK(refused_unread(copy) == open_folder);

  const Scratch elsewhere;  // a link in a safe folder does not make the file safe
  fs::create_symlink(copy, elsewhere.path() / "link.so");
  CHECK(refused_unread(elsewhere.file("link.so")) == open_folder);
  fs::create_symlink(module_path(kGood), scratch.path() / "link.so");
  CHECK(refused_unread(scratch.file("link.so")).find("is open to all") != std::string::npos);

  REQUIRE(::chmod(scratch.path().c_str(), 01777) == 0);
  CHECK(Modules::load({copy}));
  CHECK(Modules::load({elsewhere.file("link.so")}));
}

TEST_CASE("modules: a path without a slash is a file of this folder, not of the search path") {
  const fs::path before = fs::current_path();
  const Scratch scratch;
  fs::copy_file(module_path(kGood), scratch.path() / "libc.so.6");
  fs::current_path(scratch.path());
  const auto modules = Modules::load({"libc.so.6"});
  fs::current_path(before);
  REQUIRE(modules);
  CHECK(modules->score_names() == std::vector<std::string>{"GoodOne"});
}

TEST_CASE("modules: nothing to load is no error") {
  const Modules none = loaded({});
  CHECK(none.policies().empty());
  CHECK_FALSE(none.failure());
}
