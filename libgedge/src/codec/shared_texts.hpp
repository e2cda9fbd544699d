// codec/shared_texts.hpp - texts that come again are kept once.
#pragma once

#include <xxhash.h>

#include <string_view>
#include <vector>

#include "codec/flat_index.hpp"
#include "gedge/base/shared_text.hpp"

namespace gedge::codec {

/// For texts of which there are fewer than times they are said: namespaces, nodes, controllers.
class SharedTexts {
 public:
  SharedText of(std::string_view text) {
    if (text.empty()) return {};
    const auto next = static_cast<std::uint32_t>(texts_.size());
    const std::uint32_t at = index_.find_or_add(XXH3_64bits(text.data(), text.size()), next,
                                                [&](std::uint32_t i) { return texts_[i] == text; });
    if (at == next) texts_.emplace_back(text);
    return texts_[at];
  }

 private:
  std::vector<SharedText> texts_;
  FlatIndex index_;
};

}  // namespace gedge::codec
