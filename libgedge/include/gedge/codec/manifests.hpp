// gedge/codec/manifests.hpp - what is to be installed for gedge to run in a cluster, with no more
// rights than it uses.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gedge/codec/write.hpp"

namespace gedge {

enum class InstallMode : std::uint8_t {
  kScheduler,      ///< gedge schedule: two of them, one leads
  kPreemption,     ///< the right of the scheduler to delete pods
  kVolumes,        ///< its right to bind claims to volumes
  kRepair,         ///< its right to evict pods of its own from a node that somebody else overfilled
  kExtender,       ///< gedge extender, beside kube-scheduler
  kProber,         ///< gedge agent on every node; no rights at all
  kHint,           ///< who runs gedge hint --write
  kPublish,        ///< who writes NodeLatency objects
  kReader,         ///< who asks a live cluster and changes nothing
  kAutoscaler,     ///< gedge scale run: two of them, one leads
  kCustomMetrics,  ///< its right to read custom and external metrics
  kSites,          ///< its right to ask what fits where, and to mark pods that leave first
  kGrowth,         ///< its right to change what pods of a workload request
};

/// By the words of --mode.
inline constexpr std::array<std::pair<std::string_view, InstallMode>, 13> kInstallModes{{
    {"scheduler", InstallMode::kScheduler},
    {"preemption", InstallMode::kPreemption},
    {"volumes", InstallMode::kVolumes},
    {"repair", InstallMode::kRepair},
    {"extender", InstallMode::kExtender},
    {"prober", InstallMode::kProber},
    {"hint", InstallMode::kHint},
    {"publish", InstallMode::kPublish},
    {"reader", InstallMode::kReader},
    {"autoscaler", InstallMode::kAutoscaler},
    {"custom-metrics", InstallMode::kCustomMetrics},
    {"sites", InstallMode::kSites},
    {"growth", InstallMode::kGrowth},
}};

struct ManifestOptions {
  std::vector<InstallMode> modes;
  std::string namespace_name = "gedge-system";
  std::string image;  ///< that has gedge as its entry point
  std::string scheduler_name = "gedge";
  bool extender_binds = false;
  bool owns_objects = false;  ///< the autoscaler: HorizontalPodAutoscalers are its own
  std::string prometheus;     ///< the autoscaler: URL; empty: none
  bool rights_only = false;   ///< accounts and roles alone
  bool has_monitors = false;  ///< with objects for the Prometheus Operator
  std::string flow_schema;    ///< of kFlowSchemaVersions; empty: none
};

/// The versions that servers had of a FlowSchema: 1.20 to 1.25, 1.23 to 1.28, 1.26 to 1.31, and
/// from 1.29 on.
inline constexpr std::array<std::string_view, 4> kFlowSchemaVersions{"v1beta1", "v1beta2",
                                                                     "v1beta3", "v1"};
/// Whether what is installed by a mode asks an API server for as long as it runs.
constexpr bool has_flow(InstallMode mode) {
  return mode == InstallMode::kScheduler || mode == InstallMode::kExtender ||
         mode == InstallMode::kAutoscaler;
}

/// Documents of YAML, or one List of JSON.
std::string write_manifests(const ManifestOptions& options, TextFormat format);

/// A unit file for a master node; empty for modes that run nothing there. `program`: the path of
/// gedge there.
std::string write_unit(InstallMode mode, std::string_view program);

}  // namespace gedge
