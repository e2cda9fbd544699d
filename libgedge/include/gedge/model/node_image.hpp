// gedge/model/node_image.hpp - what a node reports of a container image that lies on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/base/shared_value.hpp"

namespace gedge {

/// Eight bytes: copies share what it says, as most images lie on many nodes.
class NodeImage {
 public:
  NodeImage() = default;
  NodeImage(std::vector<std::string> names, std::int64_t size_bytes);

  /// Lives as long as a copy of this does.
  const std::vector<std::string>& names() const;
  std::int64_t size_bytes() const { return said_.get() != nullptr ? said_.get()->size_bytes : 0; }
  /// Equal ones have the same; as hash_of() says.
  std::size_t hash() const { return said_.get() != nullptr ? said_.get()->hash : 0; }
  static std::size_t hash_of(std::span<const std::string_view> names, std::int64_t size_bytes);
  /// No copy of it is left.
  bool is_alone() const { return said_.is_alone(); }

  friend bool operator==(const NodeImage& a, const NodeImage& b) {
    return a.said_.get() == b.said_.get() ||
           (a.hash() == b.hash() && a.size_bytes() == b.size_bytes() && a.names() == b.names());
  }

 private:
  struct Said {
    std::vector<std::string> names;
    std::int64_t size_bytes = 0;
    std::size_t hash = 0;
  };
  SharedValue<Said> said_;  // nothing: no names, 0 bytes
};

}  // namespace gedge
