#include "gedge/model/node_image.hpp"

#include <functional>
#include <utility>

namespace gedge {
namespace {

std::size_t mix(std::size_t hash, std::size_t more) {
  return (hash ^ more) * 0x9e3779b97f4a7c15U + (hash >> 29U);
}

template <typename Names>
std::size_t hash_of_all(const Names& names, std::int64_t size_bytes) {
  std::size_t hash = static_cast<std::size_t>(size_bytes);
  for (const std::string_view name : names) hash = mix(hash, std::hash<std::string_view>()(name));
  return hash;
}

}  // namespace

NodeImage::NodeImage(std::vector<std::string> names, std::int64_t size_bytes) {
  const std::size_t hash = hash_of_all(names, size_bytes);
  said_ = SharedValue<Said>(Said{std::move(names), size_bytes, hash});
}

const std::vector<std::string>& NodeImage::names() const {
  static const std::vector<std::string> none;
  return said_.get() != nullptr ? said_.get()->names : none;
}

std::size_t NodeImage::hash_of(std::span<const std::string_view> names, std::int64_t size_bytes) {
  return hash_of_all(names, size_bytes);
}

}  // namespace gedge
