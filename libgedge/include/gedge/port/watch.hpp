// gedge/port/watch.hpp - what an API server says around its objects: lists and watches.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gedge/base/nanos.hpp"

namespace gedge {

enum class WatchType : std::uint8_t {
  kAdded,
  kModified,
  kDeleted,
  kBookmark,  ///< nothing happened, and so far
  kError,     ///< the watch is over: see WatchLine::code
  kOther,     ///< of a server newer than this; to be counted and left alone
};

/// One line of a watch.
struct WatchLine {
  WatchType type = WatchType::kOther;
  std::string_view object;  ///< its bytes, within the line; for a FactsLoader
  /// Of these: metadata.managedFields, a list that nobody reads; empty: there is none.
  std::string_view managed_fields;
  std::string kind, namespace_name, name, uid;
  std::string version;               ///< resourceVersion: where to go on from
  int code = 0;                      ///< kError: 410 when the version is too old, ...
  std::optional<Nanos> retry_after;  ///< kError: not before that, as the server asks for
  std::string reason, message;       ///< kError; of kOther, the message is the type
};

/// What a list says of itself.
struct ListMeta {
  std::string version;
  std::string next;  ///< token of the next page; empty: this was the last
};

}  // namespace gedge
