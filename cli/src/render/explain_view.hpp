// render/explain_view.hpp - an Explanation as text: the verdict, two matrices, and what would
// change it.
#pragma once

#include <string>
#include <string_view>

#include "gedge/effect/plan.hpp"
#include "gedge/policy/profile.hpp"
#include "term/stream.hpp"

namespace gedge::cli {

/// All of it. `profile` decided about the pod: its policies are the columns. `bound_node`: where
/// the pod is already; empty: nowhere. What does not fit a terminal is laid out as a longer table.
void print_explanation(Stream& out, const Explanation& explanation, const Profile& profile,
                       std::string_view bound_node, bool headers);

/// The same, narrowed to one node and the node that won.
void print_why_not(Stream& out, const Explanation& explanation, const Profile& profile,
                   std::string_view bound_node, std::string_view node, bool headers);

}  // namespace gedge::cli
