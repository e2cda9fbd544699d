// codec/seen_objects.hpp - every object that was read, by kind, namespace and name; pods apart.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "codec/chunks.hpp"
#include "codec/cursor.hpp"
#include "codec/drafts.hpp"
#include "codec/flat_index.hpp"

namespace gedge::codec {

struct SeenObject {
  Fingerprint fingerprint;
  Place place;
};

/// Costs 60 bytes an object and its key.
class SeenObjects {
 public:
  /// What is remembered under `key`, and true where that is nothing yet. The reference is stable.
  std::pair<SeenObject&, bool> try_emplace(std::string_view key);

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

/// The pods of drafts that have a name, each of them the key of itself.
class SeenPods {
 public:
  explicit SeenPods(const Chunks<PodEntry>& pods) : pods_(pods) {}

  /// The pod of that name; where there is none that of the one that is drafted next, which has it.
  std::uint32_t find_or_add(std::string_view space, std::string_view name) {
    return find_or_add(space, name, expect(space, name));
  }
  /// The same in two steps, between which there is time to fetch what the first one asks for.
  std::uint64_t expect(std::string_view space, std::string_view name);
  std::uint32_t find_or_add(std::string_view space, std::string_view name, std::uint64_t expected);

 private:
  const Chunks<PodEntry>& pods_;
  FlatIndex index_;
  std::string last_space_;
  std::uint64_t last_seed_ = 0;
};

}  // namespace gedge::codec
