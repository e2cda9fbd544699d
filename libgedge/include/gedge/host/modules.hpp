// gedge/host/modules.hpp - policies from shared objects that keep to gedge/plugin.h.
//
//   auto modules = Modules::load({"zone-allowed.so"});
//   if (!modules) return fail(modules.error());
//   request.profiles = {with_modules(*std::move(profile), *modules)};
//   request.modules = &*modules;
//
// A module is trusted not to harm the process that it runs in. What it answers is not trusted:
// whatever breaks the contract of plugin.h ends the run with an error that names the module, the
// policy and what it did.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/base/result.hpp"
#include "gedge/plan/engine.hpp"
#include "gedge/policy/profile.hpp"

namespace gedge {

/// One policy of a loaded module.
struct ModulePolicy {
  PolicyInfo info;          ///< its texts live as long as the Modules
  std::string_view module;  ///< the path as it was given
};

/// When a question is asked twice, to see whether a policy answers it alike.
enum class ModuleChecks : std::uint8_t {
  kFirstEvaluation,  ///< for each class of equal pods and each row: the first time
  kEveryEvaluation,  ///< always; for whoever writes a module
};

/// Loaded modules. Policies made here keep their module loaded, so they may outlive the Modules.
class Modules final : public PolicySource {
 public:
  /// Loads in the given order. Whatever can be told from the file is checked before any code of it
  /// runs: a regular ELF shared object for this machine, complete, which exports `gedge_module` of
  /// this ABI; neither the file nor the folder it lies in writable by everybody (a sticky folder
  /// such as /tmp is fine). Errors: kInvalidInput with the path; for files, ABI, sizes, and for
  /// names that are not CamelCase, that gedge has, or that come twice. Cost: O(size of the files).
  static Result<Modules> load(const std::vector<std::string>& paths,
                              ModuleChecks checks = ModuleChecks::kFirstEvaluation);
  Modules(Modules&&) noexcept;
  Modules& operator=(Modules&&) noexcept;
  ~Modules() override;

  std::unique_ptr<FilterPolicy> filter(std::string_view name) const override;
  std::unique_ptr<ScorePolicy> score(std::string_view name) const override;
  /// The first breach of the contract by any policy made here; it stays. Thread-safe.
  std::optional<Error> failure() const override;

  /// In the order of loading.
  const std::vector<ModulePolicy>& policies() const;
  /// Names for ProfileOptions::module_filters and module_scores.
  std::vector<std::string> filter_names() const;
  std::vector<std::string> score_names() const;

 private:
  struct Parts;
  explicit Modules(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

/// The profile with every policy of the modules that it does not name: filters after its own, but
/// before a DelayBudget that comes last; scores with weight 1. A policy that the profile names
/// stays as the profile has it.
Profile with_modules(Profile profile, const Modules& modules);

}  // namespace gedge
