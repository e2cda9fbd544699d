// gedge/model/node.hpp - a Kubernetes Node, only what scheduling reads.
#pragma once

#include <string>
#include <vector>

#include "gedge/base/shared_text.hpp"
#include "gedge/model/labels.hpp"
#include "gedge/model/node_image.hpp"
#include "gedge/model/place.hpp"
#include "gedge/model/pod.hpp"
#include "gedge/model/resources.hpp"

namespace gedge {

/// One entry of the annotation scheduler.alpha.kubernetes.io/preferAvoidPods.
struct AvoidedController {
  std::string kind, uid;
};

struct Node {
  SharedText name;
  Labels labels;
  std::vector<Taint> taints;  ///< in the order of the object
  bool unschedulable = false;
  bool ready = true;      ///< condition Ready is True, or no such condition is reported
  Resources allocatable;  ///< capacity where status.allocatable is absent
  std::vector<NodeImage> images;
  std::vector<AvoidedController> avoided;
  std::vector<std::string> addresses;  ///< InternalIP and Hostname, to recognise names in matrices
  /// Why not all of it could be read; empty: all was. No pod comes to it then, and those that are
  /// on it stay.
  SharedText unread;
  Place place;
};

}  // namespace gedge
