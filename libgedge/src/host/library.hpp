// host/library.hpp - one loaded module and its policies, checked and copied.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gedge/base/result.hpp"
#include "gedge/plugin.h"

namespace gedge {

/// A policy of a module. Texts and lists are copies: a module cannot change them afterwards.
struct LoadedPolicy {
  std::string name, formula, range, source;
  std::vector<std::string> pod_labels, pod_annotations;
  /// What this gedge knows of the struct; only numbers and functions are to be used.
  gedge_policy functions{};

  bool reads(std::uint32_t what) const {
    return (functions.reads & (what | GEDGE_READS_ANYTHING)) != 0;
  }
};

/// Stays loaded as long as anybody holds it.
class Library {
 public:
  /// Errors: as Modules::load, names apart that others have.
  static Result<std::shared_ptr<const Library>> open(const std::string& path);
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library();

  const std::string& path() const { return path_; }
  const std::vector<LoadedPolicy>& policies() const { return policies_; }

 private:
  explicit Library(std::string path) : path_(std::move(path)) {}
  Status load();
  Status read_policies(const gedge_module_info& info);

  std::string path_;
  void* handle_ = nullptr;
  std::vector<LoadedPolicy> policies_;
};

/// Checks one policy and copies it. Errors: kInvalidInput at `path`.
Result<LoadedPolicy> read_policy(const std::string& path, const gedge_policy& policy);

/// True for one line of UTF-8 without control characters, at most `longest` bytes.
bool is_line(const char* text, std::size_t longest);

}  // namespace gedge
