// Latency in objects, JSON or YAML: Goldpinger's check_all, gedge's LatencyMatrix, NodeLatency
// objects, and the ConfigMap that carries a LatencyMatrix. Pairs are streamed: a matrix of a
// thousand nodes has a million of them.
#include <array>
#include <map>
#include <utility>

#include "codec/rtt_draft.hpp"
#include "codec/stream.hpp"
#include "gedge/codec/timestamp.hpp"

namespace gedge::codec {
namespace {

constexpr std::string_view kGroup = "gedge.io/";
constexpr std::string_view kVersion = "gedge.io/v1alpha1";

class ObjectReader final : public StreamHandler {
 public:
  explicit ObjectReader(const RttText& text) : text_(text) {}

  Draft read() {
    StreamOptions options;
    options.list_key = "pairs";
    read_stream(text_.source, text_.diagnostics, options, *this);
    return std::move(draft_);
  }

  bool wants_elements(Cursor) override { return in_pairs_ = true; }

  void element(Cursor element, StreamContext&) override {
    if (text_.hopeless()) return;
    if (in_pairs_)
      read_pair(element);
    else
      read_object(element, false);
  }

  void document(Cursor root, bool streamed) override {
    in_pairs_ = false;
    read_object(root, streamed);
  }

 private:
  void read_object(Cursor object, bool streamed) {
    if (!object.is_map()) return;
    const std::string kind = text_at(object, "kind");
    if (const auto items = object.find("items");
        items && items->is_list() && kind.ends_with("List")) {
      items->items([&](Cursor item) { read_object(item, false); });
    } else if (kind == "NodeLatency") {
      read_node_latency(object);
    } else if (kind == "ConfigMap") {
      read_config_map(object);
    } else if (kind == "NetworkTopology") {
      found(RttFormat::kNetworkTopology);
      read_network_topology(object, text_, draft_);
    } else if (kind == "LatencyMatrix" || (kind.empty() && streamed && object.find("nodes"))) {
      read_matrix(object);
    } else if (const auto responses = object.find("responses"); responses && kind.empty()) {
      found(RttFormat::kGoldpinger);
      read_goldpinger(object, *responses);
    } else if (streamed) {
      object.fail("a list of pairs without `kind: LatencyMatrix`");
    }
  }

  void found(RttFormat format) {
    if (draft_.format == RttFormat::kUnknown) draft_.format = format;
  }

  void check_version(Cursor object) {
    const auto version = object.find("apiVersion");
    if (!version || version->is_null()) return;
    const auto text = version->text();
    if (text && *text != kVersion && text->starts_with(kGroup))
      version->fail("version " + quote(*text) + " is not known",
                    "gedge reads " + std::string(kVersion));
  }

  // LatencyMatrix

  void read_matrix(Cursor object) {
    found(RttFormat::kLatencyMatrix);
    check_version(object);
    if (const auto pairs = object.find("pairs"); pairs && pairs->is_map())
      pairs->fail_type("a list");
    const auto nodes = object.find("nodes");
    const std::size_t named_by_pairs = draft_.names.size();
    std::vector<bool> listed(named_by_pairs);
    if (!nodes) return;
    nodes->items([&](Cursor node) {
      const auto id = name(node);
      if (id && *id < named_by_pairs) listed[*id] = true;
    });
    for (std::size_t i = 0; i < named_by_pairs; ++i)
      if (!listed[i])
        nodes->fail("a pair names " + quote(draft_.names[i]) + ", which is not in nodes");
  }

  void read_pair(Cursor pair) {
    const auto from = pair.find("from"), to = pair.find("to");
    if (!from || !to) {
      if (pair.is_map())
        pair.fail("a pair needs from and to");
      else
        pair.fail_type("a map");
      return;
    }
    const auto a = name(*from), b = name(*to);
    if (a && b) add({*a, *b}, pair);
  }

  /// What `said` has of a pair, in the fields of a LatencyMatrix.
  void add(const RttPair& pair, Cursor said) {
    constexpr std::array<std::pair<std::string_view, RttStats::Field>, 7> fields{
        {{"minUs", RttStats::kMin},
         {"meanUs", RttStats::kMean},
         {"p50Us", RttStats::kP50},
         {"p95Us", RttStats::kP95},
         {"p99Us", RttStats::kP99},
         {"maxUs", RttStats::kMax},
         {"upperUs", RttStats::kUpper}}};
    RttStats stats;
    PairRemarks remarks;
    RttAge age = RttAge::kUndated;
    said.fields([&](std::string_view key, Cursor value) {
      if (key == "estimated") remarks.estimated = value.boolean().value_or(false);
      if (key == "measuredAt") age = read_age(value, remarks);
      if (text_.options.keep_details) read_remark(key, value, remarks);
      for (const auto& [word, field] : fields) {
        if (key != word) continue;
        if (const auto us = value.integer(0, kMaxRtt.us))
          stats[field] = Rtt{static_cast<std::uint32_t>(*us)};
      }
    });
    if (!remarks.estimated) stats[RttStats::kUpper] = kUnmeasured;
    text_.add(draft_, pair, stats, remarks, age);
  }

  void read_remark(std::string_view key, Cursor value, PairRemarks& remarks) {
    const auto number = [&](std::int64_t most) {
      return static_cast<std::uint32_t>(value.integer(0, most).value_or(kNotKnown));
    };
    if (key == "mdevUs") remarks.mdev = Rtt{number(kMaxRtt.us)};  // none is kUnmeasured
    if (key == "jitterUs") remarks.jitter = Rtt{number(kMaxRtt.us)};
    if (key == "lossPpm") remarks.loss_ppm = number(1'000'000);
    if (key == "samples") remarks.samples = number(kNotKnown - 1);
    if (key == "suspicious") remarks.suspicious = value.boolean().value_or(false);
    if (key == "method")
      if (const auto method = value.text()) remarks.method = draft_.details.method(*method);
  }

  RttAge read_age(Cursor value, PairRemarks& remarks) {
    const auto time = value.text();
    const auto seconds = time ? parse_timestamp(*time) : std::nullopt;
    if (seconds) remarks.measured_at = *seconds;
    if (time && !seconds)
      value.fail(quote(*time) + " is no time", "write it as in RFC 3339: 2026-11-21T09:30:00Z");
    return time ? text_.age_of(*time) : RttAge::kUndated;
  }

  // Objects in the cluster

  void read_node_latency(Cursor object) {
    found(RttFormat::kNodeLatency);
    check_version(object);
    const auto metadata = object.find("metadata");
    const auto source = metadata ? metadata->find("name") : std::nullopt;
    const auto from = source ? name(*source) : std::nullopt;
    if (!from) {
      if (!source) object.fail("a NodeLatency without metadata.name");
      return;
    }
    const auto spec = object.find("spec");
    const auto peers = spec ? spec->find("peers") : std::nullopt;
    if (!peers) return;
    peers->items([&](Cursor peer) {
      const auto to = peer.find("to");
      if (!to) return peer.fail("a peer needs `to`");
      if (const auto id = name(*to)) add({*from, *id}, peer);
    });
  }

  void read_config_map(Cursor object) {
    const auto data = object.find("data");
    const auto matrix = data ? data->find("matrix.json") : std::nullopt;
    const auto json = matrix ? matrix->text() : std::nullopt;
    if (!json) return;
    found(RttFormat::kNodeLatency);
    const Source inner(text_.source.name() + " (matrix.json)", *json);
    const RttText text{inner, text_.diagnostics, text_.options};
    Draft read = ObjectReader(text).read();
    if (read.format != RttFormat::kLatencyMatrix && text_.diagnostics.ok())
      matrix->fail("matrix.json is no LatencyMatrix");
    draft_.undated += read.undated;
    for (const RttPair& pair : read.pairs)
      draft_.pairs.push_back(
          {draft_.intern(read.names[pair.from]), draft_.intern(read.names[pair.to]), pair.rtt, 0});
    for (PairStats& pair : read.details.pairs) {
      pair.method = draft_.details.method(read.details.methods[pair.method]);
      draft_.details.pairs.push_back(pair);
    }
  }

  // Goldpinger: pods are known by the address of their host, which is that of a node.

  void read_goldpinger(Cursor object, Cursor responses) {
    std::map<std::string, std::string, std::less<>> host_of;
    const auto hosts = object.find("hosts");
    if (hosts)
      hosts->items(
          [&](Cursor host) { host_of[text_at(host, "podName")] = text_at(host, "hostIP"); });
    responses.fields([&](std::string_view pod, Cursor answer) { note_host(host_of, pod, answer); });
    const auto id_of = [&](std::string_view pod, Cursor at) {
      const auto host = host_of.find(pod);
      const bool known = host != host_of.end() && !host->second.empty();
      return intern(known ? std::string_view(host->second) : pod, at);
    };
    if (hosts)  // also those that nobody reached
      hosts->items([&](Cursor host) { id_of(text_at(host, "podName"), host); });
    responses.fields([&](std::string_view pod, Cursor answer) {
      const auto ok = answer.find("OK");
      const auto response = answer.find("response");
      const auto results = response ? response->find("podResults") : std::nullopt;
      if (!results || (ok && !ok->boolean().value_or(true))) return warn_silent(pod, answer);
      results->fields([&](std::string_view peer, Cursor result) {
        note_host(host_of, peer, result);
        const auto from = id_of(pod, answer), to = id_of(peer, result);
        if (from && to) read_ping(result, {*from, *to});
      });
    });
  }

  void warn_silent(std::string_view pod, Cursor answer) {
    const std::string why = text_at(answer, "error");
    text_.warn("SilentPod",
               "pod " + quote(pod) + " gave no results" + (why.empty() ? "" : ": " + quote(why)));
  }

  void note_host(std::map<std::string, std::string, std::less<>>& host_of, std::string_view pod,
                 Cursor answer) {
    std::string host = text_at(answer, "HostIP");
    if (host.empty()) host = text_at(answer, "hostIP");
    if (!host.empty()) host_of.emplace(pod, std::move(host));
  }

  /// Goldpinger leaves response-time-ms out where it is 0, and so it does where a ping failed; OK
  /// tells them apart.
  void read_ping(Cursor result, const RttPair& pair) {
    RttStats stats;
    PairRemarks remarks;
    const auto ok = result.find("OK"), at = result.find("PingTime");
    const bool answered = ok && ok->boolean().value_or(false);
    if (answered) {
      const auto time = result.find("response-time-ms");
      const auto ms = time ? time->integer(0, kMaxRtt.us / 1000) : std::nullopt;
      stats[RttStats::kOnly] = Rtt{static_cast<std::uint32_t>(ms.value_or(0) * 1000)};
    }
    remarks.samples = answered ? 1 : 0;
    remarks.loss_ppm = answered ? 0 : 1'000'000;
    remarks.method = draft_.details.method("goldpinger");
    if (at) remarks.measured_at = parse_timestamp(at->raw_text()).value_or(kNever);
    text_.add(draft_, pair, stats, remarks, at ? text_.age_of(at->raw_text()) : RttAge::kUndated);
  }

  // Common

  static std::string text_at(Cursor object, std::string_view key) {
    if (!object.is_map()) return {};
    const auto value = object.find(key);
    return value && value->shape() == Shape::kScalar ? std::string(value->raw_text())
                                                     : std::string();
  }

  std::optional<std::uint32_t> name(Cursor value) {
    const auto text = value.text();
    if (!text && !value.is_null()) return std::nullopt;
    return intern(text.value_or(""), value);
  }

  /// The number of a name that is written at, or follows from, this place.
  std::optional<std::uint32_t> intern(std::string_view name, Cursor at) {
    if (name.empty() || name.size() > kLongestName) {
      at.fail("a name is empty or longer than 253 bytes");
      return std::nullopt;
    }
    const std::uint32_t id = draft_.intern(name);
    if (id < kMaxRttNames) return id;
    at.fail("more than " + std::to_string(kMaxRttNames) + " names in one matrix");
    return std::nullopt;
  }

  const RttText& text_;
  bool in_pairs_ = false;
  Draft draft_;
};

bool is_index_map(Cursor root) {
  bool all = root.is_map() && root.size() > 0;
  if (root.is_map())
    root.fields([&](std::string_view, Cursor value) {
      all = all && value.shape() == Shape::kScalar && value.type() == ScalarType::kInteger;
    });
  return all;
}

}  // namespace

Draft read_rtt_object(const RttText& text) {
  Draft draft = ObjectReader(text).read();
  if (draft.format != RttFormat::kUnknown || !text.diagnostics.ok()) return draft;
  Diagnostics quiet;
  if (const auto document = Document::parse(text.source, quiet);
      document && is_index_map(document->root()))
    text.fail_all("a map of names to rows, not a matrix", "give it with `--rtt-names`");
  return draft;
}

}  // namespace gedge::codec

namespace gedge {

RttNames read_rtt_names(const InputFile& file) {
  codec::Diagnostics diagnostics;
  const codec::Source source(file.name, file.bytes);
  RttNames result;
  std::vector<bool> seen;
  if (const auto document = codec::Document::parse(source, diagnostics)) {
    const codec::Cursor root = document->root();
    const std::size_t count = root.size();
    if (root.is_map() && count > kMaxRttNames)
      root.fail("more than " + std::to_string(kMaxRttNames) + " names");
    if (count == 0 && root.is_map()) root.fail("no names");
    if (root.is_null()) root.fail_type("a map of names to rows");
    if (diagnostics.ok()) {
      result.names.resize(count);
      seen.resize(count);
      root.fields([&](std::string_view name, codec::Cursor value) {
        const auto row = value.integer(0, static_cast<std::int64_t>(count) - 1);
        if (value.is_null()) value.fail_type("a row, counted from 0");
        if (!row) return;
        const auto at = static_cast<std::size_t>(*row);
        if (seen[at])
          value.fail("row " + std::to_string(at) + " is named " + codec::quote(result.names[at]) +
                     " and " + codec::quote(name));
        seen[at] = true;
        result.names[at] = std::string(name);
      });
    }
  }
  result.errors = diagnostics.take_errors();
  if (!result.errors.empty()) result.names.clear();
  return result;
}

}  // namespace gedge
