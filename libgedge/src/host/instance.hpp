// host/instance.hpp - one use of one policy: calls the module and checks every answer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gedge/host/modules.hpp"
#include "gedge/plugin.h"
#include "gedge/policy/policy.hpp"
#include "host/failure.hpp"
#include "host/library.hpp"
#include "host/questions.hpp"

namespace gedge {

class Instance;

/// What a module prepared for one class of equal pods, and which rows were asked about twice.
class ModuleState final : public ClassState {
 public:
  ModuleState(std::shared_ptr<Instance> instance, const ClassContext& context);
  ModuleState(const ModuleState&) = delete;
  ModuleState& operator=(const ModuleState&) = delete;
  ~ModuleState() override;

  const void* prepared() const { return prepared_; }
  /// Prepared a second time from the same facts: answers must not depend on which one is used.
  const void* twin() const { return twin_; }
  bool is_checked(Rows rows) const;
  void set_checked(Rows rows) const;

 private:
  std::shared_ptr<Instance> instance_;
  void *prepared_ = nullptr, *twin_ = nullptr;
  mutable NodeMask checked_;
};

class Instance {
 public:
  /// `policy` belongs to `library`. Calls `create`.
  Instance(std::shared_ptr<const Library> library, const LoadedPolicy& policy,
           std::shared_ptr<FailureBox> failures, ModuleChecks checks);
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
  ~Instance();

  const LoadedPolicy& policy() const { return policy_; }
  bool failed() const { return failures_->any(); }
  /// Reports what the policy did; the run is void.
  void fail(const std::string& what);

  /// Null once anything has failed.
  void* prepare(const ClassContext& context);
  void release(void* prepared);

  /// 0 or 1 for each of `rows`; empty if the module broke the contract. Valid until the next call.
  std::span<const std::uint8_t> verdicts(const ClassContext& context, const ModuleState& state,
                                         Rows rows);
  /// Raw scores, within the range of the policy's normalisation.
  std::span<const std::int64_t> scores(const ClassContext& context, const ModuleState& state,
                                       Rows rows);
  /// Why `node` was rejected.
  std::string reason(const ClassContext& context, const ModuleState& state, NodeIndex node);

 private:
  template <typename T>
  struct Answers;
  template <typename T>
  bool ask(const ClassContext& context, const void* prepared, Rows rows, std::vector<T>& out);
  template <typename T>
  bool is_alike(const ClassContext& context, const ModuleState& state, Rows rows);
  template <typename T>
  std::span<const T> answers(const ClassContext& context, const ModuleState& state, Rows rows);
  template <typename T>
  bool accept(const ClassContext& context, Rows rows, const std::vector<T>& padded);
  template <typename F>
  auto guarded(const char* function, F&& call) -> std::optional<decltype(call())>;

  std::shared_ptr<const Library> library_;
  const LoadedPolicy& policy_;
  std::shared_ptr<FailureBox> failures_;
  ModuleChecks checks_;
  void* self_ = nullptr;
  std::vector<std::uint8_t> verdicts_, verdicts_again_;
  std::vector<std::int64_t> scores_, scores_again_;
};

}  // namespace gedge
