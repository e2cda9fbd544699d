#include "gedge/model/image_pool.hpp"

#include <string>

namespace gedge {

NodeImage ImagePool::of(std::span<const std::string_view> names, std::int64_t size_bytes) {
  const auto known = images_.find(Wanted{names, size_bytes});
  if (known != images_.end()) return *known;
  NodeImage image(std::vector<std::string>(names.begin(), names.end()), size_bytes);
  images_.insert(image);
  drop_unused();
  return image;
}

void ImagePool::share(std::vector<NodeImage>& images) {
  for (NodeImage& image : images) image = *images_.insert(image).first;
  drop_unused();
}

// It doubles before the next look, so that looking costs no more than adding.
void ImagePool::drop_unused() {
  if (images_.size() < full_) return;
  std::erase_if(images_, [](const NodeImage& image) { return image.is_alone(); });
  full_ = std::max(kFew, 2 * images_.size());
}

}  // namespace gedge
