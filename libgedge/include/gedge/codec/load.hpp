// gedge/codec/load.hpp - Kubernetes objects, YAML or JSON, to Facts.
//
// Reads what `kubectl get ... -o json|yaml` prints and what `kubectl apply -f` takes: several
// documents in a file, Lists, lists without `kind` in their items. Workloads become pods here, as
// controllers and admission would make them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/base/error.hpp"
#include "gedge/base/units.hpp"
#include "gedge/model/facts.hpp"

namespace gedge {

/// One text, read by somebody else: codec opens no file.
struct InputFile {
  std::string name;        ///< as messages show it
  std::string_view bytes;  ///< borrowed for the call
  /// Bytes behind the end that may be read, whatever their value: 64 save the JSON parser a copy.
  std::size_t padding = 0;
};

struct LoadOptions {
  std::string namespace_name = "default";            ///< of manifests that name none (-n)
  Compat compat = Compat::k1_36;                     ///< which labels controllers put on pods
  std::uint64_t max_bytes = std::uint64_t{1} << 30;  ///< a file (--max-input)
  std::int64_t max_pods =
      2'000'000;  ///< that workloads may make: `replicas: 2147483647` is a mistake
  /// Specs that pods cannot share, as text and roughly: those of DaemonSets and of pods with claims
  /// of their own (volumeClaimTemplates, ephemeral volumes).
  std::uint64_t max_spec_bytes = std::uint64_t{2} << 30;
  /// Pods and nodes of a cluster that have a name, but something wrong beside it, are no error:
  /// they say so (PodSpec::unread, Node::unread), and have what could be read.
  bool keeps_unread = false;
  /// False: of annotations of pods only those are kept that policies of gedge itself read, so that
  /// pods which differ in others are of one template.
  bool keeps_annotations = true;
};

/// An object that carries round-trip times: a NodeLatency, or the ConfigMap gedge-latency of
/// namespace gedge-system. For read_node_latency of codec/latency.hpp.
struct LatencyObject {
  std::string name;  ///< "site.yaml:12", for messages
  std::string json;  ///< the whole object
};

struct Loaded {
  Facts facts;
  std::vector<LatencyObject> latency;  ///< by kind and name
};

/// `loaded` is empty if and only if there are errors; then nothing must be planned.
struct LoadResult {
  std::optional<Loaded> loaded;
  Errors errors;  ///< by file and place; reading stops after a thousand
};

/// Collects files and makes Facts of them.
///
/// Cluster facts (`add_cluster`) are what is: bound pods, nodes, volumes, Services. Their workloads
/// are facts only, and their pending pods are placed only where there are no manifests. Manifests
/// (`add_manifests`) are what is to be placed; whatever else they hold joins the facts, also pods
/// that run on a node already. The order of calls, of documents and of list items does not count:
/// equal sets of objects give equal Facts, Places apart.
///
/// Equal objects twice collapse; different ones of one kind, namespace and name are an error with
/// both places.
///
/// Warnings, sorted by code and text: AlreadyInCluster, AlreadyPlaced, AvoidPodsUnreadable,
/// BudgetOutsideTemplate, GschConfigUnreadable, MissingNode, MissingPriorityClass,
/// MissingRuntimeClass, PendingPodsNotPlanned, PriorityIgnored, RunningWithoutNode,
/// SchedulingGated, SelectorMismatch, SeveralDefaultPriorityClasses, UnknownAnnotation.
///
/// Errors: all of kInvalidInput; syntax, nesting beyond 64, duplicate keys, values of a wrong type,
/// names and labels that the API server refuses, amounts that are no quantity or negative, delay
/// budgets that cannot be read. Cost: O(bytes + pods). Memory: one object at a time, the facts, and
/// 4 bytes a token of a JSON file.
class FactsLoader {
 public:
  explicit FactsLoader(LoadOptions options = {});
  ~FactsLoader();
  FactsLoader(FactsLoader&&) noexcept;
  FactsLoader& operator=(FactsLoader&&) noexcept;

  void add_cluster(const InputFile& file);
  void add_manifests(const InputFile& file);
  /// Nodes that are no Kubernetes objects (synthetic sites, nodes.json of
  /// kubernetes-edge-scheduler).
  void add_nodes(std::vector<Node> nodes, const std::string& origin);

  /// Expands and sorts; the loader is empty afterwards.
  LoadResult finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gedge
