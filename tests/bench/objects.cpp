#include "bench/objects.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include "gedge/base/quantity.hpp"

namespace gedge::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kCreated = "2026-11-21T08:00:00Z";

// --- YAML, in the style of kubectl

// Everything that YAML might take for something else than a text stands in quotes.
std::string scalar(const Json& value) {
  if (!value.is_string()) return value.dump();
  const std::string& text = value.get_ref<const std::string&>();
  const auto is_safe = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.' || c == '/' || c == ':';
  };
  const bool starts_plain = !text.empty() && ((text.front() >= 'a' && text.front() <= 'z') ||
                                              (text.front() >= 'A' && text.front() <= 'Z'));
  const bool is_amount = !text.empty() && text.front() >= '1' && text.front() <= '9' &&
                         ((text.back() >= 'a' && text.back() <= 'z') || text.back() == 'M');
  const bool is_word = text != "true" && text != "false" && text != "null" && text != "yes" &&
                       text != "no" && text != "on" && text != "off";
  const bool is_time = text.size() == kCreated.size() && text.back() == 'Z';
  if ((starts_plain || is_amount) && is_word && !is_time && text.back() != ':' &&
      std::all_of(text.begin(), text.end(), is_safe))
    return text;
  return value.dump();
}

bool is_block(const Json& value) { return value.is_structured() && !value.empty(); }

void write_yaml(const Json& value, std::size_t indent, bool is_first_inline, std::string& out) {
  bool at_start = is_first_inline;
  const auto begin_line = [&] {
    if (!at_start) out.append(indent, ' ');
    at_start = false;
  };
  if (value.is_array()) {
    for (const Json& item : value) {
      begin_line();
      out += "- ";
      if (is_block(item))
        write_yaml(item, indent + 2, true, out);
      else
        out += scalar(item) + "\n";
    }
    return;
  }
  for (const auto& [key, item] : value.items()) {
    begin_line();
    out += scalar(Json(key)) + ":";
    if (is_block(item)) {
      out += "\n";
      write_yaml(item, item.is_array() ? indent : indent + 2, false, out);
    } else {
      out += " " + scalar(item) + "\n";
    }
  }
}

// --- objects

std::string uid_of(std::uint64_t number) {
  std::array<char, 40> text{};
  const std::uint64_t mixed = (number + 1) * 0x9E3779B97F4A7C15U;
  std::snprintf(text.data(), text.size(), "%08x-%04x-4%03x-a%03x-%012llx",
                static_cast<unsigned>(mixed >> 32), static_cast<unsigned>(mixed >> 16 & 0xffff),
                static_cast<unsigned>(mixed & 0xfff), static_cast<unsigned>(number & 0xfff),
                static_cast<unsigned long long>(mixed & 0xffffffffffff));
  return text.data();
}

Json names_of(const Labels& labels) {
  Json json = Json::object();
  for (const auto& [key, value] : labels) json[key] = value;
  return json;
}

Json amounts_of(const Resources& resources) {
  Json json = Json::object();
  for (const auto& [name, amount] : resources) {
    if (name == kCpu)
      json[name] = format_milli(amount);
    else
      json[name] = name == kMemory ? format_bytes(amount) : std::to_string(amount);
  }
  return json;
}

// {"f:cpu": {}, "f:memory": {}}: which fields a manager owns.
Json owned(std::initializer_list<std::string_view> names, bool with_self) {
  Json json = Json::object();
  if (with_self) json["."] = Json::object();
  for (const std::string_view name : names) json["f:" + std::string(name)] = Json::object();
  return json;
}

Json managed(std::string_view manager, Json fields) {
  return Json::array({Json{{"manager", manager},
                           {"operation", "Update"},
                           {"apiVersion", "v1"},
                           {"time", kCreated},
                           {"fieldsType", "FieldsV1"},
                           {"fieldsV1", std::move(fields)}}});
}

Json pod_fields(const PodSpec& spec) {
  Json labels = Json{{".", Json::object()}};
  for (const auto& [key, value] : spec.labels) labels["f:" + key] = Json::object();
  Json container = owned({"image", "imagePullPolicy", "name"}, true);
  container["f:resources"] =
      Json{{".", Json::object()}, {"f:requests", owned({"cpu", "memory"}, true)}};
  container["f:terminationMessagePath"] = container["f:terminationMessagePolicy"] = Json::object();
  Json fields = owned({"dnsPolicy", "enableServiceLinks", "restartPolicy", "schedulerName",
                       "securityContext", "terminationGracePeriodSeconds"},
                      false);
  fields["f:containers"] = Json{{"k:{\"name\":\"main\"}", std::move(container)}};
  return Json{{"f:metadata", Json{{"f:labels", std::move(labels)}}}, {"f:spec", std::move(fields)}};
}

Json metadata_of(const std::string& name, const Labels& labels, std::uint64_t number, Form form,
                 bool is_pod) {
  Json metadata{{"name", name}};
  if (is_pod) metadata["namespace"] = "default";
  if (form != Form::kMinimal) {
    metadata["uid"] = uid_of(number);
    metadata["resourceVersion"] = std::to_string(1000 + number);
    metadata["creationTimestamp"] = kCreated;
  }
  if (!labels.empty()) metadata["labels"] = names_of(labels);
  return metadata;
}

Json eviction_toleration(std::string_view key) {
  return Json{
      {"key", key}, {"operator", "Exists"}, {"effect", "NoExecute"}, {"tolerationSeconds", 300}};
}

Json pod_object(const Facts& facts, std::size_t number, Form form, bool with_kind) {
  const Pod& pod = facts.pods[number];
  const PodSpec& spec = facts.spec_of(pod);
  Json containers = Json::array();
  for (const Container& container : spec.containers) {
    Json json{{"name", container.name},
              {"image", container.image},
              {"resources", Json{{"requests", amounts_of(container.requests)}}}};
    if (form != Form::kMinimal) {
      json["terminationMessagePath"] = "/dev/termination-log";
      json["terminationMessagePolicy"] = "File";
      json["imagePullPolicy"] = "IfNotPresent";
    }
    containers.push_back(std::move(json));
  }
  Json object = with_kind ? Json{{"apiVersion", "v1"}, {"kind", "Pod"}} : Json::object();
  Json metadata = metadata_of(pod.name, spec.labels, number, form, true);
  if (form != Form::kMinimal) metadata["managedFields"] = managed("client", pod_fields(spec));
  object["metadata"] = std::move(metadata);
  Json written{{"containers", std::move(containers)}};
  if (!pod.bound_node.empty()) written["nodeName"] = pod.bound_node;
  if (form != Form::kMinimal) {
    written["restartPolicy"] = "Always";
    written["terminationGracePeriodSeconds"] = 30;
    written["dnsPolicy"] = "ClusterFirst";
    written["securityContext"] = Json::object();
    written["schedulerName"] = "default-scheduler";
    written["tolerations"] = Json::array({eviction_toleration("node.kubernetes.io/not-ready"),
                                          eviction_toleration("node.kubernetes.io/unreachable")});
    written["priority"] = 0;
    written["enableServiceLinks"] = true;
    written["preemptionPolicy"] = "PreemptLowerPriority";
  }
  object["spec"] = std::move(written);
  if (form != Form::kMinimal || !pod.bound_node.empty())
    object["status"] =
        Json{{"phase", pod.bound_node.empty() ? "Pending" : "Running"}, {"qosClass", "Burstable"}};
  return object;
}

Json condition(std::string_view type, std::string_view status, std::string_view reason,
               std::string_view message) {
  return Json{{"type", type},
              {"status", status},
              {"lastHeartbeatTime", kCreated},
              {"lastTransitionTime", kCreated},
              {"reason", reason},
              {"message", message}};
}

Json conditions(Form form) {
  Json all = Json::array();
  if (form == Form::kReal) {
    all.push_back(condition("MemoryPressure", "False", "KubeletHasSufficientMemory",
                            "kubelet has sufficient memory available"));
    all.push_back(condition("DiskPressure", "False", "KubeletHasNoDiskPressure",
                            "kubelet has no disk pressure"));
    all.push_back(condition("PIDPressure", "False", "KubeletHasSufficientPID",
                            "kubelet has sufficient PID available"));
  }
  all.push_back(condition("Ready", "True", "KubeletReady", "kubelet is posting ready status"));
  return all;
}

// Forty images with a tag and a digest each, as a kubelet reports them.
Json images(std::uint64_t node) {
  Json all = Json::array();
  for (std::uint64_t i = 0; i < 40; ++i) {
    const std::string name = "registry.example/team-" + std::to_string(i % 7) + "/service-" +
                             std::to_string((node % 5) * 40 + i);
    std::string digest = uid_of(i) + uid_of(node % 5) + uid_of(i + 40);
    digest.erase(std::remove(digest.begin(), digest.end(), '-'), digest.end());
    all.push_back(Json{{"names", Json::array({name + "@sha256:" + digest.substr(0, 64),
                                              name + ":1." + std::to_string(i)})},
                       {"sizeBytes", 20'000'000 + 3'000'000 * i}});
  }
  return all;
}

Json node_fields(const Node& node) {
  Json labels = Json{{".", Json::object()}};
  for (const auto& [key, value] : node.labels) labels["f:" + key] = Json::object();
  return Json{
      {"f:metadata", Json{{"f:labels", std::move(labels)}}},
      {"f:status", Json{{"f:allocatable", owned({"cpu", "memory", "pods"}, true)},
                        {"f:capacity", owned({"cpu", "memory", "pods"}, true)},
                        {"f:conditions", Json{{".", Json::object()},
                                              {"k:{\"type\":\"Ready\"}",
                                               owned({"lastHeartbeatTime", "lastTransitionTime",
                                                      "message", "reason", "status", "type"},
                                                     true)}}}}}};
}

Json node_object(const Facts& facts, std::size_t number, Form form) {
  const Node& node = facts.nodes[number];
  Json object{{"apiVersion", "v1"}, {"kind", "Node"}};
  object["metadata"] = metadata_of(node.name, node.labels, number, form, false);
  if (form != Form::kMinimal)
    object["metadata"]["managedFields"] = managed("client", node_fields(node));
  if (form != Form::kMinimal) object["spec"] = Json::object();
  const Json amounts = amounts_of(node.allocatable);
  Json status = form == Form::kMinimal ? Json::object() : Json{{"capacity", amounts}};
  status["allocatable"] = amounts;
  if (form != Form::kMinimal) status["conditions"] = conditions(form);
  if (form == Form::kReal) {
    status["addresses"] = Json::array({Json{{"type", "Hostname"}, {"address", node.name}}});
    status["nodeInfo"] = Json{{"kernelVersion", "5.10.0-18-amd64"},
                              {"osImage", "Debian GNU/Linux 12 (bookworm)"},
                              {"containerRuntimeVersion", "containerd://1.6.20"},
                              {"kubeletVersion", "v1.20.2"},
                              {"kubeProxyVersion", "v1.20.2"},
                              {"operatingSystem", "linux"},
                              {"architecture", "amd64"}};
    status["images"] = images(number);
  }
  object["status"] = std::move(status);
  return object;
}

std::string numbered(std::string_view prefix, std::uint32_t number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.*s%05u", static_cast<int>(prefix.size()),
                prefix.data(), static_cast<unsigned>(number));
  return text.data();
}

struct Point {
  double x = 0, y = 0;
};

double uniform(std::mt19937& random, double width) {
  return width * static_cast<double>(random()) / 4294967296.0;
}

// Sites of 25 on a plane of 100 x 100 milliseconds, up to 3 ms from their middle.
std::vector<Point> points(std::uint32_t count, std::mt19937& random) {
  constexpr std::uint32_t kSite = 25;
  std::vector<Point> all;
  Point site;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (i % kSite == 0) site = {uniform(random, 100), uniform(random, 100)};
    all.push_back({site.x + uniform(random, 6) - 3, site.y + uniform(random, 6) - 3});
  }
  return all;
}

double distance(Point a, Point b) { return std::hypot(a.x - b.x, a.y - b.y); }

Json edge_pod(std::uint32_t number, const std::string& peer, int limit_ms) {
  const std::string name = numbered("pod-", number);
  const Json amounts{{"memory", "512Mi"}};
  const Json container{{"name", "main"},
                       {"image", "app:1"},
                       {"command", Json::array({"sleep", "infinity"})},
                       {"resources", Json{{"requests", amounts}, {"limits", amounts}}}};
  const Json labels{{"app", name}, {"delay_" + peer, std::to_string(limit_ms)}};
  return Json{
      {"apiVersion", "apps/v1"},
      {"kind", "Deployment"},
      {"metadata", Json{{"name", name}}},
      {"spec", Json{{"replicas", 1},
                    {"selector", Json{{"matchLabels", Json{{"app", name}}}}},
                    {"template", Json{{"metadata", Json{{"name", name}, {"labels", labels}}},
                                      {"spec", Json{{"schedulerName", "custom-scheduler"},
                                                    {"containers", Json::array({container})}}}}}}}};
}

}  // namespace

std::string write_objects(const Facts& facts, Form form, Syntax syntax) {
  const bool is_yaml = syntax == Syntax::kYaml;
  std::string out = is_yaml ? "" : R"({"apiVersion":"v1","kind":"List","items":[)";
  bool is_first = true;
  const auto add = [&](const Json& object) {
    if (is_yaml) {
      out += "---\n";
      write_yaml(object, 0, false, out);
    } else {
      if (!is_first) out += ",";
      out += object.dump();
    }
    is_first = false;
  };
  for (std::size_t i = 0; i < facts.nodes.size(); ++i) add(node_object(facts, i, form));
  for (std::size_t i = 0; i < facts.pods.size(); ++i) add(pod_object(facts, i, form, true));
  return is_yaml ? out : out + "]}\n";
}

std::string write_pod_list(const Facts& facts, Form form) {
  std::string out = R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},)"
                    R"("items":[)";
  for (std::size_t i = 0; i < facts.pods.size(); ++i) {
    if (i > 0) out += ",";
    out += pod_object(facts, i, form, false).dump();
  }
  return out + "]}\n";
}

std::string write_matrix(std::uint32_t names, std::uint32_t seed) {
  std::mt19937 random(seed);
  const std::vector<Point> all = points(names, random);
  std::string out;
  std::array<char, 32> text{};
  for (std::uint32_t a = 0; a < names; ++a)
    for (std::uint32_t b = 0; b < names; ++b) {
      const double ms = a == b ? 0 : 0.2 + distance(all[a], all[b]);
      std::snprintf(text.data(), text.size(), "%.3f%c", ms, b + 1 == names ? '\n' : ' ');
      out += text.data();
    }
  return out;
}

EdgeFiles write_edge_files(Size size, std::uint32_t seed) {
  std::mt19937 random(seed);
  const std::vector<Point> all = points(size.nodes, random);
  EdgeFiles files;
  Json nodes = Json::array(), metadata = Json::object();
  for (std::uint32_t i = 0; i < size.nodes; ++i) {
    const std::string name = numbered("node-", i);
    nodes.push_back(Json{{"name", name}, {"allocatable_memory", "16Gi"}, {"cloud", false}});
    metadata[name] = i;
    for (std::uint32_t j = 0; j < size.nodes; ++j) {
      const double ms = std::max(1.0, std::round(distance(all[i], all[j])));
      files.matrix += std::to_string(i == j ? 0 : static_cast<int>(ms));
      files.matrix += j + 1 == size.nodes ? '\n' : ' ';
    }
  }
  files.nodes = nodes.dump() + "\n";
  files.metadata = metadata.dump() + "\n";
  constexpr std::array<int, 3> kLimits{5, 10, 20};
  for (std::uint32_t i = 0; i < size.pods; ++i) {
    const auto peer = static_cast<std::uint32_t>(random() % size.nodes);
    const int limit_ms = kLimits[random() % kLimits.size()];
    files.pods += "---\n";
    write_yaml(edge_pod(i, numbered("node-", peer), limit_ms), 0, false, files.pods);
  }
  return files;
}

}  // namespace gedge::bench
