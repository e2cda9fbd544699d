#include "measure_format.hpp"

#include <utility>

#include "render/collect_view.hpp"
#include "report.hpp"

namespace gedge::cli {
namespace {

Exit print(Io& io, const AgentMatrix& merged, MeasureFormat format, const OutputOptions& output,
           std::vector<Warning>& warnings) {
  if (is_table(format)) {
    const TableOptions table{format == MeasureFormat::kWide, !output.no_headers, output.sort_by};
    const Status printed = print_agent_matrix(io.out, merged, table);
    return printed ? Exit::kYes : fail_usage(io, printed.error());
  }
  const RttOutput as = rtt_output(format);
  if (as == RttOutput::kJson || as == RttOutput::kYaml) {
    io.out.write(write(merged, as == RttOutput::kJson ? TextFormat::kJson : TextFormat::kYaml));
    return Exit::kYes;
  }
  const WrittenRtt written = write_rtt(merged.matrix, merged.details, as);
  if (!written.errors.empty()) return fail(io, written.errors, output);
  io.out.write(written.text);
  warnings.insert(warnings.end(), written.losses.begin(), written.losses.end());
  return Exit::kYes;
}

}  // namespace

Exit show_matrix(Io& io, const AgentMatrix& merged, std::vector<Warning> warnings,
                 MeasureFormat format, const OutputOptions& output) {
  if (const Exit exit = print(io, merged, format, output, warnings); exit != Exit::kYes)
    return exit;
  io.out.flush();
  report_input(io, warnings, {}, output);
  if (!output.quiet) report_agents(io.err, merged, output.verbosity > 0);
  return Exit::kYes;
}

}  // namespace gedge::cli
