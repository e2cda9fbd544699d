// gedge/plan/edit.hpp - the EDIT grammar of `--what-if` and of suggested changes.
//
//   node/N:cpu=+200m  node/N:memory=16Gi  node/N:label.K=V  node/N:label.K-
//   node/N:taint-=K[:EFFECT]  node/N:drain node/N:delete  pod/NS/P:node=N  pod/NS/P:delete
//   rtt/A,B=3ms  add=FILE
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/base/result.hpp"
#include "gedge/plan/planner.hpp"

namespace gedge {

struct Edit {
  enum class Kind : std::uint8_t {
    kSetResource,  ///< name, amount
    kAddResource,  ///< name, amount (may be negative)
    kSetLabel,     ///< name, value
    kRemoveLabel,  ///< name
    kRemoveTaint,  ///< name, value (effect, may be empty); node.kubernetes.io/unschedulable also
                   ///< uncordons
    kDrain,
    kDeleteNode,
    kMovePod,  ///< value: the node
    kDeletePod,
    kSetRtt,   ///< node, name: the two ends; amount: microseconds
    kAddFile,  ///< value: the file; applied by whoever reads files, before the others
  };
  Kind kind = Kind::kSetLabel;
  std::string node;            ///< the node, or the first end of an RTT
  std::string namespace_name;  ///< of a pod
  std::string name;            ///< resource, label or taint key, pod, second end
  std::string value;
  std::int64_t amount = 0;  ///< resource units of Resources, or microseconds
};

/// Errors: kInvalidInput with the column within `text` and what was expected.
Result<Edit> parse_edit(std::string_view text);
/// The shortest text that parse_edit reads back to the same edit.
std::string to_string(const Edit& edit);

/// Applies edits to facts and matrix. Pods that lose their node (drain, delete) become pending and
/// must be placed anew, those that are being deleted excepted: they vanish. Pods that belong to
/// their node, as a DaemonSet's, stay on one that is drained and vanish with one that is deleted.
/// Errors: kNotFound for a name that is not there, with the nearest one that is; kInvalidInput for
/// an amount below 0 and an RTT of a node to itself.
Status apply_edits(const std::vector<Edit>& edits, const std::string& rtt_by, Facts& facts,
                   RttMatrix& rtt);

enum class Outcome : std::uint8_t { kSame, kPlaced, kMoved, kLost, kUnschedulable };

struct Difference {
  Outcome outcome = Outcome::kSame;
  std::string namespace_name, pod;
  std::string before, after;  ///< node names; "" for none
};

struct WhatIf {
  Plan before, after;
  std::vector<Difference> differences;  ///< without kSame; by namespace, pod
};

/// Plans, edits the facts, keeps every placement that stays valid and re-places in queue order only
/// what was evicted, unplaced or added; `replan` plans everything anew. `joined` are the request's
/// facts with the files of `add=FILE` read in; null where there are none. Errors: as make_plan and
/// apply_edits. Cost: two plans; a WhatIfSession answers the same for less.
Result<WhatIf> what_if(const PlanRequest& request, const std::vector<Edit>& edits, bool replan,
                       const Facts* joined = nullptr);

}  // namespace gedge
