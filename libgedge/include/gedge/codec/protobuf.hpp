// gedge/codec/protobuf.hpp - what an API server says in protobuf, as the JSON it says else.
//
// A server makes a list in protobuf with less work and sends fewer bytes: the row L-8 of
// tests/bench has most of its time in such lists. What gedge reads of nodes, pods and refusals is
// known here by the numbers of its fields; all else is skipped, as where JSON is read. One way of
// reading serves both: this one only writes what the server would have.
#pragma once

#include <string>
#include <string_view>

#include "gedge/base/result.hpp"
#include "gedge/port/watch.hpp"

namespace gedge::codec {

/// Whether a body begins as those in protobuf do, and as no JSON does.
bool is_protobuf(std::string_view body);

/// A `list` of v1 ("NodeList", "PodList"), or the Status of a refusal, without the fields that
/// nobody reads. Texts that are not UTF-8 have U+FFFD where they are not, as the server has it.
/// Costs a copy of what is read, 1 GiB at most. Errors: kInvalidInput where it is another kind, is
/// cut off or damaged, or too large for memory or the limit.
Result<std::string> json_of_protobuf(std::string_view body, std::string_view list);

/// What a `list` says of itself, at a cost that does not grow with what is in it: nothing of that
/// is looked at. Errors: kInvalidInput where it is no such list, or cut off before.
Result<ListMeta> meta_of_protobuf(std::string_view body, std::string_view list);

}  // namespace gedge::codec
