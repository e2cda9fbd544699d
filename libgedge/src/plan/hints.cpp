#include "gedge/plan/hints.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>
#include <utility>

#include "gedge/base/result.hpp"
#include "gedge/latency/clusters.hpp"
#include "gedge/policy/delay.hpp"

namespace gedge {
namespace {

// Templates of others cannot be changed.
constexpr std::array<std::string_view, 4> kKinds{"Deployment", "StatefulSet", "DaemonSet",
                                                 "ReplicaSet"};

// What a controller says of one roll-out: pods of a template that was changed bear other values.
constexpr std::array<std::string_view, 3> kOfRollout{
    "controller-revision-hash", "pod-template-generation", "pod-template-hash"};
// What it says of one pod for good.
constexpr std::array<std::string_view, 2> kOfPod{"apps.kubernetes.io/pod-index",
                                                 "statefulset.kubernetes.io/pod-name"};

bool is_ours(const PodAffinityTerm& term) { return term.topology_key.starts_with(kGroupLabel); }

// Whether a term asks for that.
bool says(const PodAffinityTerm& term, const WorkloadHint::Beside& beside) {
  const std::vector<Requirement>& asked = term.selector.requirements;
  const bool has_namespace = term.namespaces == std::vector<std::string>{beside.namespace_name};
  return term.topology_key == beside.label && has_namespace && !term.namespace_selector &&
         asked.size() == beside.peers.size() && term.selector.matches(beside.peers);
}

std::string full_name(const Pod& pod) {
  return pod.workload_kind + " " + pod.namespace_name + "/" + pod.workload_name;
}

class HintMaker {
 public:
  explicit HintMaker(const HintRequest& request)
      : request_(request),
        cluster_(*request.facts, *request.rtt, StateOptions{Compat::k1_36, request.rtt_by}) {}

  Status add_names() {
    for (const std::string& name : request_.from) {
      DelayTarget target;
      if (const auto node = cluster_.find_node(name)) {
        target.kind = DelayTarget::Kind::kPeerNodes;
        target.nodes = {*node};
      } else if (const auto other = cluster_.rtt().find(name)) {
        target.kind = DelayTarget::Kind::kMatrixName;
        target.name = *other;
      } else {
        return Error{Errc::kNotFound,
                     "'" + name + "' is no node, and nothing was measured from it",
                     {},
                     "`gedge matrix show` lists the names"};
      }
      const std::string label = std::string(kRttLabel) + name;
      if (!is_label_key(label)) return invalid_input("'" + name + "' is too long for a label");
      label_nodes(label, target, false);
    }
    return {};
  }

  void add_workloads() {
    std::set<Key> seen;
    for (std::uint32_t i = 0; i < cluster_.pod_count(); ++i) {
      const Pod& pod = cluster_.pod(PodIndex{i});
      const PodSpec& spec = cluster_.facts().spec_of(pod);
      if (spec.budgets.empty() || pod.is_finished() || !seen.insert(key_of(pod)).second) continue;
      for (const DelayBudget& budget : spec.budgets) add_budget(PodIndex{i}, budget);
    }
  }

  Hints take() {
    for (auto& [name, labels] : labels_)
      if (!labels.empty()) hints_.nodes.push_back({name, std::move(labels)});
    for (auto& [key, draft] : drafts_)
      if (finish(draft)) hints_.workloads.push_back(std::move(draft.hint));
    return std::move(hints_);
  }

 private:
  using Key = std::tuple<std::string, std::string, std::string>;  // namespace, kind, name
  static Key key_of(const Pod& pod) {
    return {pod.namespace_name, pod.workload_kind, pod.workload_name};
  }
  struct Draft {
    WorkloadHint hint;
    std::vector<Requirement> near;
    const PodSpec* spec = nullptr;
  };
  Draft* draft_of(PodIndex index);
  static bool finish(Draft& draft);
  void set_label(NodeIndex node, const std::string& label, std::optional<std::string> value);
  void add_budget(PodIndex index, const DelayBudget& budget);
  void add_peers(PodIndex index, const DelayBudget& budget, const DelayTarget& target);
  static void add_beside(Draft& draft, const WorkloadHint::Beside& beside);
  std::optional<Labels> common_labels(const std::vector<PodIndex>& pods) const;
  bool means_only(const std::vector<PodIndex>& pods, const Labels& labels) const;
  void label_nodes(const std::string& label, const DelayTarget& target, bool is_nearest);
  void label_groups(const std::string& label, std::int64_t limit_us);
  std::optional<std::string> rtt_text(NodeIndex node, const DelayTarget& target,
                                      bool is_nearest) const;
  void warn(PodIndex index, const std::string& why) {
    std::string text = full_name(cluster_.pod(index)) + ": " + why;
    if (warned_.insert(text).second)
      hints_.warnings.push_back({"HintImpossible", std::move(text), {}});
  }

  const HintRequest& request_;
  ClusterState cluster_;
  std::map<std::string, std::map<std::string, std::optional<std::string>>> labels_;  // by node
  std::set<std::string> labelled_;  // what all nodes have been labelled with
  std::set<std::string> warned_;
  std::map<Key, Draft> drafts_;
  Hints hints_;
};

// Null, and said, where its pods cannot be told anything.
HintMaker::Draft* HintMaker::draft_of(PodIndex index) {
  const Pod& pod = cluster_.pod(index);
  const PodSpec& spec = cluster_.facts().spec_of(pod);
  if (std::find(kKinds.begin(), kKinds.end(), pod.workload_kind.str()) == kKinds.end())
    return warn(index, "its pods cannot be changed"), nullptr;
  if (!std::all_of(spec.required_affinity.begin(), spec.required_affinity.end(), is_ours))
    return warn(index, "it has a pod affinity of its own, which stays as it is"), nullptr;
  const bool is_broken =
      std::any_of(spec.required_node_terms.begin(), spec.required_node_terms.end(),
                  [](const NodeSelectorTerm& term) { return term.broken; });
  if (is_broken || (spec.has_required_node_terms && spec.required_node_terms.empty()))
    return warn(index, "its node affinity allows no node"), nullptr;
  Draft& draft = drafts_[key_of(pod)];
  if (draft.spec != nullptr) return &draft;
  draft.spec = &spec;
  draft.hint.kind = pod.workload_kind;
  draft.hint.namespace_name = pod.namespace_name;
  draft.hint.name = pod.workload_name;
  return &draft;
}

// False: it asks for all that already. Terms are alternatives: each of them is to ask for it.
bool HintMaker::finish(Draft& draft) {
  WorkloadHint& hint = draft.hint;
  const std::vector<NodeSelectorTerm> now(draft.spec->required_node_terms.begin(),
                                          draft.spec->required_node_terms.end());
  hint.node_terms = now;
  if (hint.node_terms.empty() && !draft.near.empty()) hint.node_terms.emplace_back();
  for (NodeSelectorTerm& term : hint.node_terms) {
    std::erase_if(term.expressions, [](const Requirement& expression) {
      return expression.key.starts_with(kRttLabel);
    });
    term.expressions.insert(term.expressions.end(), draft.near.begin(), draft.near.end());
  }
  const auto& asked = draft.spec->required_affinity;
  const bool is_same =
      hint.beside.empty() ||
      (asked.size() == hint.beside.size() &&
       std::all_of(hint.beside.begin(), hint.beside.end(), [&](const auto& beside) {
         return std::any_of(asked.begin(), asked.end(),
                            [&](const PodAffinityTerm& term) { return says(term, beside); });
       }));
  if (draft.near.empty()) hint.node_terms.clear();
  return !is_same || (!draft.near.empty() && hint.node_terms != now);
}

void HintMaker::add_budget(PodIndex index, const DelayBudget& budget) {
  const DelayTarget target = find_target(cluster_, budget, cluster_.pod_facts(index));
  if (target.kind == DelayTarget::Kind::kUnknown)
    return warn(index, "nothing is called '" + budget.from + "'");
  if (target.kind == DelayTarget::Kind::kPeerPods) return add_peers(index, budget, target);
  const std::string label = std::string(kRttLabel) + (budget.nearest ? "any." : "") +
                            (budget.kind == PeerKind::kZone ? "zone." : "") + budget.name;
  if (!is_label_key(label)) return warn(index, "'" + budget.from + "' is too long for a label");
  Draft* const draft = draft_of(index);
  if (draft == nullptr) return;
  label_nodes(label, target, budget.nearest);
  const Requirement near{label, SelectorOp::kLt, {std::to_string(budget.limit_us + 1)}};
  if (std::find(draft->near.begin(), draft->near.end(), near) == draft->near.end())
    draft->near.push_back(near);
}

std::optional<Labels> HintMaker::common_labels(const std::vector<PodIndex>& pods) const {
  std::optional<Labels> common;
  for (const PodIndex pod : pods) {
    const Labels& labels = cluster_.pod_facts(pod).labels();
    if (!common) common = labels;
    Labels kept;
    for (const auto& [key, value] : *common)
      if (const std::string* const same = labels.find(key); same != nullptr && *same == value)
        kept.set(key, value);
    common = std::move(kept);
  }
  if (!common) return common;
  for (const std::string_view key : kOfRollout) common->erase(key);
  Labels of_all = *common;
  for (const std::string_view key : kOfPod) of_all.erase(key);
  return means_only(pods, of_all) ? of_all : common;
}

// Whether no other pod beside those bears the labels.
bool HintMaker::means_only(const std::vector<PodIndex>& pods, const Labels& labels) const {
  const std::string& home = cluster_.pod(pods.front()).namespace_name;
  std::vector<bool> is_one(cluster_.pod_count());
  for (const PodIndex pod : pods) is_one[raw(pod)] = true;
  for (std::uint32_t i = 0; i < cluster_.pod_count(); ++i) {
    if (is_one[i] || cluster_.pod(PodIndex{i}).namespace_name != home) continue;
    const Labels& its = cluster_.pod_facts(PodIndex{i}).labels();
    const bool bears = std::all_of(labels.begin(), labels.end(), [&](const Labels::Entry& label) {
      const std::string* const value = its.find(label.first);
      return value != nullptr && *value == label.second;
    });
    if (bears) return false;
  }
  return true;
}

void HintMaker::add_beside(Draft& draft, const WorkloadHint::Beside& beside) {
  std::vector<WorkloadHint::Beside>& all = draft.hint.beside;
  const bool is_known = std::any_of(all.begin(), all.end(), [&](const auto& known) {
    return known.label == beside.label && known.namespace_name == beside.namespace_name &&
           known.peers == beside.peers;
  });
  if (!is_known) all.push_back(beside);
}

// One of several peers nearby is not all of them: they are kept together too. Neither side is told
// anything where the other one cannot be, for then no node is labelled.
void HintMaker::add_peers(PodIndex index, const DelayBudget& budget, const DelayTarget& target) {
  const std::vector<PodIndex> peers =
      target.pods.empty() ? std::vector<PodIndex>{index} : target.pods;  // itself alone
  const auto common = common_labels(peers);
  if (!common || common->empty())
    return warn(index, "the pods that '" + budget.from + "' means bear no label in common");
  WorkloadHint::Beside beside;
  beside.label = std::string(kGroupLabel) + std::to_string(budget.limit_us) + "us";
  beside.namespace_name = cluster_.pod(peers.front()).namespace_name;
  beside.peers = *common;
  Draft* const own = draft_of(index);
  if (own == nullptr) return;
  std::set<Draft*> told{own};
  if (!budget.nearest && peers.size() > 1)
    for (const PodIndex peer : peers) told.insert(draft_of(peer));
  if (told.contains(nullptr))
    return warn(index, "the pods that '" + budget.from + "' means cannot be kept together");
  for (Draft* const draft : told) add_beside(*draft, beside);
  label_groups(beside.label, budget.limit_us);
}

std::optional<std::string> HintMaker::rtt_text(NodeIndex node, const DelayTarget& target,
                                               bool is_nearest) const {
  std::optional<Rtt> rtt;
  if (target.kind == DelayTarget::Kind::kMatrixName) {
    const auto there = cluster_.latency_name(node);
    rtt = there ? cluster_.rtt().between(target.name, *there) : kUnmeasured;
  }
  for (const NodeIndex from : target.nodes) {
    const Rtt one = cluster_.rtt_between(from, node);
    if (!rtt || (is_nearest ? one < *rtt : *rtt < one)) rtt = one;
  }
  if (!rtt || *rtt == kUnmeasured) return std::nullopt;
  return std::to_string(rtt->us);
}

// Where it is so already, nothing is to be done.
void HintMaker::set_label(NodeIndex node, const std::string& label,
                          std::optional<std::string> value) {
  const std::string* const now = cluster_.node(node).labels.find(label);
  const bool is_so = now == nullptr ? !value : value && *now == *value;
  if (!is_so) labels_[cluster_.node_name(node)][label] = std::move(value);
}

void HintMaker::label_nodes(const std::string& label, const DelayTarget& target, bool is_nearest) {
  if (!labelled_.insert(label).second) return;
  cluster_.alive().for_each(
      [&](NodeIndex node) { set_label(node, label, rtt_text(node, target, is_nearest)); });
}

// A matrix of the nodes alone: outside names join no group.
void HintMaker::label_groups(const std::string& label, std::int64_t limit_us) {
  if (!labelled_.insert(label).second) return;
  std::vector<NodeIndex> nodes;
  std::vector<std::string> names;
  for (std::uint32_t rank = 0; rank < cluster_.slots(); ++rank) {
    const NodeIndex node = cluster_.by_rank(rank);
    if (!cluster_.alive().test(node)) continue;
    nodes.push_back(node);
    names.push_back(cluster_.node_name(node));
  }
  RttMatrix matrix(names);
  for (std::uint32_t i = 0; i < nodes.size(); ++i)
    for (std::uint32_t j = 0; j < nodes.size(); ++j)
      if (i != j) matrix.set(NameIndex{i}, NameIndex{j}, cluster_.rtt_between(nodes[i], nodes[j]));
  constexpr std::int64_t kMost = kUnmeasured.us - 1;
  const Rtt limit{static_cast<std::uint32_t>(std::clamp<std::int64_t>(limit_us, 0, kMost))};
  const Clusters groups = cover_within(matrix, limit).clusters;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    set_label(nodes[i], label, "g" + std::to_string(groups.cluster_of[i]));
}

}  // namespace

Result<Hints> make_hints(const HintRequest& request) {
  HintMaker maker(request);
  GEDGE_TRY(maker.add_names());
  maker.add_workloads();
  return maker.take();
}

}  // namespace gedge
