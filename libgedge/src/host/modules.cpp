// host/modules.cpp - loaded modules as a source of policies.
#include "gedge/host/modules.hpp"

#include <algorithm>
#include <utility>

#include "host/instance.hpp"
#include "host/module_file.hpp"

namespace gedge {
namespace {

std::uint8_t reads_of(const LoadedPolicy& policy) {
  unsigned reads = 0;
  if (policy.functions.reads & GEDGE_READS_NODE) reads |= kRowStatic;
  if (policy.functions.reads & GEDGE_READS_USAGE) reads |= kRowUsage;
  if (policy.functions.reads & GEDGE_READS_ANYTHING) reads |= kOpaque;
  return static_cast<std::uint8_t>(reads);
}

void sign_keys(const Labels& labels, const std::vector<std::string>& keys, Signature& signature) {
  for (const std::string& key : keys) {
    const std::string* value = labels.find(key);
    signature.add(std::uint64_t{value != nullptr});
    if (value != nullptr) signature.add(*value);
  }
}

// Signs what the policy may read; `Question` sees to it that it reads no more.
bool sign_pod(const LoadedPolicy& policy, const PodFacts& pod, Signature& signature) {
  if (policy.reads(GEDGE_READS_ANYTHING)) return false;
  sign_keys(pod.labels(), policy.pod_labels, signature);
  sign_keys(pod.spec->annotations, policy.pod_annotations, signature);
  if (policy.reads(GEDGE_READS_POD_NAMESPACE)) signature.add(pod.namespace_name());
  if (policy.reads(GEDGE_READS_POD_REQUESTS)) {
    signature.add(pod.requests.size());
    for (const Amount& amount : pod.requests) {
      signature.add(std::uint64_t{raw(amount.resource)});
      signature.add(static_cast<std::uint64_t>(amount.amount));
    }
  }
  if (policy.reads(GEDGE_READS_POD_BUDGETS)) {
    signature.add(pod.spec->budgets.size());
    for (const DelayBudget& budget : pod.spec->budgets) {
      signature.add(budget.from);
      signature.add(static_cast<std::uint64_t>(budget.limit_us));
    }
  }
  return true;
}

const ModuleState& state_of(const ClassState* state) {
  return *static_cast<const ModuleState*>(state);
}

class ModuleFilter final : public FilterPolicy {
 public:
  explicit ModuleFilter(std::shared_ptr<Instance> instance) : instance_(std::move(instance)) {}
  std::string_view name() const override { return instance_->policy().name; }
  std::uint8_t reads() const override { return reads_of(instance_->policy()); }
  bool sign(const PodFacts& pod, Signature& signature) const override {
    return sign_pod(instance_->policy(), pod, signature);
  }
  std::unique_ptr<ClassState> prepare(const ClassContext& context) const override {
    return std::make_unique<ModuleState>(instance_, context);
  }
  void filter(const ClassContext& context, const ClassState* state, Rows rows, NodeMask& feasible,
              Recorder* recorder) const override;

 private:
  std::shared_ptr<Instance> instance_;
};

// A module that failed rejects nothing: the run is void anyway.
void ModuleFilter::filter(const ClassContext& context, const ClassState* state, Rows rows,
                          NodeMask& feasible, Recorder* recorder) const {
  const auto open = [&] {
    for (std::uint32_t row = rows.first; row < rows.last; ++row)
      if (feasible.test(NodeIndex{row})) return true;
    return false;
  };
  if (!open()) return;
  const auto verdicts = instance_->verdicts(context, state_of(state), rows);
  // Without evicting anybody or with: what depends on the nodes alone stays as it is.
  const bool fixed = (reads() & ~kRowStatic) == 0;
  for (std::uint32_t i = 0; i < verdicts.size(); ++i) {
    const NodeIndex node{rows.first + i};
    if (verdicts[i] != 0 || !feasible.test(node)) continue;
    feasible.clear(node);
    if (recorder == nullptr) continue;
    Evidence evidence;
    evidence.reason = Reason::kModule;
    evidence.verdict = fixed ? Verdict::kUnresolvable : Verdict::kUnschedulable;
    evidence.subject = instance_->reason(context, state_of(state), node);
    recorder->reject(node, std::move(evidence));
  }
}

class ModuleScore final : public ScorePolicy {
 public:
  explicit ModuleScore(std::shared_ptr<Instance> instance) : instance_(std::move(instance)) {}
  std::string_view name() const override { return instance_->policy().name; }
  std::uint8_t reads() const override { return reads_of(instance_->policy()); }
  bool sign(const PodFacts& pod, Signature& signature) const override {
    return sign_pod(instance_->policy(), pod, signature);
  }
  std::unique_ptr<ClassState> prepare(const ClassContext& context) const override {
    return std::make_unique<ModuleState>(instance_, context);
  }
  Normalize normalize(const ClassContext&, const ClassState*) const override;
  void score(const ClassContext& context, const ClassState* state, Rows rows,
             std::span<std::int64_t> raw) const override {
    const auto scores = instance_->scores(context, state_of(state), rows);
    if (scores.empty()) std::fill(raw.begin(), raw.end(), 0);
    std::copy(scores.begin(), scores.end(), raw.begin());
  }

 private:
  std::shared_ptr<Instance> instance_;
};

Normalize ModuleScore::normalize(const ClassContext&, const ClassState*) const {
  switch (instance_->policy().functions.normalize) {
    case GEDGE_NORMALIZE_MAX:
      return Normalize::kMax;
    case GEDGE_NORMALIZE_MAX_REVERSE:
      return Normalize::kMaxReverse;
    case GEDGE_NORMALIZE_MIN_MAX:
      return Normalize::kMinMax;
    default:
      return Normalize::kNone;
  }
}

struct Entry {
  std::shared_ptr<const Library> library;
  const LoadedPolicy* policy = nullptr;
};

Status check_name(const std::vector<Entry>& known, const Entry& entry) {
  const std::string &name = entry.policy->name, &path = entry.library->path();
  for (const PolicyInfo& info : policy_catalogue())
    if (info.name == name)
      return module_error(path, "gedge itself has a policy '" + name + "'",
                          "give the policy of the module another name");
  for (const Entry& other : known) {
    if (other.policy->name != name) continue;
    if (other.library == entry.library)
      return module_error(path, "the module has two policies '" + name + "'");
    return module_error(path, "policy '" + name + "' is also in " + other.library->path(),
                        "load one of the two modules");
  }
  return {};
}

bool has_entry(const std::vector<ProfileEntry>& entries, std::string_view policy) {
  return std::any_of(entries.begin(), entries.end(),
                     [&](const ProfileEntry& entry) { return entry.policy == policy; });
}

}  // namespace

struct Modules::Parts {
  const Entry* find(std::string_view name) const {
    for (const Entry& entry : entries)
      if (entry.policy->name == name) return &entry;
    return nullptr;
  }
  std::shared_ptr<Instance> instance(const Entry& entry) const {
    return std::make_shared<Instance>(entry.library, *entry.policy, failures, checks);
  }

  ModuleChecks checks = ModuleChecks::kFirstEvaluation;
  std::vector<Entry> entries;
  std::vector<ModulePolicy> policies;
  std::shared_ptr<FailureBox> failures = std::make_shared<FailureBox>();
};

Result<Modules> Modules::load(const std::vector<std::string>& paths, ModuleChecks checks) {
  auto parts = std::make_unique<Parts>();
  parts->checks = checks;
  for (const std::string& path : paths) {
    auto library = Library::open(path);
    if (!library) return std::move(library).error();
    for (const LoadedPolicy& policy : (*library)->policies()) {
      const Entry entry{*library, &policy};
      GEDGE_TRY(check_name(parts->entries, entry));
      parts->entries.push_back(entry);
      const gedge_policy& has = policy.functions;
      parts->policies.push_back({{policy.name, has.filter != nullptr, has.score != nullptr,
                                  policy.formula, policy.range, policy.source, true, true},
                                 (*library)->path()});
    }
  }
  return Modules(std::move(parts));
}

Modules::Modules(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Modules::Modules(Modules&&) noexcept = default;
Modules& Modules::operator=(Modules&&) noexcept = default;
Modules::~Modules() = default;

std::unique_ptr<FilterPolicy> Modules::filter(std::string_view name) const {
  const Entry* entry = parts_->find(name);
  if (entry == nullptr || entry->policy->functions.filter == nullptr) return nullptr;
  return std::make_unique<ModuleFilter>(parts_->instance(*entry));
}

std::unique_ptr<ScorePolicy> Modules::score(std::string_view name) const {
  const Entry* entry = parts_->find(name);
  if (entry == nullptr || entry->policy->functions.score == nullptr) return nullptr;
  return std::make_unique<ModuleScore>(parts_->instance(*entry));
}

std::optional<Error> Modules::failure() const { return parts_->failures->first(); }

const std::vector<ModulePolicy>& Modules::policies() const { return parts_->policies; }

std::vector<std::string> Modules::filter_names() const {
  std::vector<std::string> names;
  for (const ModulePolicy& policy : policies())
    if (policy.info.filter) names.emplace_back(policy.info.name);
  return names;
}

std::vector<std::string> Modules::score_names() const {
  std::vector<std::string> names;
  for (const ModulePolicy& policy : policies())
    if (policy.info.score) names.emplace_back(policy.info.name);
  return names;
}

Profile with_modules(Profile profile, const Modules& modules) {
  for (const ModulePolicy& policy : modules.policies()) {
    const PolicyInfo& info = policy.info;
    if (has_entry(profile.filters, info.name) || has_entry(profile.scores, info.name)) continue;
    const ProfileEntry entry{std::string(info.name), 1, {}};
    const bool budget_last =
        !profile.filters.empty() && profile.filters.back().policy == "DelayBudget";
    if (info.filter) profile.filters.insert(profile.filters.end() - (budget_last ? 1 : 0), entry);
    if (info.score) profile.scores.push_back(entry);
  }
  return profile;
}

}  // namespace gedge
