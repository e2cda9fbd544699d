// plan/text_hash.hpp - texts as keys that are looked up without being copied.
#pragma once

#include <functional>
#include <string_view>

namespace gedge {

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>()(text);
  }
};

}  // namespace gedge
