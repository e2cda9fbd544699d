// plan/edit.cpp - reading and writing single edits.
#include "gedge/plan/edit.hpp"

#include <array>
#include <limits>

#include "gedge/base/duration.hpp"
#include "gedge/base/quantity.hpp"
#include "gedge/model/selector.hpp"

namespace gedge {
namespace {

constexpr std::string_view kForms =
    "write node/N:cpu=+200m, node/N:label.K=V, node/N:label.K-, node/N:taint-=K[:EFFECT], "
    "node/N:drain, "
    "node/N:delete, pod/NS/P:node=N, pod/NS/P:delete, rtt/A,B=3ms or add=FILE";

constexpr std::array<std::string_view, 3> kEffects = {"NoSchedule", "PreferNoSchedule",
                                                      "NoExecute"};

// Reads `text` from the left; remembers where an error is.
struct Reader {
  std::string_view text;
  std::size_t at = 0;

  std::string_view rest() const { return text.substr(at); }
  bool accept(std::string_view word) {
    if (!rest().starts_with(word)) return false;
    at += word.size();
    return true;
  }
  /// Everything up to `end`, which is skipped; empty if there is no `end`.
  std::string_view until(char end) {
    const std::size_t stop = text.find(end, at);
    if (stop == std::string_view::npos) return {};
    const std::string_view found = text.substr(at, stop - at);
    at = stop + 1;
    return found;
  }
  std::string_view all() {
    const std::string_view found = rest();
    at = text.size();
    return found;
  }
  Error error(std::string what, std::string_view hint = kForms) const {
    SourceSpan where{"--what-if", 1, static_cast<int>(at) + 1, std::string(text), 1};
    return invalid_input(std::move(what), std::move(where), std::string(hint));
  }
};

// CPU is counted in thousandths.
std::string edge_of_amounts(std::string_view resource) {
  return "write a smaller one; the largest is " +
         std::to_string(std::numeric_limits<std::int64_t>::max()) + (resource == kCpu ? "m" : "");
}

Result<Edit> resource_edit(Reader& in, Edit edit) {
  edit.name = in.until('=');
  if (edit.name.empty()) return in.error("expected a change of the node");
  edit.kind = Edit::Kind::kSetResource;
  std::string_view amount = in.rest();
  const bool relative = !amount.empty() && (amount[0] == '+' || amount[0] == '-');
  if (relative) edit.kind = Edit::Kind::kAddResource;
  const auto value = edit.name == kCpu ? parse_milli(amount) : parse_units(amount);
  if (!value && parse_quantity(amount))
    return in.error("the amount is too large", edge_of_amounts(edit.name));
  if (!value)
    return in.error("expected an amount",
                    "write for example 200m, 16Gi or 2; + or - in front adds or subtracts");
  edit.amount = *value;
  return edit;
}

// "K=V" or "K-"; only a label that can be may be set.
Result<Edit> label_edit(Reader& in, Edit edit) {
  if (in.rest().find('=') == std::string_view::npos) {
    if (in.rest().size() < 2 || in.rest().back() != '-') return in.error("expected K=V or K-");
    edit.kind = Edit::Kind::kRemoveLabel;
    edit.name = in.all();
    edit.name.pop_back();
    return edit;
  }
  edit.kind = Edit::Kind::kSetLabel;
  const std::size_t key_at = in.at;
  edit.name = in.until('=');
  if (!is_label_key(edit.name)) {
    in.at = key_at;
    return in.error("expected a label key",
                    "use [prefix/]name; the name has at most 63 letters, digits, '-', '_', '.'");
  }
  if (!is_label_value(in.rest()))
    return in.error(
        "expected a label value",
        "use at most 63 letters, digits, '-', '_' and '.', a letter or digit at both ends");
  edit.value = in.all();
  return edit;
}

Result<Edit> node_edit(Reader& in) {
  Edit edit;
  edit.node = in.until(':');
  if (edit.node.empty()) return in.error("expected a node name and ':'");
  if (in.rest() == "drain") return edit.kind = Edit::Kind::kDrain, edit;
  if (in.rest() == "delete") return edit.kind = Edit::Kind::kDeleteNode, edit;
  if (in.accept("taint-=")) {
    edit.kind = Edit::Kind::kRemoveTaint;
    const std::string_view all = in.all();
    const std::size_t colon = all.find(':');
    edit.name = all.substr(0, colon);
    if (colon != std::string_view::npos) edit.value = all.substr(colon + 1);
    bool known = edit.value.empty();
    for (const std::string_view effect : kEffects) known = known || edit.value == effect;
    if (edit.name.empty() || !known)
      return in.error("expected a taint key and an effect",
                      "write for example node/N:taint-=dedicated:NoSchedule");
    return edit;
  }
  if (in.accept("label.")) return label_edit(in, std::move(edit));
  return resource_edit(in, std::move(edit));
}

Result<Edit> pod_edit(Reader& in) {
  Edit edit;
  edit.namespace_name = in.until('/');
  edit.name = in.until(':');
  if (edit.namespace_name.empty() || edit.name.empty())
    return in.error("expected NAMESPACE/POD and ':'");
  if (in.rest() == "delete") return edit.kind = Edit::Kind::kDeletePod, edit;
  if (!in.accept("node=") || in.rest().empty()) return in.error("expected node=NODE or delete");
  edit.kind = Edit::Kind::kMovePod;
  edit.value = in.all();
  return edit;
}

Result<Edit> rtt_edit(Reader& in) {
  Edit edit;
  edit.kind = Edit::Kind::kSetRtt;
  edit.node = in.until(',');
  edit.name = in.until('=');
  if (edit.node.empty() || edit.name.empty()) return in.error("expected A,B=RTT");
  const auto micros = parse_duration(in.rest(), Rounding::kUp);
  if (!micros || *micros > kMaxRtt.us)
    return in.error("expected a duration", "write for example 3ms, 800us or 1.5s");
  edit.amount = *micros;
  return edit;
}

std::string signed_amount(const Edit& edit) {
  const std::string text =
      edit.name == kCpu ? format_milli(edit.amount) : format_bytes(edit.amount);
  return edit.kind == Edit::Kind::kAddResource && edit.amount >= 0 ? "+" + text : text;
}

}  // namespace

Result<Edit> parse_edit(std::string_view text) {
  Reader in{text};
  if (in.accept("node/")) return node_edit(in);
  if (in.accept("pod/")) return pod_edit(in);
  if (in.accept("rtt/")) return rtt_edit(in);
  if (in.accept("add=") && !in.rest().empty()) {
    Edit edit;
    edit.kind = Edit::Kind::kAddFile;
    edit.value = in.all();
    return edit;
  }
  return in.error("expected an edit");
}

std::string to_string(const Edit& edit) {
  const std::string node = "node/" + edit.node + ":",
                    pod = "pod/" + edit.namespace_name + "/" + edit.name + ":";
  switch (edit.kind) {
    case Edit::Kind::kSetResource:
    case Edit::Kind::kAddResource:
      return node + edit.name + "=" + signed_amount(edit);
    case Edit::Kind::kSetLabel:
      return node + "label." + edit.name + "=" + edit.value;
    case Edit::Kind::kRemoveLabel:
      return node + "label." + edit.name + "-";
    case Edit::Kind::kRemoveTaint:
      return node + "taint-=" + edit.name + (edit.value.empty() ? "" : ":" + edit.value);
    case Edit::Kind::kDrain:
      return node + "drain";
    case Edit::Kind::kDeleteNode:
      return node + "delete";
    case Edit::Kind::kMovePod:
      return pod + "node=" + edit.value;
    case Edit::Kind::kDeletePod:
      return pod + "delete";
    case Edit::Kind::kSetRtt:
      return "rtt/" + edit.node + "," + edit.name + "=" + format_duration(edit.amount);
    case Edit::Kind::kAddFile:
      return "add=" + edit.value;
  }
  return {};
}

}  // namespace gedge
