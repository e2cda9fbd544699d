// measure_format.hpp - the ways in which `gedge measure` shows what it has found out.
#pragma once

#include <cstdint>

#include <vector>

#include "choices.hpp"
#include "exit.hpp"
#include "gedge/codec/write_latency.hpp"
#include "io.hpp"
#include "options.hpp"

namespace gedge::cli {

enum class MeasureFormat : std::uint8_t { kTable, kWide, kJson, kYaml, kEdges, kCsv };

inline constexpr Words<MeasureFormat, 6> kMeasureFormats{{{"table", MeasureFormat::kTable},
                                                          {"wide", MeasureFormat::kWide},
                                                          {"json", MeasureFormat::kJson},
                                                          {"yaml", MeasureFormat::kYaml},
                                                          {"edges", MeasureFormat::kEdges},
                                                          {"csv", MeasureFormat::kCsv}}};

constexpr bool is_table(MeasureFormat format) {
  return format == MeasureFormat::kTable || format == MeasureFormat::kWide;
}

/// Of a format that is no table.
constexpr RttOutput rtt_output(MeasureFormat format) {
  switch (format) {
    case MeasureFormat::kYaml:
      return RttOutput::kYaml;
    case MeasureFormat::kEdges:
      return RttOutput::kEdgeList;
    case MeasureFormat::kCsv:
      return RttOutput::kSquareCsv;
    default:
      return RttOutput::kJson;
  }
}

/// Prints a matrix of many places, and says on standard error what is amiss, `warnings` first.
/// Yes, unless it could not be printed.
Exit show_matrix(Io& io, const AgentMatrix& merged, std::vector<Warning> warnings,
                 MeasureFormat format, const OutputOptions& output);

}  // namespace gedge::cli
