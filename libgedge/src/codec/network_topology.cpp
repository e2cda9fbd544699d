// NetworkTopology of Diktyo (networktopology.diktyo.x-k8s.io): costs between regions and between
// zones, whole numbers of no unit, for the plugin NetworkOverhead of scheduler-plugins. That plugin
// looks at zones within one region and at regions otherwise, and counts 1 inside a zone whatever is
// written.
#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "codec/rtt_draft.hpp"
#include "codec/topology_keys.hpp"

namespace gedge::codec {
namespace {

constexpr std::string_view kManualWeights = "UserDefined";  // what the plugin uses by default

std::int64_t micros_in(TimeUnit unit) {
  return unit == TimeUnit::kMicro ? 1 : unit == TimeUnit::kMilli ? 1000 : 1'000'000;
}

std::string text_of(Cursor object, std::string_view key) {
  const auto value = object.find(key);
  const auto text = value ? value->text() : std::nullopt;
  return text ? std::string(*text) : std::string();
}

class TopologyReader {
 public:
  TopologyReader(const RttText& text, Draft& draft) : text_(text), draft_(draft) {}

  void read(Cursor object) {
    if (!text_.options.cost_unit)
      return object.fail("a NetworkTopology does not say what its costs are",
                         "give the unit of a cost: `--cost-unit ms`");
    const auto spec = object.find("spec");
    const auto weights = spec ? spec->find("weights") : std::nullopt;
    if (!weights) return object.fail("a NetworkTopology without spec.weights");
    if (const auto chosen = choose_weights(*weights)) read_weights(*chosen);
  }

 private:
  /// The weights that the plugin uses, or the first ones.
  std::optional<Cursor> choose_weights(Cursor weights) {
    std::optional<Cursor> chosen;
    std::size_t count = 0;
    weights.items([&](Cursor item) {
      if (!item.is_map()) return item.fail_type("a map");
      ++count;
      if (!chosen || text_of(item, "name") == kManualWeights) chosen = item;
    });
    if (count > 1)
      text_.warn("UnusedCosts",
                 "of several weights, " + quote(text_of(*chosen, "name")) + " count");
    return chosen;
  }

  /// Zones unless --rtt-by asks for another label or there are none.
  void read_weights(Cursor weights) {
    const auto list = weights.find("topologyList");
    if (!list) return weights.fail("weights without topologyList");
    std::optional<Cursor> chosen;
    std::string chosen_key;
    std::size_t count = 0;
    const std::string wanted =
        text_.options.rtt_by.empty() ? std::string(kZoneLabel) : text_.options.rtt_by;
    list->items([&](Cursor item) {
      if (!item.is_map()) return item.fail_type("a map");
      ++count;
      const std::string key = text_of(item, "topologyKey");
      const bool fits = key == wanted || (!chosen && text_.options.rtt_by.empty());
      if (!fits) return;
      chosen = item;
      chosen_key = key;
    });
    if (!chosen)
      return list->fail("no costs between values of " + quote(wanted),
                        "`--rtt-by` names a label that is a topologyKey");
    if (count > 1)
      text_.warn("UnusedCosts", "only the costs between values of " + chosen_key +
                                    " are read; `--rtt-by` chooses others");
    read_origins(*chosen);
  }

  void read_origins(Cursor topology) {
    const auto origins = topology.find("originList");
    if (!origins) return;
    origins->items([&](Cursor item) {
      const auto origin = item.find("origin");
      if (!origin) return item.fail("costs without `origin`");
      const auto from = name(*origin);
      const auto costs = item.find("costList");
      if (!from || !costs) return;
      costs->items([&](Cursor cost) { read_cost(*from, cost); });
    });
  }

  void read_cost(std::uint32_t from, Cursor cost) {
    const auto destination = cost.find("destination");
    if (!destination) return cost.fail("a cost without `destination`");
    const auto to = name(*destination);
    const auto number = cost.find("networkCost");
    const std::int64_t unit = micros_in(*text_.options.cost_unit);
    const auto units = number ? number->integer(0, kMaxRtt.us / unit) : std::nullopt;
    if (!to || !units) return;
    RttStats stats;
    stats[RttStats::kOnly] = Rtt{static_cast<std::uint32_t>(*units * unit)};
    text_.add(draft_, {from, *to}, stats);
  }

  std::optional<std::uint32_t> name(Cursor value) {
    const auto text = value.text();
    if (text && !text->empty() && text->size() <= kLongestName &&
        (draft_.names.size() < kMaxRttNames || draft_.index.count(std::string(*text)) > 0))
      return draft_.intern(*text);
    if (text || value.is_null())
      value.fail("a name is empty or longer than 253 bytes, or there are too many names");
    return std::nullopt;
  }

  const RttText& text_;
  Draft& draft_;
};

}  // namespace

void read_network_topology(Cursor object, const RttText& text, Draft& draft) {
  TopologyReader(text, draft).read(object);
}

}  // namespace gedge::codec
