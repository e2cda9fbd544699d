// snapshot/image_directory.hpp - where the images are that pods run.
//
// A node reports forty images under eighty names, and to look through all of them takes longer than
// to place a thousand pods. One pass finds the nodes of every image that any pod of the facts runs.
#pragma once

#include <bitset>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/snapshot/cluster_state.hpp"

namespace gedge {

class ImageDirectory {
 public:
  /// Cost: O(names of images on nodes).
  explicit ImageDirectory(const ClusterState& cluster);

  /// Null: no pod runs it, or so many images are run that they are not kept.
  const ImageHolders* find(std::string_view full_name) const;

 private:
  void add_node(const ClusterState& cluster, NodeIndex node);
  bool may_be_run(std::string_view name) const;

  std::map<std::string, ImageHolders, std::less<>> images_;  // by full name
  std::bitset<1U << 12> ends_;  // of those names: length and last letter, most others have others
};

}  // namespace gedge
