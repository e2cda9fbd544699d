// codec/yaml_parser.hpp - libyaml's parser as an object, and questions to its events.
#pragma once

#include <yaml.h>

#include <cstddef>
#include <string_view>

#include "codec/yaml_reduction.hpp"

namespace gedge::codec {

class YamlParser {
 public:
  explicit YamlParser(std::string_view bytes) {
    if (!initialize()) return;
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(bytes.data()),
                                 bytes.size());
  }
  explicit YamlParser(YamlReduction& reduction) {
    if (initialize()) yaml_parser_set_input(&parser_, read, &reduction);
  }
  YamlParser(const YamlParser&) = delete;
  YamlParser& operator=(const YamlParser&) = delete;
  ~YamlParser() {
    drop();
    if (ready_) yaml_parser_delete(&parser_);
  }

  /// The next event, null after an error; it lives until the next call.
  const yaml_event_t* next() {
    drop();
    held_ = ready_ && yaml_parser_parse(&parser_, &event_) != 0;
    return held_ ? &event_ : nullptr;
  }
  const yaml_parser_t& state() const { return parser_; }

 private:
  bool initialize() {
    ready_ = yaml_parser_initialize(&parser_) != 0;
    if (ready_) yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    return ready_;
  }
  static int read(void* reduction, unsigned char* buffer, std::size_t size, std::size_t* count) {
    *count = static_cast<YamlReduction*>(reduction)->read(buffer, size);
    return 1;
  }
  void drop() {
    if (held_) yaml_event_delete(&event_);
    held_ = false;
  }
  yaml_parser_t parser_{};
  yaml_event_t event_{};
  bool ready_ = false, held_ = false;
};

inline std::string_view text_of(const yaml_char_t* text, std::size_t length) {
  return {reinterpret_cast<const char*>(text), length};
}

inline std::string_view text_of(const yaml_char_t* text) {
  return text == nullptr ? std::string_view()
                         : std::string_view(reinterpret_cast<const char*>(text));
}

inline bool opens(const yaml_event_t& event) {
  return event.type == YAML_MAPPING_START_EVENT || event.type == YAML_SEQUENCE_START_EVENT;
}

inline bool closes(const yaml_event_t& event) {
  return event.type == YAML_MAPPING_END_EVENT || event.type == YAML_SEQUENCE_END_EVENT;
}

inline std::string_view anchor_of(const yaml_event_t& event) {
  if (event.type == YAML_SCALAR_EVENT) return text_of(event.data.scalar.anchor);
  if (event.type == YAML_MAPPING_START_EVENT) return text_of(event.data.mapping_start.anchor);
  if (event.type == YAML_SEQUENCE_START_EVENT) return text_of(event.data.sequence_start.anchor);
  return {};
}

/// An anchor, an alias or a tag: what is seldom enough to be read without shortcuts.
inline bool has_properties(const yaml_event_t& event) {
  if (event.type == YAML_ALIAS_EVENT || !anchor_of(event).empty()) return true;
  if (event.type == YAML_SCALAR_EVENT) return event.data.scalar.tag != nullptr;
  if (event.type == YAML_MAPPING_START_EVENT) return event.data.mapping_start.tag != nullptr;
  return event.type == YAML_SEQUENCE_START_EVENT && event.data.sequence_start.tag != nullptr;
}

inline bool is_flow(const yaml_event_t& start) {
  return start.type == YAML_MAPPING_START_EVENT
             ? start.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE
             : start.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
}

}  // namespace gedge::codec
