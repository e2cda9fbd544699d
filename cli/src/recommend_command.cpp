#include "recommend_command.hpp"

#include <chrono>
#include <vector>

#include "gedge/base/nearest.hpp"
#include "gedge/codec/write_scale.hpp"
#include "render/recommend_view.hpp"

namespace gedge::cli {
namespace {

Error wrong_name(const ScaleFacts& facts, const RecommendCommand& command, const ScopedName& name) {
  std::vector<std::string> names, kinds;
  std::string elsewhere;
  for (const ScaleTarget& target : facts.targets) {
    if (target.namespace_name != name.space) {
      if (target.name == name.name) elsewhere = target.namespace_name + "/" + target.name;
      continue;
    }
    names.push_back(target.name);
    if (target.name == name.name) kinds.push_back(target.kind);
  }
  if (kinds.size() > 1 && command.kind.empty())
    return invalid_input("several workloads are named '" + name.name + "'", {},
                         "say which: `--kind " + kinds.front() + "`");
  Error error{
      Errc::kNotFound, "no workload '" + name.name + "' in namespace '" + name.space + "'", {}, {}};
  if (!kinds.empty())
    error.hint = "there is a " + kinds.front() + " of that name";
  else if (!elsewhere.empty())
    error.hint = "did you mean " + elsewhere + "?";
  else if (names.empty())
    error.hint = command.input.cluster.empty() ? "name a file with one: `-f deployment.yaml`"
                                               : "name another namespace: `-n NAMESPACE`";
  else
    error.hint = suggestion(name.name, names);
  return error;
}

}  // namespace

Result<const ScaleTarget*> find_workload(const ScaleFacts& facts, const RecommendCommand& command,
                                         const ScopedName& name) {
  const ScaleTarget* found = nullptr;
  for (const ScaleTarget& target : facts.targets) {
    if (target.namespace_name != name.space || target.name != name.name) continue;
    if (!command.kind.empty() && target.kind != command.kind) continue;
    if (found != nullptr) return wrong_name(facts, command, name);
    found = &target;
  }
  if (found == nullptr) return wrong_name(facts, command, name);
  return found;
}

RecommendSettings recommend_settings(const RecommendCommand& command) {
  RecommendSettings settings;
  if (command.input.max_age)
    settings.history_s =
        std::chrono::duration_cast<std::chrono::seconds>(*command.input.max_age).count();
  return settings;
}

void show_recommendation(Io& io, const RecommendCommand& command,
                         const Recommendation& recommendation, const ResizeRun* run) {
  TableOptions table;
  table.headers = !command.output.no_headers;
  if (command.output.format != Format::kTable) {
    io.out.write(write(recommendation, run, text_format(command.output.format)));
  } else {
    print_recommendation(io.out, recommendation, table);
    if (run != nullptr) print_resize(io.out, *run, table);
  }
  io.out.flush();
}

}  // namespace gedge::cli
