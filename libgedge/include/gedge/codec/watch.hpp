// gedge/codec/watch.hpp - what an API server says around its objects: lists and watches.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/base/result.hpp"
#include "gedge/port/watch.hpp"

namespace gedge {

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
  /// The bytes of each object of a list. Errors: kInvalidInput for what is no list.
  Result<std::vector<std::string>> read_items(std::string_view body, std::size_t padding = 0);

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

/// That a watch of `path` tells a change of a type that this version does not know, in `line`.
Error unknown_change(std::string_view path, const WatchLine& line);

}  // namespace gedge
