// codec/budgets.cpp - delay budgets of labels and annotations, and GS-Scheduler's source node.
#include "codec/budgets.hpp"

#include <algorithm>
#include <array>

#include "codec/fields.hpp"
#include "gedge/base/duration.hpp"
#include "gedge/base/nearest.hpp"
#include "gedge/model/selector.hpp"

namespace gedge::codec {
namespace {

constexpr std::string_view kLabelPrefix = "delay_";
constexpr std::string_view kOwnPrefix = "gedge.io/";
constexpr std::string_view kAnnotation = "gedge.io/delay-budget";
constexpr std::string_view kGrammar =
    "write [any:]NAME=25ms, KIND/NAME=25ms or NAMESPACE/KIND/NAME=25ms";

struct PeerWord {
  std::string_view word;
  PeerKind kind;
  std::string_view workload;
};
constexpr std::array<PeerWord, 12> kPeerWords = {{
    {"node", PeerKind::kNode, ""},
    {"pod", PeerKind::kPod, ""},
    {"zone", PeerKind::kZone, ""},
    {"external", PeerKind::kExternal, ""},
    {"workload", PeerKind::kWorkload, ""},
    {"deployment", PeerKind::kWorkload, "Deployment"},
    {"statefulset", PeerKind::kWorkload, "StatefulSet"},
    {"daemonset", PeerKind::kWorkload, "DaemonSet"},
    {"replicaset", PeerKind::kWorkload, "ReplicaSet"},
    {"replicationcontroller", PeerKind::kWorkload, "ReplicationController"},
    {"job", PeerKind::kWorkload, "Job"},
    {"cronjob", PeerKind::kWorkload, "CronJob"},
}};

void read_label(std::string_view key, Cursor value, std::vector<DelayBudget>& out) {
  const auto text = value.text();
  if (!text || !is_label_key(key) || !is_label_value(*text)) return;  // reported with all labels
  DelayBudget budget;
  budget.from = budget.name = std::string(key.substr(kLabelPrefix.size()));
  budget.place = value.place();
  const auto limit = parse_micros(*text, TimeUnit::kMilli, Rounding::kDown);
  if (!limit) {
    value.fail("delay budget " + quote(*text) + " is no number of milliseconds",
               "write it like \"25\" or \"2.5\"");
    return;
  }
  budget.limit_us = *limit;
  out.push_back(std::move(budget));
}

bool set_kind(std::string_view word, Cursor value, DelayBudget& budget) {
  const auto found = std::find_if(kPeerWords.begin(), kPeerWords.end(),
                                  [&](const PeerWord& known) { return known.word == word; });
  if (found != kPeerWords.end()) {
    budget.kind = found->kind;
    budget.workload_kind = found->workload;
    return true;
  }
  std::vector<std::string> known;
  std::string list;
  for (const PeerWord& peer : kPeerWords) {
    known.emplace_back(peer.word);
    list.append(list.empty() ? "" : ", ").append(peer.word);
  }
  const auto meant = nearest(word, known);
  value.fail("delay budget: unknown kind " + quote(word),
             meant ? "did you mean " + *meant + "?" : "kinds are " + list);
  return false;
}

// [any:]NAME | [any:]KIND/NAME | [any:]NAMESPACE/KIND/NAME
bool read_peer(std::string_view from, Cursor value, DelayBudget& budget) {
  const std::string_view from_start = from;
  budget.from = std::string(from);
  budget.nearest = from.substr(0, 4) == "any:";
  if (budget.nearest) from.remove_prefix(4);
  std::vector<std::string_view> parts;
  for (std::size_t slash = 0; slash != std::string_view::npos;) {
    slash = from.find('/');
    parts.push_back(from.substr(0, slash));
    if (slash != std::string_view::npos) from.remove_prefix(slash + 1);
  }
  const bool empty =
      std::any_of(parts.begin(), parts.end(), [](auto part) { return part.empty(); });
  if (empty || parts.size() > 3) {
    value.fail("delay budget: " + quote(budget.from) + " names nothing", std::string(kGrammar));
    return false;
  }
  if (from_start.find_first_of("=;") != std::string_view::npos) {
    value.fail("delay budget: " + quote(budget.from) + " is no name",
               "put a comma between two budgets");
    return false;
  }
  budget.name = std::string(parts.back());
  if (parts.size() == 1) return true;
  if (!set_kind(parts[parts.size() - 2], value, budget)) return false;
  if (parts.size() == 2) return true;
  budget.namespace_name = std::string(parts[0]);
  if (budget.kind == PeerKind::kPod || budget.kind == PeerKind::kWorkload) return true;
  value.fail("delay budget: " + quote(budget.from) + " has a namespace, but such things have none",
             "write KIND/NAME");
  return false;
}

void read_entry(std::string_view entry, Cursor value, std::vector<DelayBudget>& out) {
  DelayBudget budget;
  budget.place = value.place();
  const std::size_t equals = entry.rfind('=');
  if (equals == std::string_view::npos) {
    value.fail("delay budget " + quote(entry) + " has no limit", std::string(kGrammar));
    return;
  }
  const std::string_view limit = trim(entry.substr(equals + 1));
  if (!read_peer(trim(entry.substr(0, equals)), value, budget)) return;
  if (const auto micros = parse_duration(limit, Rounding::kDown)) {
    budget.limit_us = *micros;
    out.push_back(std::move(budget));
  } else if (parse_micros(limit, TimeUnit::kMilli, Rounding::kDown)) {
    value.fail("delay budget " + quote(entry) + " has no unit",
               "write `" + std::string(limit) + "ms` for milliseconds");
  } else {
    value.fail("delay budget: " + quote(limit) + " is no time",
               "write it like 25ms, 800us or 1.5s");
  }
}

void read_annotation(Cursor value, std::vector<DelayBudget>& out) {
  const auto text = value.text();
  if (!text) return;
  std::string_view rest = *text;
  while (!trim(rest).empty()) {
    const std::size_t comma = rest.find(',');
    const std::string_view entry = trim(rest.substr(0, comma));
    if (entry.empty())
      value.fail("delay budget: nothing between two commas", std::string(kGrammar));
    else
      read_entry(entry, value, out);
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
}

// Keys under this prefix are gedge's, so one that it does not read is a slip.
void warn_if_unknown(std::string_view key, Cursor value) {
  if (!key.starts_with(kOwnPrefix) || key == kAnnotation) return;
  value.warn("UnknownAnnotation", "gedge reads no annotation " + quote(key) +
                                      ", it is ignored; the one for delay budgets is " +
                                      quote(kAnnotation));
}

std::string source_node_of(Cursor config) {
  std::string found;
  if (const auto option = config.find("option"))
    for (const std::string_view key : {"source_node", "sourceNode"})
      if (found.empty()) found = text_at(*option, key);
  return found.empty() ? text_at(config, "sourceNode") : found;
}

}  // namespace

void read_budgets(Cursor metadata, std::vector<DelayBudget>& out) {
  if (const auto labels = metadata.find("labels"); labels && labels->is_map()) {
    labels->fields([&](std::string_view key, Cursor value) {
      if (key.substr(0, kLabelPrefix.size()) != kLabelPrefix) return;
      if (value.type() == ScalarType::kText) read_label(key, value, out);
    });
    std::sort(out.begin(), out.end(),
              [](const DelayBudget& a, const DelayBudget& b) { return a.from < b.from; });
  }
  const auto annotations = metadata.find("annotations");
  if (!annotations || !annotations->is_map()) return;
  annotations->fields([&](std::string_view key, Cursor value) {
    if (key == kAnnotation && value.type() == ScalarType::kText) read_annotation(value, out);
    warn_if_unknown(key, value);
  });
}

void check_own_metadata(const std::string& kind, Cursor workload, bool has_budgets) {
  const auto metadata = workload.find("metadata");
  if (!metadata || !metadata->is_map()) return;
  const auto misplaced = [&](std::string_view key, Cursor value) {
    if (!has_budgets)
      value.warn("BudgetOutsideTemplate", "delay budget " + quote(key) + " on the " + kind +
                                              " itself is ignored; it belongs on its pod template");
  };
  if (const auto labels = metadata->find("labels"); labels && labels->is_map())
    labels->fields([&](std::string_view key, Cursor value) {
      if (key.starts_with(kLabelPrefix)) misplaced(key, value);
    });
  if (const auto annotations = metadata->find("annotations"); annotations && annotations->is_map())
    annotations->fields([&](std::string_view key, Cursor value) {
      if (key == kAnnotation) misplaced(key, value);
      warn_if_unknown(key, value);
    });
}

void read_latency_source(Cursor env, SharedText& out) {
  if (!env.is_list()) return;
  env.items([&](Cursor variable) {
    const auto name = variable.find("name");
    if (!name || name->raw_text() != "gschConfig") return;
    const auto value = variable.find("value");
    if (!value || value->raw_text().empty()) return;
    const Source source("gschConfig", value->raw_text());
    Diagnostics unread;
    if (const auto config = Document::parse(source, unread); config && config->root().is_map())
      out = source_node_of(config->root());
    else
      value->warn("GschConfigUnreadable",
                  "the variable gschConfig holds no JSON object, it is ignored");
  });
}

}  // namespace gedge::codec
