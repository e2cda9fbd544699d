// Shared objects for other machines, cut off, or damaged.
#include <linux/elf.h>

#include <cstddef>
#include <cstring>

#include "host/module_file.hpp"
#include "module_support.hpp"
#include "support/dice.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

using Header = std::conditional_t<sizeof(void*) == 8, Elf64_Ehdr, Elf32_Ehdr>;

// What is said of the good module with its header changed.
template <typename Change>
std::string said_of(const Scratch& scratch, Change change) {
  std::string bytes = bytes_of(module_path("good"));
  Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  change(header);
  std::memcpy(bytes.data(), &header, sizeof header);
  return refusal(scratch.write("changed.so", bytes)).what;
}

}  // namespace

TEST_CASE("modules: another class, byte order, machine or kind of ELF is named") {
  const Scratch scratch;
  CHECK(said_of(scratch, [](Header& h) { h.e_ident[EI_CLASS] ^= 3; }).find("-bit machine") !=
        std::string::npos);
  CHECK(said_of(scratch, [](Header& h) { h.e_ident[EI_DATA] ^= 3; }) ==
        "the module is built for a machine of the other byte order");
  const std::string other =
      said_of(scratch, [](Header& h) { h.e_machine = h.e_machine == EM_ARM ? EM_S390 : EM_ARM; });
  CHECK(other.substr(0, 27) == "the module is built for arm");
  CHECK(said_of(scratch, [](Header& h) { h.e_type = ET_REL; }) ==
        "this is an object file, not a shared object");
  CHECK(said_of(scratch, [](Header& h) { h.e_type = ET_EXEC; }) ==
        "this is a program, not a shared object");
  CHECK(said_of(scratch, [](Header& h) { h.e_phnum = 0; }) ==
        "this is no shared object: it has nothing to load");
}

TEST_CASE("modules: a shared object that is cut off anywhere is refused") {
  const Scratch scratch;
  const std::string bytes = bytes_of(module_path("good"));
  for (std::size_t length = 0; length < bytes.size(); length += length < 200 ? 1 : 61) {
    const std::string what = refusal(scratch.write("cut.so", bytes.substr(0, length))).what;
    CHECK_MESSAGE(
        what == (length < SELFMAG ? "this is no shared object" : "the shared object is cut off"),
        length);
  }
  CHECK(refusal(scratch.write("cut.so", bytes.substr(0, bytes.size() - 1))).what ==
        "the shared object is cut off");
}

TEST_CASE("modules: reading a damaged shared object neither crashes nor takes it for complete") {
  const Scratch scratch;
  const std::string bytes = bytes_of(module_path("good"));
  constexpr std::uint64_t kSeed = 7;
  Dice dice(kSeed);
  std::size_t refused = 0;
  for (int round = 0; round < 1500; ++round) {
    std::string damaged = bytes;
    // Headers at the front and section headers at the end; the rest is data.
    const bool front = dice.chance(50);
    const std::size_t span = front ? 1024 : std::min<std::size_t>(bytes.size(), 2048);
    for (std::size_t i = 1 + dice.below(8); i > 0; --i)
      damaged[(front ? 0 : bytes.size() - span) + dice.below(span)] =
          static_cast<char>(dice.next());
    const std::string path = scratch.write("damaged.so", damaged);
    const auto file = ModuleFile::open(path);
    REQUIRE(file);
    if (!check_elf(*file, path)) ++refused;
  }
  MESSAGE("seed ", kSeed, ": ", refused, " of 1500 refused");
  CHECK(refused > 100);
}
