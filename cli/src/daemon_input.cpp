#include "daemon_input.hpp"

#include <utility>

#include "input.hpp"
#include "report.hpp"

namespace gedge::cli {

std::optional<Exit> read_daemon_input(Io& io, const InputOptions& input, const RuleOptions& rules,
                                      const OutputOptions& output, bool needs_nodes,
                                      DaemonInput& given) {
  ProgressLine progress(io.err, true, io.clock);
  InputReader reader(io, input, rules.compat(), progress);
  if (!needs_nodes) reader.needs_no_nodes();
  auto read = reader.read();
  Errors errors = reader.take_errors();
  const Errors wrong_rules = load_rules(rules, reader, given.rules);
  errors.insert(errors.end(), wrong_rules.begin(), wrong_rules.end());
  if (!read || !errors.empty()) return fail(io, errors, output);
  given.facts = std::move(read->facts);
  given.rtt = std::move(read->rtt);
  std::vector<Warning> warnings = std::exchange(given.facts.warnings, {});
  warnings.insert(warnings.end(), given.rules.warnings.begin(), given.rules.warnings.end());
  report_input(io, warnings, {}, output);
  return std::nullopt;
}

}  // namespace gedge::cli
