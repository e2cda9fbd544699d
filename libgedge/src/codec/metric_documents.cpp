#include "codec/metric_documents.hpp"

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "codec/fields.hpp"
#include "gedge/base/duration.hpp"

namespace gedge::codec {
namespace {

constexpr std::int64_t kLongestWindow = 24LL * 3'600 * 1'000'000;

// "30s", "20.101s" and "1m0s", as Go prints durations; empty for others.
std::optional<std::int64_t> parse_window(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 2> kLong{
      {{"h", 3'600}, {"m", 60}}};
  std::int64_t micros = 0;
  for (const auto& [unit, seconds] : kLong) {
    const std::size_t at = text.find(unit);
    if (at == std::string_view::npos || text.substr(at, 2) == "ms") continue;
    const auto count = parse_micros(text.substr(0, at), TimeUnit::kSecond, Rounding::kUp);
    if (!count || *count > kLongestWindow) return std::nullopt;
    micros += *count * seconds;
    text.remove_prefix(at + 1);
    if (text.empty()) return micros;
  }
  const auto rest = parse_duration(text, Rounding::kUp);
  if (!rest || *rest > kLongestWindow) return std::nullopt;
  return micros + *rest;
}

void read_window(Cursor value, Micros& out) {
  const auto text = value.text_or_number();
  if (!text) return;
  const auto micros = parse_window(*text);
  if (micros && *micros <= kLongestWindow)
    out = Micros(*micros);
  else
    value.fail(quote(*text) + " is no window of time", "write it like 30s or 1m0s");
}

PodUsage::OfContainer read_container(Cursor map) {
  PodUsage::OfContainer container;
  map.fields([&](std::string_view key, Cursor value) {
    if (key == "name") read_text(value, container.name);
    if (key != "usage") return;
    value.fields([&](std::string_view resource, Cursor amount) {
      if (const auto milli = read_quantity(amount, true))
        container.milli.emplace_back(resource, *milli);
    });
  });
  return container;
}

// What both kinds of values have; true if it took the field.
bool read_sample(std::string_view key, Cursor value, MetricSample& sample) {
  if (key == "timestamp") {
    read_time(value, sample.at);
  } else if (key == "windowSeconds" || key == "window") {
    if (const auto seconds = value.integer(0, kLongestWindow / 1'000'000))
      sample.window = std::chrono::seconds(*seconds);
  } else if (key == "value") {
    if (const auto milli = read_quantity(value, true)) sample.milli = *milli;
  } else {
    return false;
  }
  return true;
}

void check_value(Cursor item, std::string_view metric) {
  if (metric.empty()) item.fail("a value that does not say of which metric");
  if (const auto value = item.find("value"); !value || value->is_null())
    item.fail("a metric without a value");
}

}  // namespace

PodUsage read_usage(Cursor object) {
  PodUsage usage;
  Metadata meta = read_metadata(object);
  usage.name = meta.name;
  usage.namespace_name = meta.namespace_name;
  usage.labels = std::move(meta.labels);
  object.fields([&](std::string_view key, Cursor value) {
    if (key == "timestamp") read_time(value, usage.at);
    if (key == "window") read_window(value, usage.window);
    if (key == "containers")
      value.items([&](Cursor item) { usage.containers.push_back(read_container(item)); });
    if (key == "usage") usage.containers.push_back(read_container(object));
  });
  if (meta.name.empty()) object.fail("a usage that does not say of what");
  return usage;
}

ObjectMetric read_object_metric(Cursor item) {
  ObjectMetric out;
  item.fields([&](std::string_view key, Cursor value) {
    if (read_sample(key, value, out.sample)) return;
    if (key == "metricName") read_text(value, out.metric);
    if (key == "metric")
      if (const auto name = value.find("name")) read_text(*name, out.metric);
    if (key != "describedObject") return;
    value.fields([&](std::string_view part, Cursor inner) {
      if (part == "kind") read_text(inner, out.object_kind);
      if (part == "namespace") read_text(inner, out.namespace_name);
      if (part == "name") read_text(inner, out.object_name);
    });
  });
  check_value(item, out.metric);
  if (out.object_kind.empty() || out.object_name.empty())
    item.fail("a metric that does not say of which object");
  return out;
}

ExternalMetric read_external_metric(Cursor item) {
  ExternalMetric out;
  item.fields([&](std::string_view key, Cursor value) {
    if (read_sample(key, value, out.sample)) return;
    if (key == "metricName") read_text(value, out.metric);
    if (key == "metricLabels") read_labels(value, out.labels);
  });
  check_value(item, out.metric);
  return out;
}

}  // namespace gedge::codec
