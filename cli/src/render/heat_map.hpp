// render/heat_map.hpp - a matrix for people: numbers where they fit, else a map of shades; and as a
// drawing.
#pragma once

#include <string>

#include "gedge/base/result.hpp"
#include "gedge/latency/matrix.hpp"
#include "gedge/latency/pair_stats.hpp"
#include "term/stream.hpp"

namespace gedge::cli {

/// FROM and a column for each name; "-" where nobody measured, and behind an RTT "~" for an
/// estimate and "!" for what is suspicious.
void print_rtt_table(Stream& out, const RttMatrix& matrix, const PairDetails& details,
                     bool headers);
/// Whether a terminal is wide enough for that; true for a pipe.
bool rtt_table_fits(const Stream& out, const RttMatrix& matrix, const PairDetails& details,
                    bool headers);

/// A row of shades for each name, or for as many names as it takes to fit the terminal, and what
/// the shades mean. Without colour, letters from "." to "@" stand for them.
void print_heat_map(Stream& out, const RttMatrix& matrix, const PairDetails& details);

/// The same as a picture, see render/heat_picture.hpp: an SVG 1.1 document.
std::string heat_svg(const RttMatrix& matrix, const PairDetails& details);
/// The same as the bytes of a PNG file with a palette. Letters outside of ASCII are empty boxes.
/// Errors: kDenied where libpng is missing.
Result<std::string> heat_png(const RttMatrix& matrix, const PairDetails& details);

}  // namespace gedge::cli
