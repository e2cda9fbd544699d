// host/module_file.hpp - what can be told about a module by reading it, before its code runs.
#pragma once

#include <cstdint>
#include <string>

#include "gedge/base/result.hpp"

namespace gedge {

/// A readable regular file; nothing of it is executed.
class ModuleFile {
 public:
  /// Errors: kInvalidInput if it cannot be opened, is no regular file, or everybody may write to it
  /// or replace it.
  static Result<ModuleFile> open(const std::string& path);
  ModuleFile(ModuleFile&& other) noexcept;
  ModuleFile& operator=(ModuleFile&&) = delete;
  ~ModuleFile();

  std::uint64_t size() const { return size_; }
  bool holds(std::uint64_t offset, std::uint64_t length) const {
    return offset <= size_ && length <= size_ - offset;
  }
  /// Fills `out`; false if the file ends before or cannot be read.
  bool read(std::uint64_t offset, void* out, std::size_t length) const;

 private:
  ModuleFile(int descriptor, std::uint64_t size) : descriptor_(descriptor), size_(size) {}
  int descriptor_;
  std::uint64_t size_;
};

/// The path as dlopen wants it: absolute, so that no search path is consulted.
std::string absolute_path(const std::string& path);

/// Refuses whatever is not a complete shared object for this machine that exports `gedge_module`
/// with this ABI. A file without section headers passes: then only loading can tell.
Status check_elf(const ModuleFile& file, const std::string& path);

/// Checks the two numbers at the front of `gedge_module`.
Status check_module_info(const std::string& path, std::uint32_t abi, std::uint32_t size);

/// No struct of the contract will ever be larger, in bytes: a size beyond it is not a size.
inline constexpr std::uint32_t kLargestStruct = 4096;

/// An error about a module: kInvalidInput, at the path.
Error module_error(const std::string& path, std::string what, std::string hint = {});

}  // namespace gedge
