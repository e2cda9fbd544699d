// unit/host/module_support.hpp - where the modules of the tests lie, and folders to spoil copies
// in.
#pragma once

#include <doctest/doctest.h>
#include <stdlib.h>  // mkdtemp, setenv

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "gedge/host/modules.hpp"
#include "gedge/plan/planner.hpp"
#include "support/paths.hpp"
#include "support/site_builder.hpp"

namespace gedge::test {

inline std::string module_path(const std::string& name) {
  return (programs_dir().parent_path() / "modules" / (name + ".so")).string();
}

inline std::string plugin_path(const std::string& name) {
  return (programs_dir().parent_path() / "lib/gedge/plugins" / (name + ".so")).string();
}

/// A folder of one's own under the folder for temporary files; gone afterwards.
class Scratch {
 public:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "gedge-host-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return file(name);
  }

 private:
  std::filesystem::path path_;
};

inline std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  REQUIRE_MESSAGE(in, path);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The error of loading one file; fails if it loads.
inline Error refusal(const std::string& path) {
  const auto modules = Modules::load({path});
  REQUIRE_FALSE_MESSAGE(modules, path);
  CHECK(modules.error().code == Errc::kInvalidInput);
  CHECK(modules.error().where.origin == path);
  return modules.error();
}

inline Modules loaded(const std::vector<std::string>& paths,
                      ModuleChecks checks = ModuleChecks::kFirstEvaluation) {
  auto modules = Modules::load(paths, checks);
  REQUIRE_MESSAGE(modules, modules.error().where.origin, ": ", modules.error().what);
  return *std::move(modules);
}

inline PlanRequest request_of(const Facts& facts, const RttMatrix& rtt, Profile profile,
                              const PolicySource* modules) {
  PlanRequest request;
  request.facts = &facts;
  request.rtt = &rtt;
  request.profiles = {std::move(profile)};
  request.modules = modules;
  return request;
}

}  // namespace gedge::test
