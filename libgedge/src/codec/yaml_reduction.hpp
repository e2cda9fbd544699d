// codec/yaml_reduction.hpp - a YAML text without the blocks that came before, for libyaml to read.
//
// libyaml takes 40 ns a byte, and of a thousand replicas nearly all bytes are alike. A block is a
// line `key:` and the lines below that are indented further (or begin with "- " at its column). One
// whose bytes were read before, under a key at the same column, is handed on as `key: x`; whoever
// reads the events puts the earlier value there.
//
// What looks like a block by its lines may stand inside of a text or of braces. So nothing here is
// believed: a block is remembered once libyaml gave a key at its place in a block mapping and a
// value that ends where the block does, and a block that was left out must show up as that key with
// that plain `x`, exactly there. Else the reduction was wrong, and the text is read again as it is.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "codec/shared_parts.hpp"

namespace gedge::codec {

class YamlReduction {
 public:
  static constexpr std::string_view kStandIn = "x";

  /// A block of the reduced text. Lines count from 0, and in that text.
  struct Site {
    std::uint32_t line = 0, column = 0;  // of the key
    std::uint32_t end_line = 0;          // the first one behind the block
    bool is_left_out = false;            // else: to be remembered
    SharedPart* part = nullptr;
  };

  /// Blocks under `list_key` are never left out: their items are read one by one.
  YamlReduction(std::string_view text, std::string_view list_key)
      : whole_(text), list_key_(list_key) {}

  /// What follows up to `end` is a text of its own, whose first line stays the one that it is.
  void go_on_to(std::size_t end) { text_ = whole_.substr(0, end); }
  /// Up to `size` of the next bytes into `buffer`; 0 at the end of that text.
  std::size_t read(unsigned char* buffer, std::size_t size);
  /// Leaves everything up to `end` out, where `lines` lines end.
  void pass_over(std::size_t end, std::uint32_t lines);
  /// How many lines of the reduced text, and of the text, were read or left out.
  std::uint32_t lines() const { return line_; }
  std::uint32_t lines_in_text() const { return line_ + shifts_.back().lines; }

  /// The block whose key libyaml has read at that place; null if there is none.
  const Site* take(std::size_t line, std::size_t column);
  /// libyaml has come to that line: false if a block before it was left out and not taken.
  bool pass(std::size_t line);
  /// The value of a block has been read, and it is all of the block.
  void remember(SharedPart& part) { parts_.end(part); }

  /// Where a line of the reduced text stands in the text. Asked for in rising order it costs O(1).
  std::uint32_t line_in_text(std::size_t line) const;

 private:
  struct Shift {
    std::uint32_t line = 0;   // from this one on
    std::uint32_t lines = 0;  // as many were left out
  };
  struct Block {
    std::size_t key = 0, end = 0;  // offsets; end 0: no block
    std::uint32_t column = 0;
    std::string_view name;
  };
  void produce();
  bool reduce(const Block& block);
  Block block_at(std::size_t line_begin, std::size_t line_end) const;
  std::size_t end_of_block(std::size_t from, std::size_t column) const;
  void append(std::size_t end);

  std::string_view whole_, list_key_;
  std::string_view text_;   // its beginning, as far as it may be read
  std::size_t at_ = 0;      // of the text; a line begins there
  std::uint32_t line_ = 0;  // of the reduced text
  std::string out_;
  std::size_t sent_ = 0;  // of out_
  SharedParts parts_;
  std::deque<Site> sites_;
  Site taken_;
  bool broken_ = false;
  std::vector<Shift> shifts_{Shift{}};
  mutable std::size_t shift_ = 0;
};

}  // namespace gedge::codec
