// codec/yaml_anchors.hpp - YAML anchors and aliases of one document, under a budget.
//
// Manifests practically never use them; bombs are made of them. What an anchor names is kept as a
// copy of its entries, an alias is expanded by copying those (texts too: a tape outlives the
// parser), and both are counted: ten thousand names, ten thousand uses, a million entries and
// 16 MiB of text a document.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "codec/tape_builder.hpp"

namespace gedge::codec {

class YamlAnchors {
 public:
  static constexpr std::size_t kMaxCount = 10'000;
  static constexpr std::size_t kMaxEntries = 1'000'000;
  static constexpr std::size_t kMaxText = std::size_t{16} << 20;

  /// A value with an anchor begins at `index` of the tape, inside `open` containers.
  /// False when the budget is spent; reported.
  bool declare(std::string name, Tape& tape, std::uint32_t index, int open, Mark at);
  /// A value was completed and `open` containers are open now: keeps those that wait for it.
  bool complete(Tape& tape, int open);
  /// Writes what `name` stands for. False where that is unknown, not complete or over budget;
  /// reported.
  bool expand(const std::string& name, Tape& tape, TapeBuilder& builder, Mark at);
  /// A new document knows no anchor of the one before.
  void clear();
  bool waits() const { return !waiting_.empty(); }

 private:
  struct Anchor {
    Mark at;
    bool complete = false;
    int height = 0;        // levels of nesting
    std::size_t text = 0;  // bytes
    std::vector<TapeEntry> entries;
  };
  struct Waiting {
    std::string name;
    std::uint32_t index = 0;
    int open = 0;
  };
  bool refuse(const Tape& tape, Mark at, std::string what, std::string hint) const;
  bool keep(Tape& tape, const Waiting& waiting);

  std::map<std::string, Anchor, std::less<>> anchors_;
  std::vector<Waiting> waiting_;
  TextArena arena_;
  std::size_t declared_ = 0, kept_ = 0, text_ = 0, uses_ = 0, expanded_ = 0, expanded_text_ = 0;
};

}  // namespace gedge::codec
