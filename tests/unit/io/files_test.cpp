#include "gedge/io/files.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "support/folder.hpp"

using namespace gedge;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kPlenty = 1 << 20;

std::size_t entries(const std::string& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("files: bytes come back as they lie on disk") {
  const test::Folder folder;
  const std::string bytes("a\0b\r\n\xff", 6);
  folder.put("x.yaml", bytes);
  const auto read = DiskFiles{}.read(folder / "x.yaml", kPlenty);
  REQUIRE(read);
  CHECK(*read == bytes);
  CHECK(read->capacity() >= bytes.size() + 64);
}

TEST_CASE("files: the limit itself is read, one byte more is refused") {
  const test::Folder folder;
  folder.put("x", std::string(100, 'x'));
  CHECK(DiskFiles{}.read(folder / "x", 100));
  const auto refused = DiskFiles{}.read(folder / "x", 99);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Errc::kInvalidInput);
  CHECK(refused.error().where.origin == folder / "x");
}

TEST_CASE("files: a device without an end stops at the limit") {
  const auto refused = DiskFiles{}.read("/dev/zero", kPlenty);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Errc::kInvalidInput);
}

TEST_CASE("files: a missing file names the similar one beside it") {
  const test::Folder folder;
  folder.put("site.yaml", "");
  const auto missing = DiskFiles{}.read(folder / "site.yml", kPlenty);
  REQUIRE_FALSE(missing);
  CHECK(missing.error().code == Errc::kNotFound);
  CHECK(missing.error().what == "cannot open " + (folder / "site.yml") + ": no such file");
  CHECK(missing.error().hint == "did you mean " + (folder / "site.yaml") + "?");
  CHECK(DiskFiles{}.read(folder / "frobnicate", kPlenty).error().hint.empty());
}

TEST_CASE("files: a directory is no file and a file no directory") {
  const test::Folder folder;
  folder.put("x", "");
  CHECK(DiskFiles{}.read(folder.path().string(), kPlenty).error().code == Errc::kInvalidInput);
  CHECK(DiskFiles{}.is_directory(folder.path().string()));
  CHECK_FALSE(DiskFiles{}.is_directory(folder / "x"));
  CHECK_FALSE(DiskFiles{}.list(folder / "x", false));
  CHECK(DiskFiles{}.list(folder / "nowhere", false).error().code == Errc::kNotFound);
}

TEST_CASE("files: a listing is sorted and goes down only when asked to and never through links") {
  const test::Folder folder;
  folder.put("b.yaml", "");
  folder.put("a/z.yaml", "");
  folder.put("B.yaml", "");
  fs::create_directory_symlink(folder.path().string(), folder / "a/loop");
  fs::create_symlink(folder / "b.yaml", folder / "linked.yaml");
  ::mkfifo((folder / "pipe").c_str(), 0600);
  const auto flat = DiskFiles{}.list(folder.path().string(), false);
  REQUIRE(flat);
  CHECK(*flat == std::vector{folder / "B.yaml", folder / "b.yaml", folder / "linked.yaml"});
  const auto deep = DiskFiles{}.list(folder.path().string(), true);
  REQUIRE(deep);
  CHECK(*deep == std::vector{folder / "B.yaml", folder / "a/z.yaml", folder / "b.yaml",
                             folder / "linked.yaml"});
}

TEST_CASE(
    "files: a replaced file has the new bytes and the old permissions and nothing beside it") {
  const test::Folder folder;
  folder.put("plan.json", "old");
  fs::permissions(folder / "plan.json", fs::perms::owner_read | fs::perms::owner_write);
  REQUIRE(DiskFiles{}.replace(folder / "plan.json", "new"));
  CHECK(*DiskFiles{}.read(folder / "plan.json", kPlenty) == "new");
  CHECK(fs::status(folder / "plan.json").permissions() ==
        (fs::perms::owner_read | fs::perms::owner_write));
  CHECK(entries(folder.path().string()) == 1);
}

TEST_CASE("files: a new file follows the umask") {
  const test::Folder folder;
  const mode_t before = ::umask(027);
  const Status written = DiskFiles{}.replace(folder / "plan.json", "x");
  ::umask(before);
  REQUIRE(written);
  CHECK((static_cast<unsigned>(fs::status(folder / "plan.json").permissions()) & 0777u) == 0640u);
}

TEST_CASE("files: writing through a link keeps the link") {
  const test::Folder folder;
  folder.put("real.json", "old");
  fs::create_symlink("real.json", folder / "link.json");
  REQUIRE(DiskFiles{}.replace(folder / "link.json", "new"));
  CHECK(fs::is_symlink(folder / "link.json"));
  CHECK(*DiskFiles{}.read(folder / "real.json", kPlenty) == "new");
}

TEST_CASE("files: a full disk is refused with the reason of the system") {
  const Status full = DiskFiles{}.replace("/dev/full", "x");
  REQUIRE_FALSE(full);
  CHECK(full.error().code == Errc::kDenied);
  CHECK(full.error().what == "cannot write /dev/full: no space left on device");
  CHECK(DiskFiles{}.replace("/dev/null", "x"));
}

TEST_CASE("files: a folder that is not there or that refuses leaves nothing behind") {
  const test::Folder folder;
  CHECK(DiskFiles{}.replace(folder / "no/plan.json", "x").error().what ==
        "cannot write " + (folder / "no/plan.json") + ": no such directory");
  CHECK_FALSE(DiskFiles{}.replace(folder.path().string(), "x"));
  CHECK(entries(folder.path().string()) == 0);
  CHECK_FALSE(DiskFiles{}.replace("/proc/gedge-plan.json", "x"));
}
