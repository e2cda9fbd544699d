// codec/mould_fingerprint.hpp - the fingerprint of an element of which only some texts are new.
#pragma once

#include <cstdint>
#include <vector>

#include "codec/fingerprints.hpp"

namespace gedge::codec {

/// Keeps what the rest of the element adds to it.
class MouldFingerprint {
 public:
  /// `open`: entries whose texts differ from element to element, in rising order.
  MouldFingerprint(const Tape& tape, const std::vector<std::uint32_t>& open);

  /// Of the tape's present content.
  Fingerprint present(const Tape& tape) const;

 private:
  struct Text {
    std::uint32_t entry = 0;
    std::uint64_t seed = 0;
    Way way;
  };
  /// A field of which the key is open.
  struct Renamed {
    std::uint32_t entry = 0;  // of the value, whatever that is
    Way way;
  };
  Fingerprint rest_of(const Tape& tape, std::uint32_t entry, const Way& way,
                      const std::vector<std::uint32_t>& open);
  Fingerprint rest_of_map(const Tape& tape, std::uint32_t entry, const Way& way,
                          const std::vector<std::uint32_t>& open);
  Fingerprint rest_of_list(const Tape& tape, std::uint32_t entry, const Way& way,
                           const std::vector<std::uint32_t>& open);

  Fingerprint rest_;
  std::vector<Text> texts_;
  std::vector<Renamed> renamed_;
};

}  // namespace gedge::codec
