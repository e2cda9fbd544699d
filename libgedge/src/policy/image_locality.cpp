// policy/image_locality.cpp - score ImageLocality: prefer nodes that have the pod's images.
//
// Formula  S = sum over containers whose image is on the node of int(size * (nodes having it /
//          all nodes)), clamped to [23 MiB, 1000 MiB * containers]; idiv(100*(S-min), max-min).
//          1.20: app containers; 1.36: init containers too.
// Size     of the first node by name that has the image; upstream: the first it heard of.
// Range    0..100, not normalised.
// Cost     O(nodes * distinct images of the pod) a class, and once or twice all names of images.
// Source   kube-scheduler plugins/imagelocality.
#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include "gedge/model/image_name.hpp"
#include "policy/amounts.hpp"
#include "policy/make.hpp"
#include "policy/node_static.hpp"

namespace gedge {
namespace {

constexpr std::int64_t kMiB = 1024 * 1024;
constexpr std::int64_t kLeastBytes = 23 * kMiB;
constexpr std::int64_t kMostBytesPerContainer = 1000 * kMiB;

const NodeImage* find_image(const Node& node, const std::string& name) {
  for (const NodeImage& image : node.images)
    for (const std::string& known : image.names())
      if (known == name) return &image;
  return nullptr;
}

// int64 of a double that may be 2^63.
std::int64_t truncate_amount(double amount) {
  return amount >= static_cast<double>(kMaxAmount) ? kMaxAmount : static_cast<std::int64_t>(amount);
}

class ImageLocality final : public NodeStaticScore {
 public:
  explicit ImageLocality(Compat compat) : compat_(compat) {}
  std::string_view name() const override { return "ImageLocality"; }
  bool sign(const PodFacts& pod, Signature& signature) const override {
    signature.add(pod.spec->containers.size());
    for (const Container& container : pod.spec->containers) signature.add(container.image);
    if (compat_ == Compat::k1_20) return true;
    signature.add(pod.spec->init_containers.size());
    for (const Container& container : pod.spec->init_containers) signature.add(container.image);
    return true;
  }
  Normalize normalize(const ClassContext&, const ClassState*) const override {
    return Normalize::kNone;
  }

 protected:
  std::uint8_t parts_read() const override { return kOtherPart; }
  void fill(const ClassContext& context, std::vector<std::int64_t>& scores) const override {
    for (const auto& [image, times] : images_of(context.pod))
      add_image(context.cluster, image, times, scores);
    const std::int64_t most =
        kMostBytesPerContainer * static_cast<std::int64_t>(counted(context.pod));
    context.cluster.alive().for_each([&](NodeIndex n) {
      std::int64_t& score = scores[raw(n)];
      if (score < kLeastBytes)
        score = kLeastBytes;
      else if (score > most)
        score = most;
      score = kMaxScore * (score - kLeastBytes) / (most - kLeastBytes);
    });
  }

 private:
  std::uint64_t counted(const PodFacts& pod) const {
    return pod.spec->containers.size() +
           (compat_ == Compat::k1_20 ? 0 : pod.spec->init_containers.size());
  }

  // Each image with the number of containers that run it.
  std::map<std::string, std::uint64_t> images_of(const PodFacts& pod) const {
    std::map<std::string, std::uint64_t> images;
    for (const Container& container : pod.spec->containers)
      ++images[full_image_name(container.image)];
    if (compat_ == Compat::k1_20) return images;
    for (const Container& container : pod.spec->init_containers)
      ++images[full_image_name(container.image)];
    return images;
  }

  static ImageHolders look_for(const ClusterState& cluster, const std::string& image) {
    ImageHolders found{NodeMask(cluster.slots()), 0};
    std::uint32_t first_rank = std::numeric_limits<std::uint32_t>::max();
    cluster.alive().for_each([&](NodeIndex n) {
      const NodeImage* here = find_image(cluster.node(n), image);
      if (here == nullptr) return;
      found.rows.set(n);
      if (cluster.rank_of(n) > first_rank) return;
      first_rank = cluster.rank_of(n);
      found.size_bytes = here->size_bytes();
    });
    return found;
  }

  static void add_image(const ClusterState& cluster, const std::string& image, std::uint64_t times,
                        std::vector<std::int64_t>& sums) {
    const ImageHolders* known = cluster.image_holders(image);
    const ImageHolders found = known == nullptr ? look_for(cluster, image) : ImageHolders{};
    const ImageHolders& having = known == nullptr ? found : *known;
    if (having.rows.none()) return;  // of no nodes at all there is no share
    const double share =
        static_cast<double>(having.rows.count()) / static_cast<double>(cluster.alive().count());
    const std::int64_t scaled = truncate_amount(static_cast<double>(having.size_bytes) * share);
    having.rows.for_each([&](NodeIndex n) {
      for (std::uint64_t i = 0; i < times; ++i) sums[raw(n)] = add_amounts(sums[raw(n)], scaled);
    });
  }

  Compat compat_;
};

}  // namespace

std::unique_ptr<ScorePolicy> make_image_locality_score(const PolicyArgs&, Compat compat) {
  return std::make_unique<ImageLocality>(compat);
}

}  // namespace gedge
