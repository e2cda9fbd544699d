// io/machine_xml.hpp - whether a description of a machine is whole: libhwloc's own reader takes
// sets that are none for empty ones, and tags that do not match for others.
#pragma once

#include <string>
#include <string_view>

#include "gedge/base/result.hpp"

namespace gedge {

/// Is it well-formed XML without entities of its own, whose sets of CPUs and NUMA nodes are such?
/// Errors: kInvalidInput at the first place that is not; kDenied without libexpat.
Status check_machine_xml(const std::string& name, std::string_view text);

}  // namespace gedge
