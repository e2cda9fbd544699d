// codec/extender_call.cpp - what kube-scheduler asks of an extender, without looking into nodes.
#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "codec/diagnostics.hpp"
#include "codec/document_sink.hpp"
#include "codec/http_target.hpp"
#include "codec/json_fields.hpp"
#include "gedge/codec/extender.hpp"
#include "gedge/codec/load.hpp"

namespace gedge {
namespace {

namespace ondemand = simdjson::ondemand;
using codec::for_each_field;
using codec::take;
using Fault = simdjson::error_code;

constexpr std::array<std::pair<std::string_view, ExtenderVerb>, 4> kVerbs{{
    {"/filter", ExtenderVerb::kFilter},
    {"/prioritize", ExtenderVerb::kPrioritize},
    {"/preempt", ExtenderVerb::kPreempt},
    {"/bind", ExtenderVerb::kBind},
}};
constexpr std::string_view kJsonType = "application/json";

std::optional<ExtenderVerb> verb_of(std::string_view target) {
  const auto known = std::find_if(kVerbs.begin(), kVerbs.end(),
                                  [&](const auto& verb) { return verb.first == target; });
  return known == kVerbs.end() ? std::nullopt : std::optional(known->second);
}

HttpReply refused(unsigned status, const std::string& why) {
  HttpReply reply;
  reply.status = status;
  reply.content_type = kJsonType;
  reply.body =
      codec::Json{{"Error", why}}.dump(-1, ' ', false, codec::Json::error_handler_t::replace);
  return reply;
}

// Calls visit(item) for each item of a list that may be null.
template <typename F>
Fault for_each_item(ondemand::value value, F&& visit) {
  bool is_null = false;
  if (const auto fault = value.is_null().get(is_null); fault || is_null) return fault;
  ondemand::array items;
  if (const auto fault = value.get_array().get(items)) return fault;
  for (auto item : items) {
    ondemand::value of;
    if (const auto fault = std::move(item).get(of)) return fault;
    if (const auto fault = visit(of)) return fault;
  }
  return simdjson::SUCCESS;
}

// The same of the fields of an object.
template <typename F>
Fault for_each_member(ondemand::value value, F&& visit) {
  bool is_null = false;
  if (const auto fault = value.is_null().get(is_null); fault || is_null) return fault;
  ondemand::object object;
  if (const auto fault = value.get_object().get(object)) return fault;
  return for_each_field(object, std::forward<F>(visit));
}

Fault take_number(ondemand::value value, std::int64_t& number) {
  bool is_null = false;
  if (const auto fault = value.is_null().get(is_null); fault || is_null) return fault;
  return value.get_int64().get(number);
}

/// Reads one body. Views of what is inside are views of `body`.
class Reader {
 public:
  explicit Reader(std::string_view body) : body_(body) {}

  /// Empty: it was read; else what is wrong.
  std::string read(ExtenderCall& call);
  std::string_view pod() const { return pod_; }
  bool has_nodes() const { return has_nodes_; }

 private:
  Fault take_member(std::string_view key, ondemand::value value, ExtenderCall& call);
  Fault take_object(ondemand::value value, std::string_view& bytes);
  Fault take_node(ondemand::value value, ExtenderCall& call);
  Fault take_victims(ondemand::value value, ExtenderCall& call);
  Fault take_victim(ondemand::value value, NodeVictims& victims) const;
  std::string_view in_body(std::string_view bytes) const {
    return body_.substr(static_cast<std::size_t>(bytes.data() - begin_), bytes.size());
  }

  std::string_view body_, pod_;
  const char* begin_ = nullptr;  // of the copy that is parsed
  bool has_nodes_ = false;
  std::set<std::string, std::less<>> seen_;
  std::string member_;  // that is being read
};

std::string Reader::read(ExtenderCall& call) {
  codec::PaddedText padded;
  const simdjson::padded_string_view text = padded(body_);
  begin_ = text.data();
  // All of it is checked, also what is passed over and handed back.
  simdjson::dom::parser whole;
  simdjson::dom::element root;
  if (const auto fault = whole.parse(text.data(), text.size(), false).get(root))
    return std::string("this is no JSON: ") + simdjson::error_message(fault);
  ondemand::parser parser;
  ondemand::document document;
  ondemand::object object;
  if (parser.iterate(text).get(document) || document.get_object().get(object))
    return "this is no JSON object";
  const auto fault = for_each_field(object, [&](std::string_view key, ondemand::value value) {
    member_ = key;
    if (!seen_.insert(member_).second) return simdjson::INCORRECT_TYPE;
    return take_member(key, value, call);
  });
  return fault ? "member " + codec::quote(member_) + " is there twice, or of a wrong type" : "";
}

Fault Reader::take_member(std::string_view key, ondemand::value value, ExtenderCall& call) {
  if (key == "Pod") return take_object(value, pod_);
  if (key == "NodeNames") {
    bool is_null = false;
    if (const auto fault = value.is_null().get(is_null); fault || is_null) return fault;
    call.by_name = true;
    return for_each_item(
        value, [&](ondemand::value name) { return take(name, call.nodes.emplace_back()); });
  }
  if (key == "Nodes")
    return for_each_member(value, [&](std::string_view name, ondemand::value items) {
      if (name != "items") return simdjson::SUCCESS;
      has_nodes_ = true;
      return for_each_item(items, [&](ondemand::value node) { return take_node(node, call); });
    });
  if (key == "NodeNameToVictims" || key == "NodeNameToMetaVictims")
    return for_each_member(value, [&](std::string_view node, ondemand::value victims) {
      call.victims.push_back({std::string(node), {}});
      return take_victims(victims, call);
    });
  if (key == "PodName" || key == "PodNamespace") {
    std::string text;
    const auto fault = take(value, text);
    (key == "PodName" ? call.pod_name.name : call.pod_name.namespace_name) = SharedText(text);
    return fault;
  }
  if (key == "PodUID") return take(value, call.uid);
  return key == "Node" ? take(value, call.node) : simdjson::SUCCESS;
}

Fault Reader::take_object(ondemand::value value, std::string_view& bytes) {
  bool is_null = false;
  if (const auto fault = value.is_null().get(is_null); fault || is_null) return fault;
  ondemand::object object;
  if (const auto fault = value.get_object().get(object)) return fault;
  const auto fault = object.raw_json().get(bytes);
  if (!fault) bytes = in_body(bytes);
  return fault;
}

Fault Reader::take_node(ondemand::value value, ExtenderCall& call) {
  ondemand::object object;
  if (const auto fault = value.get_object().get(object)) return fault;
  std::string& name = call.nodes.emplace_back();
  const auto fault = for_each_field(object, [&](std::string_view key, ondemand::value of) {
    if (key != "metadata") return simdjson::SUCCESS;
    return for_each_member(of, [&](std::string_view of_key, ondemand::value text) {
      return of_key == "name" ? take(text, name) : simdjson::SUCCESS;
    });
  });
  if (fault) return fault;
  if (const auto wrong = object.reset().error()) return wrong;
  std::string_view bytes;
  const auto wrong = object.raw_json().get(bytes);
  if (!wrong) call.node_objects.push_back(in_body(bytes));
  return wrong;
}

Fault Reader::take_victims(ondemand::value value, ExtenderCall& call) {
  std::int64_t& violations = call.budget_violations.emplace_back(0);
  return for_each_member(value, [&](std::string_view key, ondemand::value of) {
    if (key == "NumPDBViolations") return take_number(of, violations);
    if (key != "Pods") return simdjson::SUCCESS;
    return for_each_item(
        of, [&](ondemand::value victim) { return take_victim(victim, call.victims.back()); });
  });
}

// {"UID": ...}, or a whole pod.
Fault Reader::take_victim(ondemand::value value, NodeVictims& victims) const {
  std::string& uid = victims.uids.emplace_back();
  return for_each_member(value, [&](std::string_view key, ondemand::value of) {
    if (key == "UID") return take(of, uid);
    if (key != "metadata") return simdjson::SUCCESS;
    return for_each_member(of, [&](std::string_view of_key, ondemand::value text) {
      return of_key == "uid" ? take(text, uid) : simdjson::SUCCESS;
    });
  });
}

// `kind`: of each; neither it nor a version is sent along.
Result<Facts> load(std::span<const std::string_view> objects, const std::string& kind,
                   Compat compat) {
  std::string text = R"({"apiVersion":"v1","kind":")" + kind + R"(List","items":[)";
  for (std::size_t i = 0; i < objects.size(); ++i)
    text.append(i == 0 ? "" : ",").append(objects[i]);
  text += "]}";
  LoadOptions options;
  options.compat = compat;
  FactsLoader loader(options);
  loader.add_cluster({kind, text});
  LoadResult result = loader.finish();
  if (result.loaded) return std::move(result.loaded->facts);
  return result.errors.front();
}

// Empty: the call has what its verb needs.
std::string missing(const ExtenderCall& call, const Reader& reader) {
  if (call.verb == ExtenderVerb::kBind) {
    const bool is_whole = !call.pod_name.name.empty() && !call.pod_name.namespace_name.empty() &&
                          !call.uid.empty() && !call.node.empty();
    return is_whole ? "" : "PodName, PodNamespace, PodUID and Node are needed";
  }
  if (reader.pod().empty()) return "a Pod is needed";
  if (call.verb == ExtenderVerb::kPreempt) return "";
  if (reader.has_nodes() != call.by_name) return "";
  return "either Nodes or NodeNames is needed";
}

std::optional<HttpReply> refuse_manner(const HttpRequest& request) {
  if (!request.origin.empty()) return refused(403, "pages of other sites may not ask");
  if (!codec::is_own_host(request.host)) return refused(403, "ask by address, or as localhost");
  if (request.method != "POST") {
    HttpReply reply = refused(405, "only POST is answered");
    reply.allow = "POST";
    return reply;
  }
  const std::string type = codec::lower_case(
      std::string_view(request.content_type).substr(0, request.content_type.find(';')));
  if (type != kJsonType) return refused(415, "the body is to be application/json");
  return std::nullopt;
}

}  // namespace

bool is_extender_call(const HttpRequest& request) { return verb_of(request.target).has_value(); }

Result<Facts> read_extender_nodes(std::span<const std::string_view> objects, Compat compat) {
  return load(objects, "Node", compat);
}

std::variant<ExtenderCall, HttpReply> read_extender_call(const HttpRequest& request,
                                                         Compat compat) {
  const auto verb = verb_of(request.target);
  if (!verb) return refused(404, "there are /filter, /prioritize, /preempt and /bind");
  if (auto reply = refuse_manner(request)) return *std::move(reply);
  ExtenderCall call;
  call.verb = *verb;
  Reader reader(request.body);
  if (std::string wrong = reader.read(call); !wrong.empty()) return refused(400, wrong);
  if (std::string wrong = missing(call, reader); !wrong.empty()) return refused(400, wrong);
  if (*verb == ExtenderVerb::kBind) return call;
  const std::string_view pod = reader.pod();
  auto facts = load(std::span(&pod, 1), "Pod", compat);
  if (!facts) return extender_failure(*verb, facts.error().what);
  call.pod = *std::move(facts);
  call.pod.warnings.clear();
  return call;
}

}  // namespace gedge
