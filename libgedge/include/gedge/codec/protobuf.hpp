// gedge/codec/protobuf.hpp - what an API server says in protobuf, as the JSON it says else.
//
// A server needs half the time for a list in protobuf that it needs for one in JSON, and sends half
// the bytes. What gedge reads of nodes, pods and refusals is known here by the numbers of its
// fields; all else is skipped, as where JSON is read. One way of reading serves both: this one only
// writes what the server would have.
#pragma once

#include <string>
#include <string_view>

#include "gedge/base/result.hpp"

namespace gedge::codec {

/// Whether a body begins as those in protobuf do, and as no JSON does.
bool is_protobuf(std::string_view body);

/// A NodeList, a PodList or a Status of v1, without the fields that nobody reads. Costs a copy of
/// what is read. Errors: kInvalidInput where it is another kind, is cut off, or is no protobuf.
Result<std::string> json_of_protobuf(std::string_view body);

}  // namespace gedge::codec
