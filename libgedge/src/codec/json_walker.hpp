// codec/json_walker.hpp - simdjson's On-Demand iteration onto tapes.
//
// Every value is walked, also those that nobody reads, so broken JSON is refused wherever it
// stands; only bytes that equal a value that was walked are not walked again
// (codec/shared_parts.hpp).
#pragma once

#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "codec/shared_parts.hpp"
#include "codec/source.hpp"
#include "codec/tape_builder.hpp"

namespace gedge::codec {

/// What simdjson is given: a text, and what to add to a place in it for that of the source.
/// Behind it stand simdjson::SIMDJSON_PADDING bytes that may be read.
struct JsonWindow {
  const char* text = nullptr;
  std::size_t size = 0;
  std::size_t shift = 0;
};

class JsonWalker {
 public:
  static constexpr std::uint64_t kMaxBytes = std::numeric_limits<std::uint32_t>::max() - 1;

  JsonWalker(const Source& source, Diagnostics& diagnostics);

  /// The bytes of the source, padded.
  const char* data() const { return data_; }
  std::size_t size() const { return size_; }
  /// The first byte from `at` on that is no white space; size() where there is none.
  std::size_t skip_space(std::size_t at) const;
  /// As source().bytes(): what texts on tapes are borrowed from.
  const Source& source() const { return source_; }

  /// Has simdjson index a text; its error is reported by refuse_whole().
  simdjson::error_code open(JsonWindow window, simdjson::ondemand::document& document);
  /// All of the source from `begin` on.
  simdjson::error_code open_rest(std::size_t begin, simdjson::ondemand::document& document);

  /// Prepares a tape for values of this source.
  void prepare(Tape& tape) const;

  // Each of these writes one value onto a tape; false after an error, which is reported.
  bool value(std::string_view key, simdjson::ondemand::value value, Tape& tape,
             TapeBuilder& builder);
  bool key(simdjson::ondemand::field& field, Tape& tape, TapeBuilder& builder,
           std::string_view& name);
  bool fill(simdjson::ondemand::object& object, Tape& tape, TapeBuilder& builder, Mark at);
  bool items(simdjson::ondemand::array& array, Tape& tape, TapeBuilder& builder);

  bool refuse(std::size_t offset, const std::string& what, std::string hint = {});
  /// simdjson stopped at a token that may not stand there.
  bool refuse_structure(char close);
  bool refuse_whole(simdjson::error_code error);
  /// Errors are not worded: whoever tries something reads the text again where it fails.
  void set_silent(bool silent) { is_silent_ = silent; }

  /// Values of an element are looked up among the parts that came before.
  void set_in_element(bool is_element) { is_element_ = is_element; }
  SharedParts& parts() { return parts_; }

  /// Where something that simdjson gave stands in the source.
  std::size_t offset_of(const char* at) const {
    return static_cast<std::size_t>(at - window_.text) + window_.shift;
  }
  Mark mark_of(std::string_view token) const {
    return {static_cast<std::uint32_t>(offset_of(token.data())), 0};
  }

 private:
  void pad();
  bool is_behind(std::string_view token) const {
    return static_cast<std::size_t>(token.data() - window_.text) >= window_.size;
  }
  bool container(std::string_view key, simdjson::ondemand::value& value, Tape& tape,
                 TapeBuilder& builder);
  template <typename Container>
  bool shared(Container& container, Tape& tape, TapeBuilder& builder, Mark at);
  bool fill(simdjson::ondemand::array& array, Tape& tape, TapeBuilder& builder, Mark at);
  bool scalar(std::string_view token, Tape& tape, TapeBuilder& builder, Mark at);
  bool string(std::string_view inside, std::size_t offset, Tape& tape, std::string_view& out);
  // Texts are borrowed from the source, not from a padded copy of it.
  std::string_view borrow(std::string_view token) const {
    return source_.bytes().substr(offset_of(token.data()), token.size());
  }

  const Source& source_;
  Diagnostics& diagnostics_;
  simdjson::ondemand::parser parser_;
  simdjson::ondemand::document* document_ = nullptr;
  SharedParts parts_;
  JsonWindow window_;
  std::string padded_;
  const char* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t begin_ = 0;  // of the present document
  bool is_element_ = false, is_silent_ = false;
};

/// Without the white space at its end.
std::string_view trim_json_end(std::string_view text);

}  // namespace gedge::codec
