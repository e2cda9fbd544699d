#include "gedge/codec/scale_requests.hpp"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <limits>
#include <utility>

#include "codec/request_parts.hpp"
#include "gedge/codec/api_requests.hpp"
#include "gedge/codec/autoscaling.hpp"

namespace gedge::codec {
namespace {

namespace dom = simdjson::dom;

constexpr unsigned kOk = 200, kNotFound = 404, kConflict = 409;

struct KnownKind {
  std::string_view kind, group, version, plural;
};
constexpr std::array<KnownKind, 10> kKinds{{
    {"Deployment", "apps", "v1", "deployments"},
    {"StatefulSet", "apps", "v1", "statefulsets"},
    {"ReplicaSet", "apps", "v1", "replicasets"},
    {"ReplicationController", "", "v1", "replicationcontrollers"},
    {"Pod", "", "v1", "pods"},
    {"Service", "", "v1", "services"},
    {"Node", "", "v1", "nodes"},
    {"Namespace", "", "v1", "namespaces"},
    {"PersistentVolumeClaim", "", "v1", "persistentvolumeclaims"},
    {"DaemonSet", "apps", "v1", "daemonsets"},
}};

std::pair<std::string, std::string> split_version(const std::string& api_version) {
  const std::size_t slash = api_version.find('/');
  if (slash == std::string::npos) return {"", api_version};
  return {api_version.substr(0, slash), api_version.substr(slash + 1)};
}

std::string group_path(const std::string& group, const std::string& version) {
  return group.empty() ? "/api/" + encoded(version)
                       : "/apis/" + encoded(group) + "/" + encoded(version);
}

std::string scale_path(const KindName& kind, const std::string& space, const std::string& name) {
  return group_path(kind.group, kind.version) + "/namespaces/" + encoded(space) + "/" +
         encoded(kind.plural) + "/" + encoded(name) + "/scale";
}

void add_query(std::string& target, std::string_view name, const std::string& value) {
  if (value.empty()) return;
  target += target.find('?') == std::string::npos ? '?' : '&';
  target.append(name).append("=").append(encoded(value));
}

// What reads `status.replicas` and the like: absent is 0, anything but a number of replicas is
// none.
bool read_replicas(dom::element scale, std::string_view part, std::int32_t& out) {
  std::int64_t number = 0;
  const auto error = scale[part]["replicas"].get_int64().get(number);
  if (error == simdjson::NO_SUCH_FIELD) return true;
  if (error || number < 0 || number > std::numeric_limits<std::int32_t>::max()) return false;
  out = static_cast<std::int32_t>(number);
  return true;
}

bool read_scale(dom::element scale, ScaleTarget& target) {
  std::string_view text;
  const auto meta = scale["metadata"];
  if (meta["name"].get_string().get(text) || text != target.name) return false;
  if (meta["namespace"].get_string().get(text)) return false;
  target.namespace_name = SharedText(text);
  if (!meta["uid"].get_string().get(text)) target.uid = text;
  if (meta["resourceVersion"].get_string().get(text)) return false;
  target.version = text;
  if (!read_replicas(scale, "spec", target.spec_replicas) ||
      !read_replicas(scale, "status", target.status_replicas))
    return false;
  const auto error = scale["status"]["selector"].get_string().get(text);
  if (error == simdjson::NO_SUCH_FIELD) return true;
  if (error) return false;
  auto selector = parse_selector(text);
  if (!selector) return false;
  target.selector = *std::move(selector);
  target.has_selector = !text.empty();
  return true;
}

std::string words_of(MetricSource source) {
  switch (source) {
    case MetricSource::kUsage:
      return "metrics.k8s.io";
    case MetricSource::kOfPods:
    case MetricSource::kObject:
      return "custom.metrics.k8s.io";
    case MetricSource::kExternal:
      return "external.metrics.k8s.io";
    case MetricSource::kQuery:
      break;
  }
  return "Prometheus";
}

MetricReading unread(const ApiAnswer& answer, const MetricRead& read) {
  MetricReading reading;
  reading.why = refusal(answer, "cannot read " + words_of(read.source)).what;
  while (!reading.why.empty() && reading.why.back() <= ' ') reading.why.pop_back();
  return reading;
}

// Thousandths, cut off as an adapter of Prometheus does. Empty: no amount of anything.
std::optional<std::int64_t> milli_of(std::string_view text) {
  constexpr double kMost = 9e15;
  double value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool fits = value >= 0 && value <= kMost;  // false for what is not a number
  if (failed != std::errc{} || end != text.data() + text.size() || !fits) return std::nullopt;
  return static_cast<std::int64_t>(value * 1'000.0);
}

// [1435781451.781,"1"]
bool read_sample(dom::element pair, MetricSample& sample, std::string& why) {
  constexpr double kMostSeconds = 1e11;
  dom::array parts;
  double at = 0;
  std::string_view value;
  if (pair.get_array().get(parts) || parts.size() != 2 || parts.at(0).get_double().get(at) ||
      parts.at(1).get_string().get(value) || !(at >= 0 && at <= kMostSeconds)) {
    why = "the answer is none of Prometheus";
    return false;
  }
  const auto milli = milli_of(value);
  if (!milli) {
    why = "the query gives '" + std::string(value.substr(0, 40)) + "'";
    return false;
  }
  sample.milli = *milli;
  sample.at = static_cast<UnixSeconds>(at);
  return true;
}

bool read_query(dom::element answer, const std::string& query, MetricReading& reading) {
  std::string_view status, type;
  dom::element result;
  reading.why = "the answer is none of Prometheus";
  if (answer["status"].get_string().get(status) || status != "success" ||
      answer["data"]["resultType"].get_string().get(type) || answer["data"]["result"].get(result))
    return false;
  const auto add = [&](dom::element pair) {
    ExternalMetric& value = reading.values.external.emplace_back();
    value.metric = query;
    return read_sample(pair, value.sample, reading.why);
  };
  const auto add_labels = [&](dom::element of) {
    dom::object labels;
    if (of["metric"].get_object().get(labels)) return;
    for (const dom::key_value_pair label : labels) {
      std::string_view text;
      if (!label.value.get_string().get(text))
        reading.values.external.back().labels.set(std::string(label.key), std::string(text));
    }
  };
  if (type == "scalar") return add(result);
  dom::array series;
  if (type != "vector" || result.get_array().get(series)) {
    reading.why = "the query gives no number, but a " + std::string(type.substr(0, 40));
    return false;
  }
  for (const dom::element one : series) {
    dom::element pair;
    if (one["value"].get(pair) || !add(pair)) return false;
    add_labels(one);
  }
  return true;
}

}  // namespace

std::optional<KindName> kind_name(const ObjectName& object) {
  const auto known = std::find_if(kKinds.begin(), kKinds.end(),
                                  [&](const KnownKind& one) { return one.kind == object.kind; });
  if (known == kKinds.end()) return std::nullopt;
  // Autoscalers may name groups that workloads have left.
  const std::string group = split_version(object.api_version).first;
  if (!group.empty() && group != known->group && group != "extensions") return std::nullopt;
  return KindName{std::string(known->group), std::string(known->version),
                  std::string(known->plural)};
}

ApiRequest kinds_request(const std::string& api_version) {
  const auto [group, version] = split_version(api_version);
  return get_request(group_path(group, version));
}

Result<KindName> read_kind_name(const ApiAnswer& answer, const ObjectName& object) {
  if (answer.status != kOk) return refusal(answer, "no kinds of " + object.api_version);
  dom::parser parser;
  dom::element document;
  dom::array resources;
  if (parser.parse(answer.body).get(document) || document["resources"].get_array().get(resources))
    return invalid_input("what the server calls kinds are none");
  for (const dom::element resource : resources) {
    std::string_view kind, name;
    const bool is_it = !resource["kind"].get_string().get(kind) && kind == object.kind &&
                       !resource["name"].get_string().get(name) &&
                       name.find('/') == std::string_view::npos;
    if (!is_it) continue;
    auto [group, version] = split_version(object.api_version);
    return KindName{std::move(group), std::move(version), std::string(name)};
  }
  return Error{Errc::kNotFound, object.api_version + " has no kind " + object.kind, {}, {}};
}

ApiRequest autoscaling_request() { return get_request("/apis/autoscaling"); }

Result<std::string> autoscaling_version(const ApiAnswer& answer) {
  if (answer.status != kOk) return refusal(answer, "no versions of autoscaling");
  dom::parser parser;
  dom::element document;
  dom::array versions;
  if (parser.parse(answer.body).get(document) || document["versions"].get_array().get(versions))
    return invalid_input("what the server calls versions of autoscaling are none");
  for (const std::string_view known : {kAutoscalingV2, kAutoscalingV2beta2, kAutoscalingV1})
    for (const dom::element one : versions) {
      std::string_view version;
      if (!one["groupVersion"].get_string().get(version) && version == known)
        return std::string(known);
    }
  return Error{Errc::kNotFound,
               "the server has no HorizontalPodAutoscaler that is known",
               {},
               "autoscaling/v2, v2beta2 and v1 are"};
}

std::string autoscalers_path(const std::string& version, const std::string& namespace_name) {
  return "/apis/" + version +
         (namespace_name.empty() ? "" : "/namespaces/" + encoded(namespace_name)) +
         "/horizontalpodautoscalers";
}

std::string pods_path(const std::string& namespace_name) {
  return "/api/v1" + (namespace_name.empty() ? "" : "/namespaces/" + encoded(namespace_name)) +
         "/pods";
}

ApiRequest scale_request(const ScaleRead& read, const KindName& kind) {
  return get_request(scale_path(kind, read.namespace_name, read.target.name));
}

ScaleReading scale_reading(const ApiAnswer& answer, const ObjectName& target) {
  ScaleReading reading;
  if (answer.status != kOk) {
    if (answer.status == kNotFound) reading.kind = ScaleReading::Kind::kMissing;
    reading.why = refusal(answer, "no scale of " + target.kind + " " + target.name).what;
    return reading;
  }
  dom::parser parser;
  dom::element document;
  reading.scale.kind = target.kind;
  reading.scale.name = target.name;
  if (parser.parse(answer.body).get(document) || !read_scale(document, reading.scale)) {
    reading.why = "what the server calls the scale of " + target.kind + " is none";
    return reading;
  }
  reading.kind = ScaleReading::Kind::kFound;
  return reading;
}

ApiRequest scale_write_request(const ScaleWrite& write, const KindName& kind) {
  Json metadata{{"name", write.target.name}, {"namespace", write.namespace_name}};
  if (!write.uid.empty()) metadata["uid"] = write.uid;
  metadata["resourceVersion"] = write.version;
  const Json body{{"apiVersion", "autoscaling/v1"},
                  {"kind", "Scale"},
                  {"metadata", std::move(metadata)},
                  {"spec", {{"replicas", write.replicas}}}};
  return write_request(ApiVerb::kPut, ApiLane::kWrite,
                       scale_path(kind, write.namespace_name, write.target.name), body,
                       "application/json");
}

ScaleAnswer scale_answer(const ApiAnswer& answer) {
  if (answer.status >= 200 && answer.status < 300) return ScaleAnswer::kDone;
  if (answer.status == kConflict) return ScaleAnswer::kConflict;
  if (answer.status == kNotFound) return ScaleAnswer::kGone;
  if (answer.status == 0 && answer.was_not_sent) return ScaleAnswer::kNotSent;
  return answer.status < 400 || answer.status >= 500 ? ScaleAnswer::kUnknown
                                                     : ScaleAnswer::kRefused;
}

ApiRequest metric_request(const MetricRead& read, const KindName& object) {
  const std::string space = encoded(read.namespace_name);
  std::string target;
  switch (read.source) {
    case MetricSource::kUsage:
      target = "/apis/metrics.k8s.io/v1beta1/namespaces/" + space + "/pods";
      add_query(target, "labelSelector", read.pods);
      break;
    case MetricSource::kOfPods:
      target = "/apis/custom.metrics.k8s.io/v1beta1/namespaces/" + space + "/pods/*/" +
               encoded(read.metric);
      add_query(target, "labelSelector", read.pods);
      add_query(target, "metricLabelSelector", read.selector);
      break;
    case MetricSource::kObject: {
      const std::string name = encoded(read.object.name);
      const std::string kind =
          encoded(object.group.empty() ? object.plural : object.plural + "." + object.group);
      target = "/apis/custom.metrics.k8s.io/v1beta1/";
      if (object.plural == "namespaces")
        target += "namespaces/" + name + "/metrics/";
      else if (object.plural == "nodes")
        target += "nodes/" + name + "/";
      else
        target.append("namespaces/").append(space).append("/") += kind + "/" + name + "/";
      target += encoded(read.metric);
      add_query(target, "metricLabelSelector", read.selector);
      break;
    }
    case MetricSource::kExternal:
    case MetricSource::kQuery:
      target =
          "/apis/external.metrics.k8s.io/v1beta1/namespaces/" + space + "/" + encoded(read.metric);
      add_query(target, "labelSelector", read.selector);
      break;
  }
  return get_request(std::move(target));
}

MetricReading metric_reading(const ApiAnswer& answer, const MetricRead& read) {
  if (answer.status != kOk) return unread(answer, read);
  ScaleLoadOptions options;
  options.namespace_name = read.namespace_name;
  ScaleLoader loader(options);
  loader.add({words_of(read.source), answer.body, answer.body.capacity() - answer.body.size()});
  ScaleLoadResult loaded = loader.finish();
  MetricReading reading;
  if (!loaded.facts) {
    reading.why = "cannot read " + words_of(read.source) + ": " + loaded.errors.front().what;
    return reading;
  }
  reading.is_read = true;
  reading.values = std::move(loaded.facts->metrics);
  return reading;
}

ApiRequest query_request(const MetricRead& read) {
  ApiRequest request = get_request("/api/v1/query?query=" + encoded(read.metric));
  request.target += "&timeout=" + std::to_string(kReadTimeout.count() / 1'000'000'000) + "s";
  return request;
}

MetricReading query_reading(const ApiAnswer& answer, const MetricRead& read) {
  if (answer.status != kOk) return unread(answer, read);
  MetricReading reading;
  dom::parser parser;
  dom::element document;
  reading.why = "the answer is none of Prometheus";
  if (!parser.parse(answer.body).get(document))
    reading.is_read = read_query(document, read.metric, reading);
  if (reading.is_read)
    reading.why.clear();
  else
    reading.values = {};
  return reading;
}

}  // namespace gedge::codec
