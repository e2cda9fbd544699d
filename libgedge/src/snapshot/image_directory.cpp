#include "snapshot/image_directory.hpp"

#include "gedge/model/image_name.hpp"

namespace gedge {
namespace {

// Bits of all masks together: 64 MiB.
constexpr std::size_t kMostRows = std::size_t{1} << 29;

std::size_t end_of(std::string_view name) {
  const std::size_t last = name.empty() ? 0 : static_cast<unsigned char>(name.back());
  return (name.size() % 64) * 64 + last % 64;
}

}  // namespace

ImageDirectory::ImageDirectory(const ClusterState& cluster) {
  for (const PodSpec& spec : cluster.facts().specs)
    for (const auto* containers : {&spec.containers, &spec.init_containers})
      for (const Container& container : *containers)
        images_.try_emplace(full_image_name(container.image));
  if (images_.size() * cluster.slots() > kMostRows) images_.clear();
  for (auto& [name, holders] : images_) {
    holders.rows = NodeMask(cluster.slots());
    ends_.set(end_of(name));
  }
  if (images_.empty()) return;
  for (std::uint32_t rank = 0; rank < cluster.slots(); ++rank)
    if (cluster.alive().test(cluster.by_rank(rank))) add_node(cluster, cluster.by_rank(rank));
}

bool ImageDirectory::may_be_run(std::string_view name) const { return ends_.test(end_of(name)); }

// Nodes come by name, so the first that has an image says its size.
void ImageDirectory::add_node(const ClusterState& cluster, NodeIndex node) {
  for (const NodeImage& image : cluster.node(node).images)
    for (const std::string& name : image.names()) {
      if (!may_be_run(name)) continue;
      const auto at = images_.find(name);
      if (at == images_.end() || at->second.rows.test(node)) continue;
      if (at->second.rows.none()) at->second.size_bytes = image.size_bytes();
      at->second.rows.set(node);
    }
}

const ImageHolders* ImageDirectory::find(std::string_view full_name) const {
  const auto at = images_.find(full_name);
  return at == images_.end() ? nullptr : &at->second;
}

}  // namespace gedge
