// codec/latency.cpp - puts the latency files together: names of nodes, zeros, later over earlier.
#include "gedge/codec/latency.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "codec/rtt_counts.hpp"
#include "codec/rtt_draft.hpp"
#include "gedge/base/duration.hpp"

namespace gedge {
namespace codec {
namespace {

constexpr std::string_view kFormatHint =
    "give a CSV with header, from,to,rtt_ms, a matrix of numbers, Goldpinger's check_all, gedge "
    "JSON or a log of ping";

using Names = std::map<std::string, std::string, std::less<>>;

/// Addresses of nodes, and what gedge calls them. An address that two nodes claim says nothing.
Names names_by_address(const RttOptions& options) {
  Names names;
  if (!options.rtt_by.empty()) return names;
  for (const Node& node : options.nodes)
    for (const std::string& address : node.addresses) {
      const auto [at, fresh] = names.emplace(address, node.name);
      if (!fresh && at->second != node.name) at->second.clear();
    }
  for (const Node& node : options.nodes) names[node.name] = node.name;
  return names;
}

/// What a node is called in the matrix: its name, or its value of --rtt-by.
std::set<std::string, std::less<>> known_names(const RttOptions& options) {
  std::set<std::string, std::less<>> known;
  for (const Node& node : options.nodes) {
    const std::string* name =
        options.rtt_by.empty() ? &node.name.str() : node.labels.find(options.rtt_by);
    if (name != nullptr) known.insert(*name);
  }
  return known;
}

void use_node_names(Draft& draft, const Names& by_address) {
  for (std::size_t i = 0; i < draft.names.size(); ++i) {
    auto at = by_address.find(draft.names[i]);
    if (at == by_address.end() && i < draft.addresses.size())
      at = by_address.find(draft.addresses[i]);
    if (at != by_address.end() && !at->second.empty()) draft.names[i] = at->second;
  }
}

/// Calls use(from, to, rtt) for each pair with indices of the draft's names.
template <typename Use>
void for_each_pair(const Draft& draft, Use use) {
  for (const RttPair& pair : draft.pairs) use(pair.from, pair.to, pair.rtt);
  const std::size_t n = draft.names.size();
  for (std::size_t row = 0; row * n < draft.cells.size(); ++row)
    for (std::size_t column = 0; column < n; ++column)
      use(row, column, draft.cells[row * n + column]);
}

struct DraftCounts {
  RttCounts between, inside;  // different names; one name
};

DraftCounts counts_of(const Draft& draft) {
  DraftCounts counts{count_rtts(draft.cells), {}};
  for (std::size_t i = 0; i < draft.cells.size(); i += draft.names.size() + 1)
    counts.inside.add(draft.cells[i].us);
  counts.between.measured -= counts.inside.measured;
  counts.between.zeros -= counts.inside.zeros;
  counts.between.unlikely -= counts.inside.unlikely;
  for (const RttPair& pair : draft.pairs)
    (pair.from == pair.to ? counts.inside : counts.between).add(pair.rtt.us);
  return counts;
}

/// True if its cells lie as those of a matrix do.
bool is_in_order(const Draft& draft) {
  const std::vector<std::string>& names = draft.names;
  return !names.empty() && draft.pairs.empty() &&
         draft.cells.size() == names.size() * names.size() &&
         std::adjacent_find(names.begin(), names.end(), std::greater_equal<>()) == names.end();
}

/// Texts that lie beside data. A folder's other files count, unless it has no others.
bool is_prose(const InputFile& file) {
  const std::size_t slash = file.name.rfind('/');
  const std::string base = slash == std::string::npos ? file.name : file.name.substr(slash + 1);
  return base.starts_with("README") || base.starts_with("NOTICE") || base.starts_with("LICENSE") ||
         base.ends_with(".md");
}

class Merger {
 public:
  Merger(const RttOptions& options, RttReading& reading) : options_(options), reading_(reading) {}

  void read(const std::vector<RttSource>& sources) {
    for (const RttSource& source : sources) read_source(source);
    if (reading_.errors.empty()) merge();
  }

 private:
  struct Named {
    Draft draft;
    std::string origin;
    bool has_zeros = false;  // of different names
  };

  void read_source(const RttSource& source) {
    std::vector<const InputFile*> files;
    const bool only_prose = std::all_of(source.begin(), source.end(), is_prose);
    for (const InputFile& file : source)
      if (only_prose || !is_prose(file)) files.push_back(&file);
    std::stable_sort(files.begin(), files.end(),
                     [](const InputFile* a, const InputFile* b) { return a->name < b->name; });
    std::map<const InputFile*, RttFormat> formats;
    Errors unread;
    for (const InputFile* file : files) formats[file] = read_file(*file, unread);
    for (const InputFile& file : source) reading_.formats.push_back(formats[&file]);
    const bool none_read = std::none_of(files.begin(), files.end(), [&](const InputFile* file) {
      return formats[file] != RttFormat::kUnknown && formats[file] != RttFormat::kWonderCities;
    });
    if (none_read && unread.empty() && !files.empty())
      unread.push_back(invalid_input("a list of places, without round-trip times",
                                     {files[0]->name, 0, 0, "", 1}, std::string(kFormatHint)));
    for (Error& error : unread) {
      if (none_read)
        reading_.errors.push_back(std::move(error));
      else
        reading_.warnings.push_back({"UnreadFile", std::move(error.what), std::move(error.where)});
    }
  }

  RttFormat read_file(const InputFile& file, Errors& unread) {
    Diagnostics diagnostics;
    const Source source(file.name, file.bytes);
    const RttText text{source, diagnostics, options_};
    Draft draft;
    draft.format = recognise_rtt(source.bytes());
    if (source.check_text(file.bytes.size(), diagnostics)) draft = read_draft(text, draft.format);
    const RttFormat format = draft.format;
    const bool unknown = format == RttFormat::kUnknown;
    if (unknown && diagnostics.ok())
      text.fail_all(
          source.bytes().empty() ? "the file is empty" : "no format of RTTs that gedge knows",
          std::string(kFormatHint));
    Errors errors = diagnostics.take_errors();
    std::move(errors.begin(), errors.end(), std::back_inserter(unknown ? unread : reading_.errors));
    std::vector<Warning> warnings = diagnostics.take_warnings();
    std::move(warnings.begin(), warnings.end(), std::back_inserter(reading_.warnings));
    if (errors.empty()) keep(std::move(draft), file.name);
    return format;
  }

  static Draft read_draft(const RttText& text, RttFormat format) {
    Draft draft;
    switch (format) {
      case RttFormat::kSquareCsv:
        draft = read_square_csv(text);
        break;
      case RttFormat::kEdgeList:
        draft = read_edge_list(text);
        break;
      case RttFormat::kPlain:
        draft = read_plain(text);
        break;
      case RttFormat::kDat:
        draft = read_dat(text);
        break;
      case RttFormat::kWonderNetwork:
        draft = read_wonder_network(text);
        break;
      case RttFormat::kPing:
        draft = read_ping(text);
        break;
      case RttFormat::kGoldpinger:
      case RttFormat::kNodeLatency:
      case RttFormat::kNetworkTopology:
      case RttFormat::kLatencyMatrix:
        return read_rtt_object(text);
      case RttFormat::kWonderCities:
      case RttFormat::kUnknown:
        break;
    }
    draft.format = format;
    return draft;
  }

  void keep(Draft draft, const std::string& origin) {
    const DraftCounts said = counts_of(draft);
    warn_about_values(draft, said, origin);
    drafts_.push_back({std::move(draft), origin, said.between.zeros > 0});
  }

  void warn_about_values(const Draft& draft, const DraftCounts& said, const std::string& origin) {
    const auto warn = [&](std::string code, std::string message) {
      reading_.warnings.push_back({std::move(code), std::move(message), {origin, 0, 0, "", 1}});
    };
    const bool whole = draft.names.size() == 1 || !options_.rtt_by.empty();
    const bool is_empty = said.between.measured == 0 && !(whole && said.inside.measured > 0);
    const bool may_be_empty =  // a log of lost pings says what it has to say
        draft.format == RttFormat::kWonderCities || draft.format == RttFormat::kPing;
    if (is_empty && !may_be_empty) warn("NoRtt", "no round-trip time in it");
    if (said.between.zeros > 0 && !options_.zero_is_value) {
      const std::string count =
          std::to_string(said.between.zeros) + (said.between.zeros == 1 ? " pair" : " pairs");
      const std::string cause = draft.format == RttFormat::kGoldpinger
                                    ? "Goldpinger leaves out times below 1 ms: " + count
                                    : count + " of 0";
      warn("ZeroRtt", cause + " count as unmeasured (`--rtt-zero value` counts them as 0)");
    }
    if (const std::size_t undated = undated_pairs(draft, said); undated > 0 && ages_count())
      warn("UndatedRtt", undated == 1 ? "1 pair does not say when it was measured, and counts"
                                      : std::to_string(undated) +
                                            " pairs do not say when they were measured, and count");
    if (2 * said.between.unlikely > said.between.measured)
      warn("UnlikelyUnit",
           "most RTTs are " + format_duration(kUnlikely.us) + " or more: is `--rtt-unit` right?");
  }

  bool ages_count() const { return options_.max_age && options_.now; }

  std::size_t undated_pairs(const Draft& draft, const DraftCounts& said) const {
    if (draft.cells.empty()) return draft.undated;
    return said.between.measured - (options_.zero_is_value ? 0 : said.between.zeros);
  }

  void merge() {
    const Names by_address = names_by_address(options_);
    std::vector<std::string> all;
    std::map<std::string, std::string> first_origin;
    for (auto& [draft, origin, has_zeros] : drafts_) {
      use_node_names(draft, by_address);
      for (const std::string& name : draft.names)
        if (first_origin.emplace(name, origin).second) all.push_back(name);
    }
    if (all.size() > kMaxRttNames) {
      reading_.errors.push_back(invalid_input(std::to_string(all.size()) +
                                              " names in all matrices; gedge holds " +
                                              std::to_string(kMaxRttNames)));
      return;
    }
    if (drafts_.size() == 1 && is_in_order(drafts_[0].draft)) {
      take(drafts_[0]);
    } else {
      reading_.matrix = RttMatrix(std::move(all));
      if (!options_.rtt_by.empty()) clear_diagonal();
      for (const Named& named : drafts_) add(named.draft);
    }
    if (options_.keep_details) reading_.details = merged_details();
    reading_.matrix.note_symmetry();
    warn_about_names(first_origin);
  }

  /// What add() makes of the only draft, where its cells already lie.
  void take(Named& named) {
    std::vector<Rtt>& cells = named.draft.cells;
    const std::size_t n = named.draft.names.size();
    std::vector<Rtt> inside(n);  // is never measured without --rtt-by
    if (!options_.rtt_by.empty())
      for (std::size_t i = 0; i < n; ++i) inside[i] = cells[i * n + i];
    if (named.has_zeros && !options_.zero_is_value)
      std::replace(cells.begin(), cells.end(), Rtt{0}, kUnmeasured);
    for (std::size_t i = 0; i < n; ++i) cells[i * n + i] = inside[i];
    reading_.matrix = RttMatrix(std::move(named.draft.names), std::move(cells));
  }

  void clear_diagonal() {
    for (std::size_t i = 0; i < reading_.matrix.size(); ++i) {
      const NameIndex name{static_cast<std::uint32_t>(i)};
      reading_.matrix.set(name, name, kUnmeasured);
    }
  }

  void add(const Draft& draft) {
    std::vector<NameIndex> place;
    for (const std::string& name : draft.names) place.push_back(*reading_.matrix.find(name));
    for_each_pair(draft, [&](std::size_t from, std::size_t to, Rtt rtt) {
      const bool same = place[from] == place[to];
      if (rtt == kUnmeasured || (same && options_.rtt_by.empty())) return;
      if (rtt.us == 0 && !same && !options_.zero_is_value) return;
      reading_.matrix.set(place[from], place[to], rtt);
    });
  }

  /// Of each pair what the source says whose number counts: the last one that measured it, or the
  /// last one if none did.
  PairDetails merged_details() {
    PairDetails merged;
    std::unordered_map<std::uint64_t, PairStats> known;  // by row * n + column
    const std::size_t n = reading_.matrix.size();
    for (Named& named : drafts_) {
      Draft& draft = named.draft;
      std::vector<std::uint64_t> place;
      for (const std::string& name : draft.names) place.push_back(raw(*reading_.matrix.find(name)));
      const bool detailed = !draft.details.pairs.empty();
      std::size_t at = 0;
      if (!detailed && known.empty()) continue;
      for_each_pair(draft, [&](std::size_t from, std::size_t to, Rtt rtt) {
        PairStats stats = detailed ? draft.details.pairs[at++] : PairStats{};
        if (place[from] == place[to] && options_.rtt_by.empty()) return;
        stats.method = merged.method(draft.details.methods[stats.method]);
        add_details(known, place[from] * n + place[to], rtt, stats);
      });
    }
    for (const auto& [key, stats] : known) {
      merged.pairs.push_back(stats);
      merged.pairs.back().from = NameIndex{static_cast<std::uint32_t>(key / n)};
      merged.pairs.back().to = NameIndex{static_cast<std::uint32_t>(key % n)};
    }
    std::sort(merged.pairs.begin(), merged.pairs.end(), [](const PairStats& a, const PairStats& b) {
      return std::pair(raw(a.from), raw(a.to)) < std::pair(raw(b.from), raw(b.to));
    });
    return merged;
  }

  void add_details(std::unordered_map<std::uint64_t, PairStats>& known, std::uint64_t key, Rtt rtt,
                   PairStats stats) const {
    const std::size_t n = reading_.matrix.size();
    const NameIndex from{static_cast<std::uint32_t>(key / n)},
        to{static_cast<std::uint32_t>(key % n)};
    const bool no_time = rtt.us == 0 && from != to && !options_.zero_is_value;
    if (no_time)
      stats.only = stats.min = stats.p50 = stats.p95 = stats.p99 = stats.max = stats.mean =
          kUnmeasured;
    const bool counts = rtt != kUnmeasured && !no_time;
    if (!counts && reading_.matrix.at(from, to) != kUnmeasured) return;
    if (stats.says_more())
      known[key] = stats;
    else if (counts)
      known.erase(key);
  }

  void warn_about_names(const std::map<std::string, std::string>& origins) {
    const auto known = known_names(options_);
    if (options_.nodes.empty()) return;
    const std::string what =
        options_.rtt_by.empty() ? "no node" : "the label " + options_.rtt_by + " of no node";
    for (const auto& [name, origin] : origins) {
      if (known.count(name) > 0) continue;
      reading_.warnings.push_back({"UnknownLatencyName",
                                   "the RTT matrix names " + quote(name) + ", which is " + what,
                                   {origin, 0, 0, "", 1}});
    }
  }

  const RttOptions& options_;
  RttReading& reading_;
  std::vector<Named> drafts_;
};

}  // namespace
}  // namespace codec

std::string_view to_string(RttFormat format) {
  constexpr std::array<std::string_view, 12> names{
      "unknown",       "square CSV",           "edge list",   "plain matrix",
      "Goldpinger",    "LatencyMatrix",        "NodeLatency", "min/avg/max/mdev",
      "WonderNetwork", "WonderNetwork cities", "ping log",    "NetworkTopology"};
  return names[static_cast<std::size_t>(format)];
}

RttReading read_rtt(const std::vector<RttSource>& sources, const RttOptions& options) {
  RttReading reading;
  codec::Merger(options, reading).read(sources);
  if (!reading.errors.empty()) reading.matrix = {};
  return reading;
}

RttReading read_node_latency(const std::vector<LatencyObject>& objects, const RttOptions& options) {
  RttSource source;
  for (const LatencyObject& object : objects) source.push_back({object.name, object.json});
  return read_rtt({source}, options);
}

}  // namespace gedge
