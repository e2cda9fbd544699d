// codec/expansion.hpp - workloads to the pods that their controllers would make.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "codec/admission.hpp"
#include "codec/drafts.hpp"
#include "codec/shared_texts.hpp"

namespace gedge::codec {

/// Makes pods of drafts, with their final specs in one pool. Nodes in `drafts.facts` are final.
class Expansion {
 public:
  Expansion(Drafts& drafts, Admission& admission) : drafts_(drafts), admission_(admission) {
    pods_.reserve(drafts.pods.size() + drafts.workloads.size());
    auto& owners = drafts.facts.spread_owners;
    owners.reserve(owners.size() + drafts.workloads.size());
    specs_.reserve(drafts.templates.size() + drafts.workloads.size());
  }

  /// All pods of one manifest workload; also its SpreadOwner and claims. Takes its metadata and
  /// selector away.
  void add_workload(Workload& workload);
  /// A pod of the cluster, or one of the manifests that runs already.
  void add_known(PodEntry&& entry);
  /// A pod of the manifests that is to be placed, by its final name.
  void add_new(PodEntry&& entry);

  std::vector<Pod>& pods() { return pods_; }
  const std::vector<Pod>& pods() const { return pods_; }
  SpecPool& specs() { return specs_; }
  /// True for a pod that is not in the cluster yet; parallel to pods().
  const std::vector<bool>& is_new() const { return is_new_; }

 private:
  Pod pod_of(const Workload& workload);
  SpecIndex share(PodSpec&& spec) { return SpecIndex{specs_.intern(std::move(spec))}; }
  SpecIndex share(const Workload& workload, PodSpec&& spec);
  // What admission made of a template in a namespace, and saw no reason to speak about.
  struct Admitted {
    SpecIndex spec{};
    std::int32_t priority = 0;
  };
  using AdmittedKey = std::tuple<std::uint32_t, std::string, std::string>;  // and the node

  void admit(const PodTemplate& pod, const std::string& namespace_name, const std::string& who,
             PodSpec& spec, Pod& out);
  void add_replicas(const Workload& workload, PodSpec&& spec, Pod&& pod);
  void add_daemons(const Workload& workload, const PodSpec& spec, const Pod& pod);
  void add_claims(const std::vector<PersistentVolumeClaim>& claims, const Pod& pod, PodSpec& spec);
  void add_ephemeral(const PodTemplate& pod, const Pod& made, bool with_claims, PodSpec& spec);
  void add_owner(Workload& workload, const std::string& hash);
  bool has_room(const Workload& workload, std::int64_t count);
  bool has_memory(const std::string& who, Place place, std::uint64_t bytes, std::int64_t count);
  Pod& push(Pod&& pod, bool fresh);
  const Admitted* find_admitted(const AdmittedKey& key);

  Drafts& drafts_;
  Admission& admission_;
  SpecPool specs_;
  SharedTexts texts_;
  std::string content_;  // of the template of the present Deployment
  std::vector<Pod> pods_;
  std::vector<bool> is_new_;
  std::int64_t expanded_ = 0;
  std::uint64_t copied_ = 0;  // bytes of specs that one pod keeps for itself
  bool out_of_memory_ = false;
  std::map<std::pair<std::uint32_t, bool>, SpecIndex> known_;  // template -> spec
  std::map<AdmittedKey, Admitted> admitted_;
  std::vector<const std::pair<const AdmittedKey, Admitted>*> last_admitted_;  // by template
};

}  // namespace gedge::codec
