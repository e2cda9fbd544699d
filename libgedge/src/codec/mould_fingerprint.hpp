// codec/mould_fingerprint.hpp - the fingerprint of an element of which only some texts are new.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codec/cursor.hpp"

namespace gedge::codec {

/// Keeps what the rest of the element adds to it.
class MouldFingerprint {
 public:
  /// `open`: entries whose texts differ from element to element, in rising order.
  MouldFingerprint(const Tape& tape, const std::vector<std::uint32_t>& open);

  /// Of the tape's present content.
  Fingerprint present(const Tape& tape);

 private:
  static constexpr std::uint32_t kNowhere = 0xFFFFFFFF;
  /// A text or a container that holds one, as a field or an item.
  struct Part {
    std::uint32_t entry = 0;
    std::uint32_t holder = kNowhere;  // which of the containers it stands in
    std::uint32_t item = 0;           // of a list: the number of it
    Fingerprint key;                  // of a map: digest of its key
  };
  struct Text {
    Part part;
    std::string content;   // of the first element
    bool differs = false;  // from it, in some element so far
    Fingerprint value;     // what it adds to a map, or is in a list
  };
  struct Container {
    Part part;
    bool is_map = false;
    Fingerprint rest;                // of a map: the sum of the other fields
    Fingerprint sum;                 // of a map: of this element
    std::vector<Fingerprint> items;  // of a list
  };
  void add_container(const Tape& tape, const Part& part, const std::vector<std::uint32_t>& open);
  void add_part(const Tape& tape, const Part& part, const std::vector<std::uint32_t>& open,
                std::uint32_t container);
  Fingerprint text_in_holder(const Part& part, std::string_view text) const;
  Fingerprint in_holder(const Part& part, const Fingerprint& value) const;
  void put(const Part& part, const Fingerprint& value);

  std::vector<Text> texts_;
  std::vector<Container> containers_;  // each before those that stand in it
};

}  // namespace gedge::codec
