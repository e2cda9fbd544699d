// recommend_command.hpp - what `gedge scale recommend` was told, and the part of it that asks a
// live cluster.
#pragma once

#include <cstdint>
#include <string>

#include "exit.hpp"
#include "gedge/base/result.hpp"
#include "gedge/scale/recommend.hpp"
#include "gedge/scale/resize.hpp"
#include "io.hpp"
#include "scale_input.hpp"

namespace gedge::cli {

struct RecommendCommand : ScaleOptions {
  std::string name, kind;
  std::string through;  ///< "pods", "template"; empty: whatever the server can
  std::uint64_t min_hours = 24;
  bool applies = false;
};

/// The workload that is meant, in `facts`. Errors: kNotFound, with a name that is near.
Result<const ScaleTarget*> find_workload(const ScaleFacts& facts, const RecommendCommand& command,
                                         const ScopedName& name);
RecommendSettings recommend_settings(const RecommendCommand& command);
/// `run` null: nobody asked what would change.
void show_recommendation(Io& io, const RecommendCommand& command,
                         const Recommendation& recommendation, const ResizeRun* run);

/// In the library of daemons. `command` is checked.
using RunRecommend = int (*)(const RecommendCommand&, Io&);
inline constexpr const char* kRunRecommend = "gedge_run_recommend";

}  // namespace gedge::cli
