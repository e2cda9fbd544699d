// host/library.cpp - from a path to a loaded module.
#include "host/library.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <utility>

#include "host/module_file.hpp"

namespace gedge {
namespace {

// More policies than a module has; a larger number is no number of policies.
constexpr std::uint32_t kMostPolicies = 1000;

std::string loader_error() {
  const char* text = ::dlerror();
  return text == nullptr ? "unknown reason" : text;
}

// Bytes behind what this gedge knows belong to fields that it does not know. Zero: not used.
bool uses_unknown_fields(const void* record, std::uint32_t size, std::size_t known) {
  const auto* bytes = static_cast<const unsigned char*>(record);
  return size > known &&
         std::any_of(bytes + known, bytes + size, [](unsigned char b) { return b; });
}

Error unknown_fields(const std::string& path, const std::string& what) {
  return module_error(path, what + " uses fields that this gedge does not know",
                      "use a newer gedge, or build it with the gedge/plugin.h of this one");
}

}  // namespace

Result<std::shared_ptr<const Library>> Library::open(const std::string& path) {
  {
    auto file = ModuleFile::open(path);
    if (!file) return std::move(file).error();
    GEDGE_TRY(check_elf(*file, path));
  }
  std::shared_ptr<Library> library(new Library(path));
  GEDGE_TRY(library->load());
  return std::shared_ptr<const Library>(std::move(library));
}

Library::~Library() {
  if (handle_ != nullptr) ::dlclose(handle_);
}

Status Library::load() {
  handle_ = ::dlopen(absolute_path(path_).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr)
    return module_error(path_, "the module cannot be loaded: " + loader_error());
  const void* symbol = ::dlsym(handle_, "gedge_module");
  if (symbol == nullptr) return module_error(path_, "the module does not export `gedge_module`");
  const auto& info = *static_cast<const gedge_module_info*>(symbol);
  GEDGE_TRY(check_module_info(path_, info.abi, info.size));
  if (info.reserved != 0 || uses_unknown_fields(symbol, info.size, sizeof info))
    return unknown_fields(path_, "the module");
  return read_policies(info);
}

Status Library::read_policies(const gedge_module_info& info) {
  if (info.policy_count == 0 || info.policies == nullptr)
    return module_error(path_, "the module has no policies");
  if (info.policy_count > kMostPolicies)
    return module_error(path_, "the module says that it has " + std::to_string(info.policy_count) +
                                   " policies, and at most " + std::to_string(kMostPolicies) +
                                   " are allowed");
  for (std::uint32_t i = 0; i < info.policy_count; ++i) {
    const gedge_policy* policy = info.policies[i];
    if (policy == nullptr)
      return module_error(path_, "policy " + std::to_string(i) + " of the module is null");
    if (policy->size > sizeof(gedge_policy) && policy->size <= kLargestStruct &&
        uses_unknown_fields(policy, policy->size, sizeof(gedge_policy)))
      return unknown_fields(path_, "policy " + std::to_string(i) + " of the module");
    auto read = read_policy(path_, *policy);
    if (!read) return std::move(read).error();
    policies_.push_back(*std::move(read));
  }
  return {};
}

}  // namespace gedge
