// gedge/model/image_pool.hpp - images that many nodes report, each kept once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "gedge/model/node_image.hpp"

namespace gedge {

class ImagePool {
 public:
  /// The one that is known, or a new one.
  NodeImage of(std::span<const std::string_view> names, std::int64_t size_bytes);
  /// Each becomes the one that is known.
  void share(std::vector<NodeImage>& images);
  /// Of images; those that nobody else has any more go now and then.
  std::size_t size() const { return images_.size(); }

 private:
  struct Wanted {
    std::span<const std::string_view> names;
    std::int64_t size_bytes = 0;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(const NodeImage& image) const { return image.hash(); }
    std::size_t operator()(const Wanted& wanted) const {
      return NodeImage::hash_of(wanted.names, wanted.size_bytes);
    }
  };
  struct Same {
    using is_transparent = void;
    bool operator()(const NodeImage& a, const NodeImage& b) const { return a == b; }
    bool operator()(const Wanted& wanted, const NodeImage& image) const {
      return wanted.size_bytes == image.size_bytes() &&
             std::equal(wanted.names.begin(), wanted.names.end(), image.names().begin(),
                        image.names().end());
    }
    bool operator()(const NodeImage& image, const Wanted& wanted) const {
      return (*this)(wanted, image);
    }
  };
  void drop_unused();

  static constexpr std::size_t kFew = 1'024;
  std::unordered_set<NodeImage, Hash, Same> images_;  // only looked up
  std::size_t full_ = kFew;                           // then it is looked through
};

}  // namespace gedge
