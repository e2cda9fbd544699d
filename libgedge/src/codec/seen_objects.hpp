// codec/seen_objects.hpp - every object that was read, by kind, namespace and name.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "codec/chunks.hpp"
#include "codec/cursor.hpp"
#include "codec/flat_index.hpp"

namespace gedge::codec {

struct SeenObject {
  Fingerprint fingerprint;
  Place place;
  std::uint32_t pod = 0;  // index into Drafts::pods
};

/// Costs 60 bytes an object and its key.
class SeenObjects {
 public:
  /// What is remembered under `key`, and true where that is nothing yet. The reference is stable.
  std::pair<SeenObject&, bool> try_emplace(std::string_view key) {
    return try_emplace(key, expect(key));
  }
  /// The same in two steps, between which there is time to fetch what the first one asks for.
  std::uint64_t expect(std::string_view key) const;
  std::pair<SeenObject&, bool> try_emplace(std::string_view key, std::uint64_t expected);

 private:
  struct Entry {
    const char* key = nullptr;
    std::uint32_t length = 0;
    SeenObject object;
  };
  Chunks<Entry> entries_;
  TextArena keys_;
  FlatIndex index_;
};

}  // namespace gedge::codec
