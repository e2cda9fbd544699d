// gedge/codec/watch.hpp - what an API server says around its objects: lists and watches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "gedge/base/result.hpp"

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
  std::string kind, namespace_name, name, uid;
  std::string version;  ///< resourceVersion: where to go on from. Compared for equality alone
  int code = 0;         ///< kError: 410 when the version is too old, ...
  std::string reason, message;  ///< kError
};

/// What a list says of itself.
struct ListMeta {
  std::string version;
  std::string next;  ///< token of the next page; empty: this was the last
};

/// Looks at what stands around objects and is quick to pass over the rest, so what is wrong inside
/// an object is found by whoever reads that. Keeps its memory from line to line. Not for two
/// threads at once.
class WatchReader {
 public:
  WatchReader();
  ~WatchReader();

  /// `line`: without the line's end. `padding`: bytes behind it that may be read, whatever they
  /// are; 64 save a copy. Errors: kInvalidInput for what is no event of a watch.
  Result<WatchLine> read(std::string_view line, std::size_t padding = 0);
  /// Errors: kInvalidInput for what is no list.
  Result<ListMeta> read_list(std::string_view body, std::size_t padding = 0);

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace gedge
