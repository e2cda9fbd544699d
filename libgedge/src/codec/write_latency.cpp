// Tables and lists of round-trip times. What is written is recognised again before it is handed
// out: names decide how a reader takes a table, and a name can be anything.
#include "gedge/codec/write_latency.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "codec/document_sink.hpp"
#include "codec/pair_text.hpp"
#include "codec/rtt_draft.hpp"
#include "codec/write_topology.hpp"
#include "gedge/codec/timestamp.hpp"

namespace gedge {
namespace codec {
namespace {

std::string counted(std::size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

NameIndex index_of(std::size_t i) { return NameIndex{static_cast<std::uint32_t>(i)}; }

void lose(WrittenRtt& written, std::string code, std::string message) {
  written.losses.push_back({std::move(code), std::move(message), {}});
}

/// True if no reader of tables would find the name as it is.
bool fits_no_cell(std::string_view name) {
  return name.find_first_of("\",;\t\n\r") != std::string::npos || name != trim(name);
}

/// A line that begins with '#' would be a comment.
std::string cell_of(const std::string& name) {
  return name.starts_with('#') ? '"' + name + '"' : name;
}

/// How many pairs have details that one number does not tell, and how many of those are estimates.
struct Untold {
  std::size_t pairs = 0, estimates = 0, suspicious = 0;
};

Untold untold_of(const PairDetails& details) {
  Untold untold;
  for (const PairStats& pair : details.pairs) {
    if (pair.says_more()) ++untold.pairs;
    if (pair.estimated) ++untold.estimates;
    if (pair.suspicious) ++untold.suspicious;
  }
  return untold;
}

void report_untold(const PairDetails& details, std::string_view format, WrittenRtt& written) {
  const Untold untold = untold_of(details);
  if (untold.pairs > 0)
    lose(written, "LostDetails",
         std::string(format) +
             " holds one number a pair: other statistics, loss, age and method of " +
             counted(untold.pairs, "pair") + " are left out");
  if (untold.estimates > 0)
    lose(written, "LostMarks",
         counted(untold.estimates, "estimate") + " cannot be told from measurements any more");
  if (untold.suspicious > 0)
    lose(written, "LostMarks",
         counted(untold.suspicious, "suspicious pair") + " cannot be told from others any more");
}

std::size_t unmeasured_pairs(const RttMatrix& matrix) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    const auto row = matrix.row(index_of(i));
    for (std::size_t j = 0; j < row.size(); ++j)
      if (i != j && row[j] == kUnmeasured) ++count;
  }
  return count;
}

void append_rows(const RttMatrix& matrix, std::string_view separator, std::string_view unmeasured,
                 bool names, std::string& text) {
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    if (names) text += cell_of(matrix.names()[i]);
    bool first = !names;
    for (const Rtt rtt : matrix.row(index_of(i))) {
      if (!first) text += separator;
      first = false;
      text += rtt == kUnmeasured ? std::string(unmeasured) : milliseconds(rtt);
    }
    text += '\n';
  }
}

void check_names(const std::vector<std::string>& names, std::string_view format,
                 WrittenRtt& written) {
  for (const std::string& name : names)
    if (fits_no_cell(name))
      written.errors.push_back(
          invalid_input(std::string(format) + " cannot hold the name " + quote(name), {},
                        "write gedge JSON: `-o json`"));
}

/// Refuses a text that would be read as something else.
void check_recognised(RttFormat wanted, WrittenRtt& written) {
  const RttFormat found = recognise_rtt(written.text);
  if (found == wanted || written.text.empty()) return;
  written.errors.push_back(invalid_input("with these names, " + std::string(to_string(wanted)) +
                                             " would be read as " + std::string(to_string(found)),
                                         {}, "write gedge JSON: `-o json`"));
}

WrittenRtt write_square(const RttMatrix& matrix, const PairDetails& details) {
  WrittenRtt written;
  check_names(matrix.names(), "square CSV", written);
  for (const std::string& name : matrix.names()) written.text += ',' + cell_of(name);
  written.text += '\n';
  append_rows(matrix, ",", "", true, written.text);
  check_recognised(RttFormat::kSquareCsv, written);
  report_untold(details, "square CSV", written);
  return written;
}

WrittenRtt write_plain(const RttMatrix& matrix, const PairDetails& details) {
  WrittenRtt written;
  append_rows(matrix, " ", "-", false, written.text);
  Json rows = Json::object();
  for (std::size_t i = 0; i < matrix.size(); ++i) rows[matrix.names()[i]] = i;
  written.names = rows.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
  check_recognised(RttFormat::kPlain, written);
  if (const std::size_t gaps = unmeasured_pairs(matrix); gaps > 0)
    lose(written, "MarkedPairs",
         counted(gaps, "unmeasured pair") +
             " stand as `-`: only gedge reads that, the edge scheduler has no word for it");
  report_untold(details, "a plain matrix", written);
  return written;
}

/// One column of an edge list beyond the names; a text a pair, empty where nobody knows.
struct EdgeColumn {
  std::string_view header;
  std::string (*text)(const PairStats&, const PairDetails&);
};

std::string count_text(std::uint32_t count) {
  return count == kNotKnown ? "" : std::to_string(count);
}

constexpr std::array<EdgeColumn, 15> kEdgeColumns{{
    {"min_ms", [](const PairStats& p, const PairDetails&) { return milliseconds(p.min); }},
    {"p50_ms", [](const PairStats& p, const PairDetails&) { return milliseconds(p.p50); }},
    {"p95_ms", [](const PairStats& p, const PairDetails&) { return milliseconds(p.p95); }},
    {"p99_ms", [](const PairStats& p, const PairDetails&) { return milliseconds(p.p99); }},
    {"max_ms", [](const PairStats& p, const PairDetails&) { return milliseconds(p.max); }},
    {"mean_ms", [](const PairStats& p, const PairDetails&) { return milliseconds(p.mean); }},
    {"mdev_ms", [](const PairStats& p, const PairDetails&) { return milliseconds(p.mdev); }},
    {"jitter_ms", [](const PairStats& p, const PairDetails&) { return milliseconds(p.jitter); }},
    {"loss_ppm", [](const PairStats& p, const PairDetails&) { return count_text(p.loss_ppm); }},
    {"samples", [](const PairStats& p, const PairDetails&) { return count_text(p.samples); }},
    {"method", [](const PairStats& p, const PairDetails& d) { return d.methods[p.method]; }},
    {"measured_at",
     [](const PairStats& p, const PairDetails&) {
       return p.measured_at == kNever ? std::string() : format_timestamp(p.measured_at);
     }},
    {"estimated",
     [](const PairStats& p, const PairDetails&) { return std::string(p.estimated ? "true" : ""); }},
    {"upper_ms", [](const PairStats& p, const PairDetails&) { return milliseconds(p.upper); }},
    {"suspicious", [](const PairStats& p,
                      const PairDetails&) { return std::string(p.suspicious ? "true" : ""); }},
}};

/// The columns that any pair fills.
std::vector<EdgeColumn> columns_of(PairWalk pairs) {
  std::array<bool, kEdgeColumns.size()> filled{};
  while (pairs.next()) {
    const PairStats stats = pairs.stats();
    if (!stats.says_more()) continue;
    for (std::size_t i = 0; i < filled.size(); ++i)
      filled[i] = filled[i] || !kEdgeColumns[i].text(stats, pairs.details()).empty();
  }
  std::vector<EdgeColumn> columns;
  for (std::size_t i = 0; i < filled.size(); ++i)
    if (filled[i]) columns.push_back(kEdgeColumns[i]);
  return columns;
}

/// Writes the lines of an edge list; `take` as of write_rtt(), null to keep them.
class EdgeList {
 public:
  EdgeList(PairWalk pairs, const TextTaker* take)
      : pairs_(pairs), take_(take), columns_(columns_of(pairs)) {}

  WrittenRtt write() && {
    const RttMatrix& matrix = pairs_.matrix();
    check_names(matrix.names(), "an edge list", written_);
    check_names(pairs_.details().methods, "an edge list", written_);
    written_.text = "from,to,rtt_ms";
    for (const EdgeColumn& column : columns_) written_.text += ',' + std::string(column.header);
    written_.text += '\n';
    std::vector<bool> named(matrix.size());
    while (pairs_.next()) {
      named[raw(pairs_.from())] = named[raw(pairs_.to())] = true;
      add_pair();
      if (take_ != nullptr && written_.text.size() >= kPiece) hand_on();
    }
    for (std::size_t i = 0; i < named.size(); ++i) {  // nobody would know of them
      if (named[i]) continue;
      const std::string name = cell_of(matrix.names()[i]);
      written_.text += name + ',' + name + ",-" + std::string(columns_.size(), ',') + '\n';
    }
    check();
    if (take_ != nullptr) hand_on();
    return std::move(written_);
  }

 private:
  static constexpr std::size_t kPiece = 1 << 20;

  void add_pair() {
    const PairStats stats = pairs_.stats();
    std::string& text = written_.text;
    text += cell_of(pairs_.matrix().name(pairs_.from())) + ',';
    text += cell_of(pairs_.matrix().name(pairs_.to())) + ',' + milliseconds(stats.only);
    for (const EdgeColumn& column : columns_) text += ',' + column.text(stats, pairs_.details());
    text += '\n';
  }
  // The first lines decide how a text is read.
  void check() {
    if (!std::exchange(checked_, true)) check_recognised(RttFormat::kEdgeList, written_);
  }
  void hand_on() {
    check();
    if (written_.errors.empty()) (*take_)(written_.text);
    written_.text.clear();
  }

  PairWalk pairs_;
  const TextTaker* take_;
  std::vector<EdgeColumn> columns_;
  WrittenRtt written_;
  bool checked_ = false;
};

}  // namespace
}  // namespace codec

WrittenRtt write_rtt(const CompletedMatrix& completed, RttOutput output,
                     const std::function<void(std::string_view)>& take) {
  if (output == RttOutput::kEdgeList)
    return codec::EdgeList(codec::PairWalk(completed), &take).write();
  WrittenRtt written;
  if (output == RttOutput::kJson || output == RttOutput::kYaml)
    codec::write_completed(
        completed, output == RttOutput::kJson ? TextFormat::kJson : TextFormat::kYaml, take);
  else
    written.errors.push_back(invalid_input("the format cannot tell estimates from measurements"));
  return written;
}

WrittenRtt write_rtt(const RttMatrix& matrix, const PairDetails& details, RttOutput output,
                     const Whereabouts& where) {
  WrittenRtt written;
  switch (output) {
    case RttOutput::kJson:
      written.text = write(matrix, details, TextFormat::kJson);
      break;
    case RttOutput::kYaml:
      written.text = write(matrix, details, TextFormat::kYaml);
      break;
    case RttOutput::kSquareCsv:
      written = codec::write_square(matrix, details);
      break;
    case RttOutput::kEdgeList:
      written = codec::EdgeList(codec::PairWalk(matrix, details), nullptr).write();
      break;
    case RttOutput::kPlain:
      written = codec::write_plain(matrix, details);
      break;
    case RttOutput::kNetworkTopology:
      written = codec::write_network_topology(matrix, where);
      codec::report_untold(details, "a NetworkTopology", written);
      break;
  }
  if (!written.errors.empty()) written.text.clear();
  return written;
}

}  // namespace gedge
