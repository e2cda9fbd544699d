// host/elf.cpp - reads as much of a shared object as tells whether it is a module for this gedge.
//
// Source   System V ABI, chapter 4 (ELF header, sections, symbols) and 5 (program header).
#include <linux/elf.h>

#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "gedge/plugin.h"
#include "host/module_file.hpp"

namespace gedge {
namespace {

constexpr bool kIs64 = sizeof(void*) == 8;
using Header = std::conditional_t<kIs64, Elf64_Ehdr, Elf32_Ehdr>;
using Segment = std::conditional_t<kIs64, Elf64_Phdr, Elf32_Phdr>;
using Section = std::conditional_t<kIs64, Elf64_Shdr, Elf32_Shdr>;
using Symbol = std::conditional_t<kIs64, Elf64_Sym, Elf32_Sym>;

constexpr std::string_view kSymbol = "gedge_module";
constexpr std::string_view kHowToBuild = "build a module with `cc -shared -fPIC`";

struct Machine {
  unsigned number;
  std::string_view name;
};
constexpr std::array kMachines{Machine{EM_X86_64, "x86-64"},   Machine{EM_386, "i386"},
                               Machine{EM_AARCH64, "aarch64"}, Machine{EM_ARM, "arm"},
                               Machine{EM_RISCV, "riscv"},     Machine{EM_PPC64, "ppc64"},
                               Machine{EM_S390, "s390"},       Machine{EM_LOONGARCH, "loongarch"}};

// 0: a machine that is not in the table; then the check is left to the loader.
constexpr unsigned kThisMachine =
#if defined(__x86_64__)
    EM_X86_64;
#elif defined(__i386__)
    EM_386;
#elif defined(__aarch64__)
    EM_AARCH64;
#elif defined(__arm__)
    EM_ARM;
#elif defined(__riscv)
    EM_RISCV;
#elif defined(__powerpc64__)
    EM_PPC64;
#elif defined(__s390__)
    EM_S390;
#elif defined(__loongarch__)
    EM_LOONGARCH;
#else
    0;
#endif

std::string name_of(unsigned machine) {
  for (const Machine& known : kMachines)
    if (known.number == machine) return std::string(known.name);
  return "machine " + std::to_string(machine);
}

// A table of equal records; empty if the file is too short for it.
template <typename T>
std::optional<std::vector<T>> table(const ModuleFile& file, std::uint64_t offset,
                                    std::uint64_t count) {
  if (count > file.size() / sizeof(T)) return std::nullopt;
  std::vector<T> records(count);
  if (!file.read(offset, records.data(), count * sizeof(T))) return std::nullopt;
  return records;
}

class ElfCheck {
 public:
  ElfCheck(const ModuleFile& file, const std::string& path) : file_(file), path_(path) {}
  Status run() {
    GEDGE_TRY(check_identity());
    GEDGE_TRY(check_kind());
    GEDGE_TRY(read_tables());
    return check_module();
  }

 private:
  Error refuse(std::string what, std::string_view hint = {}) const {
    return module_error(path_, std::move(what), std::string(hint));
  }
  Error cut_off() const { return refuse("the shared object is cut off", "copy or build it again"); }
  Status check_identity();
  Status check_kind() const;
  Status read_tables();
  Status check_module() const;
  bool is_module_symbol(const Symbol& symbol, const std::vector<char>& names) const;
  Status check_info(std::uint64_t address) const;

  const ModuleFile& file_;
  const std::string& path_;
  Header header_{};
  std::vector<Segment> segments_;
  std::vector<Section> sections_;
};

Status ElfCheck::check_identity() {
  std::array<unsigned char, EI_NIDENT> identity{};
  if (!file_.read(0, identity.data(), SELFMAG) ||
      std::memcmp(identity.data(), ELFMAG, SELFMAG) != 0)
    return refuse("this is no shared object", kHowToBuild);
  if (!file_.read(0, identity.data(), identity.size())) return cut_off();
  if (identity[EI_CLASS] != (kIs64 ? ELFCLASS64 : ELFCLASS32))
    return refuse(kIs64 ? "the module is not built for a 64-bit machine"
                        : "the module is not built for a 32-bit machine",
                  "build it with the compiler that built gedge");
  constexpr bool kLittle = std::endian::native == std::endian::little;
  if (identity[EI_DATA] != (kLittle ? ELFDATA2LSB : ELFDATA2MSB))
    return refuse("the module is built for a machine of the other byte order",
                  "build it with the compiler that built gedge");
  if (!file_.read(0, &header_, sizeof header_)) return cut_off();
  return {};
}

Status ElfCheck::check_kind() const {
  if (kThisMachine != 0 && header_.e_machine != kThisMachine)
    return refuse("the module is built for " + name_of(header_.e_machine) +
                      ", and this gedge for " + name_of(kThisMachine),
                  "build it with the compiler that built gedge");
  if (header_.e_type == ET_REL)
    return refuse("this is an object file, not a shared object", kHowToBuild);
  if (header_.e_type != ET_DYN)
    return refuse("this is a program, not a shared object", kHowToBuild);
  return {};
}

Status ElfCheck::read_tables() {
  if (header_.e_phentsize != sizeof(Segment) || header_.e_phnum == 0)
    return refuse("this is no shared object: it has nothing to load", kHowToBuild);
  auto segments = table<Segment>(file_, header_.e_phoff, header_.e_phnum);
  if (!segments) return cut_off();
  for (const Segment& segment : *segments)
    if (segment.p_type == PT_LOAD && !file_.holds(segment.p_offset, segment.p_filesz))
      return cut_off();
  segments_ = *std::move(segments);
  if (header_.e_shoff == 0 || header_.e_shentsize != sizeof(Section)) return {};
  auto sections = table<Section>(file_, header_.e_shoff, header_.e_shnum);
  if (!sections) return cut_off();
  sections_ = *std::move(sections);
  return {};
}

bool ElfCheck::is_module_symbol(const Symbol& symbol, const std::vector<char>& names) const {
  if (symbol.st_shndx == SHN_UNDEF || symbol.st_name >= names.size()) return false;
  return std::string_view(names.data() + symbol.st_name) == kSymbol;
}

Status ElfCheck::check_module() const {
  bool has_symbols = false;
  for (const Section& section : sections_) {
    if (section.sh_type != SHT_DYNSYM || section.sh_link >= sections_.size()) continue;
    const Section& text = sections_[section.sh_link];
    const auto symbols = table<Symbol>(file_, section.sh_offset, section.sh_size / sizeof(Symbol));
    auto names = table<char>(file_, text.sh_offset, text.sh_size);
    if (!symbols || !names) return cut_off();
    names->push_back('\0');
    has_symbols = true;
    for (const Symbol& symbol : *symbols)
      if (is_module_symbol(symbol, *names)) return check_info(symbol.st_value);
  }
  if (!has_symbols) return {};
  return refuse("this shared object is no policy module: it does not export `gedge_module`",
                "include gedge/plugin.h and define `const gedge_module_info gedge_module`");
}

// The numbers at the front of gedge_module need no relocation, so they lie in the file as they will
// lie in memory.
Status ElfCheck::check_info(std::uint64_t address) const {
  std::array<std::uint32_t, 2> info{};  // abi, size
  bool found = false;
  for (const Segment& segment : segments_) {
    if (segment.p_type != PT_LOAD || address < segment.p_vaddr ||
        address - segment.p_vaddr >= segment.p_filesz)
      continue;
    const std::uint64_t offset = segment.p_offset + (address - segment.p_vaddr);
    found = file_.read(offset, info.data(), sizeof info);
  }
  if (!found)
    return refuse("`gedge_module` holds nothing", "give it its fields where it is defined");
  return check_module_info(path_, info[0], info[1]);
}

}  // namespace

Status check_elf(const ModuleFile& file, const std::string& path) {
  return ElfCheck(file, path).run();
}

Status check_module_info(const std::string& path, std::uint32_t abi, std::uint32_t size) {
  if (abi != GEDGE_PLUGIN_ABI)
    return module_error(path,
                        "the module is written for version " + std::to_string(abi) +
                            " of the module contract, and this gedge for version " +
                            std::to_string(GEDGE_PLUGIN_ABI),
                        "build it with the gedge/plugin.h of this gedge");
  if (size < sizeof(gedge_module_info) || size > kLargestStruct)
    return module_error(path,
                        "`gedge_module` says that it has " + std::to_string(size) +
                            " bytes, and it has " + std::to_string(sizeof(gedge_module_info)),
                        "set its size to sizeof(gedge_module_info)");
  return {};
}

}  // namespace gedge
