#include "gedge/io/file_rights.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <string>

#include "certificates.hpp"
#include "support/folder.hpp"

namespace gedge {

TEST_CASE("file rights: only a file that nobody else may change will do") {
  const test::Folder folder;
  const std::string path = folder.put("config", "text");
  for (const mode_t good : {0600U, 0644U, 0400U, 0755U}) {
    REQUIRE(::chmod(path.c_str(), good) == 0);
    CHECK(check_only_owner_writes(path));
  }
  for (const mode_t bad : {0666U, 0620U, 0602U, 0777U}) {
    REQUIRE(::chmod(path.c_str(), bad) == 0);
    const Status status = check_only_owner_writes(path);
    REQUIRE_FALSE(status);
    CHECK(status.error().code == Errc::kDenied);
    CHECK(status.error().where.origin == path);
    CHECK(status.error().what.starts_with((bad & S_IWOTH) != 0 ? "everybody" : "a group"));
  }
  CHECK(check_only_owner_writes(folder / "none").error().code == Errc::kNotFound);
}

}  // namespace gedge
