#include "gedge/codec/api_requests.hpp"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "codec/document_sink.hpp"
#include "codec/request_parts.hpp"
#include "gedge/codec/timestamp.hpp"

namespace gedge::codec {
namespace {

namespace dom = simdjson::dom;

constexpr unsigned kOk = 200, kCreated = 201, kNotFound = 404, kConflict = 409;
constexpr unsigned kTooManyRequests = 429;
constexpr std::size_t kMostNote = 1'024, kMostReporter = 128, kMostEventName = 230;
constexpr std::size_t kQuoted = 200;
constexpr int kEvictionV1 = 22;  // the minor version whose pods take an Eviction of policy/v1
// Where Events lie of what has no namespace: servers up to 1.20 take them nowhere else.
constexpr const char* kNowhere = "kube-system";
constexpr std::size_t kMostHolder = 256;  // bytes that are told of one
constexpr std::string_view kHeard = "gedge.io/heard", kGivenAway = "gedge.io/given-away";
constexpr std::int64_t kSlack = 30;  // a server that does not end a watch in time is not there

std::string pod_path(const PodName& pod) {
  return "/api/v1/namespaces/" + encoded(pod.namespace_name) + "/pods/" + encoded(pod.name);
}

// At most `most` bytes, cut between characters.
std::string cut(std::string_view text, std::size_t most) {
  constexpr std::string_view kMore = "...";
  if (text.size() <= most) return std::string(text);
  std::size_t end = most - std::min(most, kMore.size());
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
  return std::string(text.substr(0, end)) + std::string(kMore);
}

/// Of what is sent for every pod: texts between parts of JSON that are the same every time.
class Body {
 public:
  Body& part(std::string_view json) {
    json_ += json;
    return *this;
  }
  Body& text(std::string_view text) {
    const bool is_plain = std::all_of(text.begin(), text.end(), [](char c) {
      return c >= ' ' && c <= '~' && c != '"' && c != '\\';
    });
    if (is_plain)
      (json_ += '"').append(text) += '"';
    else
      json_ += text_of(Json(std::string(text)));
    return *this;
  }
  std::string take() { return std::move(json_); }

 private:
  std::string json_;
};

// "2026-11-22T01:00:00.000000Z"
std::string micro_time(UnixSeconds now) {
  std::string text = format_timestamp(now);
  text.insert(text.size() - 1, ".000000");
  return text;
}

std::string hex(std::uint64_t number) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text(16, '0');
  for (auto at = text.rbegin(); at != text.rend(); ++at, number >>= 4U) *at = kDigits[number & 15U];
  return text;
}

}  // namespace

ApiRequest collection_request(std::string_view path, std::string_view field_selector,
                              const ReflectorCall& call, std::uint32_t page_size) {
  ApiRequest request;
  request.target = path;
  if (call.is_list) {
    request.target += "?limit=" + std::to_string(page_size);
    if (!call.next.empty()) request.target += "&continue=" + encoded(call.next);
    request.timeout = Nanos{60'000'000'000};
  } else {
    request.lane = ApiLane::kWatch;
    request.is_stream = true;
    request.timeout = Nanos{(call.watch_seconds + kSlack) * 1'000'000'000};
    request.target += "?watch=1&allowWatchBookmarks=true&resourceVersion=" + encoded(call.version) +
                      "&timeoutSeconds=" + std::to_string(call.watch_seconds);
  }
  if (!field_selector.empty()) request.target += "&fieldSelector=" + encoded(field_selector);
  return request;
}

ApiRequest version_request() {
  ApiRequest request;
  request.target = "/version";
  request.timeout = kWriteTimeout;
  return request;
}

Result<int> server_minor(const ApiAnswer& answer) {
  if (answer.status != kOk) return refusal(answer, "no answer of an API server");
  dom::parser parser;
  dom::element version;
  std::string_view major, minor;
  int number = 0;
  const bool is_version = parser.parse(answer.body).get(version) == simdjson::SUCCESS &&
                          version["major"].get_string().get(major) == simdjson::SUCCESS &&
                          version["minor"].get_string().get(minor) == simdjson::SUCCESS;
  const auto [rest, failed] = std::from_chars(minor.data(), minor.data() + minor.size(), number);
  if (!is_version || major != "1" || failed != std::errc{} || number < 0)
    return invalid_input("what answers is no Kubernetes API server", {},
                         "see `server:` in the kubeconfig");
  return number;
}

ApiRequest bind_request(const BindRequest& bind) {
  Body body;
  body.part(R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":)").text(bind.pod.name);
  body.part(R"(,"namespace":)").text(bind.pod.namespace_name);
  if (!bind.uid.empty()) body.part(R"(,"uid":)").text(bind.uid);
  body.part(R"(},"target":{"apiVersion":"v1","kind":"Node","name":)").text(bind.node).part("}}");
  return write_request(ApiVerb::kPost, ApiLane::kWrite, pod_path(bind.pod) + "/binding",
                       body.take(), "application/json");
}

ApiRequest read_request(const ReadRequest& read) {
  ApiRequest request;
  request.target = pod_path(read.pod);
  return request;
}

ApiRequest victim_request(const EvictRequest& evict, bool stays, std::string_view scheduler,
                          UnixSeconds now) {
  const Json condition{
      {"type", "DisruptionTarget"},
      {"status", stays ? "False" : "True"},
      {"reason", "PreemptionByScheduler"},
      {"message", std::string(scheduler) + ": preempting to accommodate a higher priority pod"},
      {"lastProbeTime", nullptr},
      {"lastTransitionTime", format_timestamp(now)}};
  const Json body{{"metadata", {{"uid", evict.uid.str()}}},
                  {"status", {{"conditions", Json::array({condition})}}}};
  return write_request(ApiVerb::kPatch, ApiLane::kWrite, pod_path(evict.pod) + "/status", body,
                       "application/strategic-merge-patch+json");
}

ApiRequest evict_request(const EvictRequest& evict, int minor) {
  Json options{{"apiVersion", "v1"},
               {"kind", "DeleteOptions"},
               {"preconditions", {{"uid", evict.uid.str()}}}};
  if (!evict.within_budgets)
    return write_request(ApiVerb::kDelete, ApiLane::kWrite, pod_path(evict.pod), options,
                         "application/json");
  const Json body{
      {"apiVersion", minor >= kEvictionV1 ? "policy/v1" : "policy/v1beta1"},
      {"kind", "Eviction"},
      {"metadata", {{"name", evict.pod.name.str()}, {"namespace", evict.pod.namespace_name.str()}}},
      {"deleteOptions", std::move(options)}};
  return write_request(ApiVerb::kPost, ApiLane::kWrite, pod_path(evict.pod) + "/eviction", body,
                       "application/json");
}

ApiRequest claim_request(const ClaimRequest& claim) {
  if (claim.volume.empty()) {
    Json metadata{{"annotations", {{"volume.kubernetes.io/selected-node", claim.node.str()}}}};
    if (!claim.uid.empty()) metadata["uid"] = claim.uid.str();
    return write_request(ApiVerb::kPatch, ApiLane::kWrite,
                         "/api/v1/namespaces/" + encoded(claim.claim.namespace_name) +
                             "/persistentvolumeclaims/" + encoded(claim.claim.name),
                         Json{{"metadata", std::move(metadata)}}, "application/merge-patch+json");
  }
  Json reference{{"apiVersion", "v1"},
                 {"kind", "PersistentVolumeClaim"},
                 {"namespace", claim.claim.namespace_name.str()},
                 {"name", claim.claim.name.str()}};
  if (!claim.uid.empty()) reference["uid"] = claim.uid.str();
  Json body = Json::array(
      {Json{{"op", "test"}, {"path", "/spec/claimRef"}, {"value", nullptr}},
       Json{{"op", "add"}, {"path", "/spec/claimRef"}, {"value", std::move(reference)}}});
  // By this Kubernetes knows that nobody reserved the volume by hand: it is free again where the
  // claim comes to another.
  constexpr const char *notes = "/metadata/annotations",
                       *note = "/metadata/annotations/pv.kubernetes.io~1bound-by-controller";
  if (!claim.is_annotated) {
    body.push_back(Json{{"op", "test"}, {"path", notes}, {"value", nullptr}});
    body.push_back(Json{{"op", "add"}, {"path", notes}, {"value", Json::object()}});
  }
  body.push_back(Json{{"op", "add"}, {"path", note}, {"value", "yes"}});
  return write_request(ApiVerb::kPatch, ApiLane::kWrite,
                       "/api/v1/persistentvolumes/" + encoded(claim.volume), body,
                       "application/json-patch+json");
}

ClaimAnswer claim_answer(const ApiAnswer& answer) {
  if (answer.status == kOk) return ClaimAnswer::kAsked;
  const bool is_unclear = answer.status == 0 || answer.status >= 500;
  return is_unclear ? ClaimAnswer::kUnknown : ClaimAnswer::kRefused;
}

ApiRequest nomination_request(const Nomination& nomination) {
  const Json node = nomination.node.empty() ? Json(nullptr) : Json(nomination.node.str());
  const Json body{{"metadata", {{"uid", nomination.uid.str()}}},
                  {"status", {{"nominatedNodeName", node}}}};
  return write_request(ApiVerb::kPatch, ApiLane::kWrite, pod_path(nomination.pod) + "/status", body,
                       "application/merge-patch+json");
}

ApiRequest condition_request(const Unschedulable& pod, UnixSeconds now) {
  Json condition{{"type", "PodScheduled"},
                 {"status", "False"},
                 {"reason", "Unschedulable"},
                 {"message", pod.message.str()},
                 {"lastProbeTime", nullptr}};
  if (!pod.is_again) condition["lastTransitionTime"] = format_timestamp(now);
  Json body;
  if (!pod.uid.empty()) body["metadata"] = Json{{"uid", pod.uid.str()}};
  body["status"] = Json{{"conditions", Json::array({condition})}};
  return write_request(ApiVerb::kPatch, ApiLane::kEvent, pod_path(pod.pod) + "/status", body,
                       "application/strategic-merge-patch+json");
}

ApiRequest merge_patch_request(std::string_view collection, std::string_view name,
                               std::string body) {
  ApiRequest request;
  request.verb = ApiVerb::kPatch;
  request.lane = ApiLane::kWrite;
  request.target = std::string(collection) + "/" + encoded(name);
  request.body = std::move(body);
  request.content_type = "application/merge-patch+json";
  request.timeout = kWriteTimeout;
  return request;
}

ApiRequest lease_request(const LeaseCall& call, std::string_view namespace_name,
                         std::string_view name) {
  const std::string all =
      "/apis/coordination.k8s.io/v1/namespaces/" + encoded(namespace_name) + "/leases";
  ApiRequest request;
  if (call.kind != LeaseCall::Kind::kRead) {
    const auto time = [](UnixSeconds at) {
      return at == kNever ? Json(nullptr) : Json(micro_time(at));
    };
    Json metadata{{"name", name}, {"namespace", namespace_name}};
    if (!call.lease.version.empty()) metadata["resourceVersion"] = call.lease.version;
    if (!call.lease.heard.empty())
      metadata["annotations"][kHeard] = text_of(Json(call.lease.heard));
    if (call.lease.given_away >= 0)
      metadata["annotations"][kGivenAway] = std::to_string(call.lease.given_away);
    const Json body{{"apiVersion", "coordination.k8s.io/v1"},
                    {"kind", "Lease"},
                    {"metadata", std::move(metadata)},
                    {"spec",
                     {{"holderIdentity", call.lease.holder},
                      {"leaseDurationSeconds", call.lease.duration_seconds},
                      {"acquireTime", time(call.lease.acquired)},
                      {"renewTime", time(call.lease.renewed)},
                      {"leaseTransitions", call.lease.transitions}}}};
    const bool creates = call.kind == LeaseCall::Kind::kCreate;
    request = write_request(creates ? ApiVerb::kPost : ApiVerb::kPut, ApiLane::kLease,
                            creates ? all : all + "/" + encoded(name), body, "application/json");
  } else {
    request.target = all + "/" + encoded(name);
    request.lane = ApiLane::kLease;
  }
  request.timeout = call.timeout;
  return request;
}

namespace {

HeardVersions read_heard(std::string_view json) {
  HeardVersions heard;
  dom::parser parser;
  dom::object versions;
  if (parser.parse(json.data(), json.size()).get_object().get(versions) != simdjson::SUCCESS)
    return heard;
  for (const auto [path, version] : versions)
    if (std::string_view text; version.get_string().get(text) == simdjson::SUCCESS)
      heard.emplace(path, text);
  return heard;
}

// Of whoever writes Leases, in lines and Events that others read.
std::string plain_holder(std::string_view text) {
  std::string holder(text.substr(0, kMostHolder));
  std::replace_if(
      holder.begin(), holder.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return holder;
}

}  // namespace

Result<Lease> read_lease(const ApiAnswer& answer) {
  if (answer.status != kOk && answer.status != kCreated)
    return refusal(answer, "cannot use the lease");
  dom::parser parser;
  dom::element document;
  Lease lease;
  std::string_view version;
  if (parser.parse(answer.body).get(document) != simdjson::SUCCESS ||
      document["metadata"]["resourceVersion"].get_string().get(version) != simdjson::SUCCESS)
    return invalid_input("what the server calls a lease is none");
  lease.version = version;
  // Whatever somebody wrote into it by hand: what is not there, or of another type, is as empty.
  const auto spec = document["spec"];
  std::string_view text;
  if (spec["holderIdentity"].get_string().get(text) == simdjson::SUCCESS)
    lease.holder = plain_holder(text);
  if (spec["leaseDurationSeconds"].get_int64().get(lease.duration_seconds) != simdjson::SUCCESS)
    lease.duration_seconds = 0;
  if (spec["leaseTransitions"].get_int64().get(lease.transitions) != simdjson::SUCCESS)
    lease.transitions = 0;
  if (spec["acquireTime"].get_string().get(text) == simdjson::SUCCESS)
    lease.acquired = parse_timestamp(text).value_or(kNever);
  if (spec["renewTime"].get_string().get(text) == simdjson::SUCCESS)
    lease.renewed = parse_timestamp(text).value_or(kNever);
  const auto annotations = document["metadata"]["annotations"];
  if (annotations[kHeard].get_string().get(text) == simdjson::SUCCESS)
    lease.heard = read_heard(text);
  if (annotations[kGivenAway].get_string().get(text) == simdjson::SUCCESS)
    std::from_chars(text.data(), text.data() + text.size(), lease.given_away);
  return lease;
}

namespace {

std::string event_name(const ApiEvent& event, std::uint64_t unique) {
  return std::string(event.about.name.str().substr(0, kMostEventName)) + '.' + hex(unique);
}

std::string event_namespace(const ApiEvent& event) {
  const std::string& space = event.about.namespace_name;
  return space.empty() ? kNowhere : space;
}

std::string event_path(const ApiEvent& event) {
  return "/apis/events.k8s.io/v1/namespaces/" + encoded(event_namespace(event)) + "/events";
}

}  // namespace

ApiRequest event_request(const ApiEvent& event, const EventReporter& reporter, UnixSeconds now) {
  const std::string& space = event.about.namespace_name;
  Body body;
  body.part(R"({"apiVersion":"events.k8s.io/v1","kind":"Event","metadata":{"name":)");
  body.text(event_name(event, reporter.unique));
  body.part(R"(,"namespace":)").text(event_namespace(event));
  body.part(R"(},"eventTime":)").text(micro_time(now));
  body.part(R"(,"reportingController":)").text(cut(reporter.controller, kMostReporter));
  body.part(R"(,"reportingInstance":)").text(cut(reporter.instance, kMostReporter));
  body.part(R"(,"action":)").text(event.action).part(R"(,"reason":)").text(event.reason);
  body.part(R"(,"type":)").text(event.is_warning ? "Warning" : "Normal");
  body.part(R"(,"note":)").text(cut(event.note, kMostNote));
  body.part(R"(,"regarding":{"apiVersion":)").text(event.api_version);
  body.part(R"(,"kind":)").text(event.kind);
  body.part(R"(,"name":)").text(event.about.name);
  if (!space.empty()) body.part(R"(,"namespace":)").text(space);
  body.part(R"(,"uid":)").text(event.uid).part("}}");
  return write_request(ApiVerb::kPost, ApiLane::kEvent, event_path(event), body.take(),
                       "application/json");
}

ApiRequest event_again_request(const ApiEvent& event, std::uint64_t first, std::uint64_t times,
                               UnixSeconds now) {
  const Json body{{"series", {{"count", times}, {"lastObservedTime", micro_time(now)}}}};
  return write_request(ApiVerb::kPatch, ApiLane::kEvent,
                       event_path(event) + "/" + encoded(event_name(event, first)), body,
                       "application/merge-patch+json");
}

std::string timeout_query(Nanos timeout) {
  constexpr std::int64_t kNanosInMilli = 1'000'000;
  return "?timeout=" + std::to_string(std::max<std::int64_t>(timeout.count() / kNanosInMilli, 1)) +
         "ms";
}

bool is_missing(const ApiAnswer& answer) {
  if (answer.status != kNotFound) return false;
  dom::parser parser;
  dom::element status;
  std::string_view kind, reason;
  return parser.parse(answer.body).get(status) == simdjson::SUCCESS &&
         status["kind"].get_string().get(kind) == simdjson::SUCCESS && kind == "Status" &&
         status["reason"].get_string().get(reason) == simdjson::SUCCESS && reason == "NotFound";
}

BindAnswer bind_answer(const ApiAnswer& answer) {
  if (answer.status == kOk || answer.status == kCreated) return BindAnswer::kBound;
  if (answer.status == kNotFound)
    return is_missing(answer) ? BindAnswer::kGone : BindAnswer::kUnknown;
  if (answer.status == kConflict) return BindAnswer::kConflict;
  if (answer.status == 0 && answer.was_not_sent) return BindAnswer::kNotSent;
  const bool was_done_perhaps = answer.status < 400 || answer.status >= 500;
  return was_done_perhaps ? BindAnswer::kUnknown : BindAnswer::kRefused;
}

// 409: it is another pod by now. 429 is what a disruption budget answers, for the time being.
EvictAnswer evict_answer(const ApiAnswer& answer) {
  const bool is_going = (answer.status >= 200 && answer.status < 300) || is_missing(answer) ||
                        answer.status == kConflict;
  if (is_going) return EvictAnswer::kGoing;
  const bool is_refused = answer.status >= 400 && answer.status < 500 &&
                          answer.status != kNotFound && answer.status != kTooManyRequests;
  return is_refused ? EvictAnswer::kRefused : EvictAnswer::kFailed;
}

PodReading pod_reading(const ApiAnswer& answer) {
  PodReading reading;
  if (is_missing(answer)) {
    reading.kind = PodReading::Kind::kMissing;
    return reading;
  }
  dom::parser parser;
  dom::element pod;
  std::string_view uid, node, phase;
  if (answer.status != kOk || parser.parse(answer.body).get(pod) != simdjson::SUCCESS ||
      pod["metadata"]["uid"].get_string().get(uid) != simdjson::SUCCESS)
    return reading;
  const auto error = pod["spec"]["nodeName"].get_string().get(node);
  if (error != simdjson::SUCCESS && error != simdjson::NO_SUCH_FIELD) return reading;
  reading.kind = PodReading::Kind::kFound;
  reading.uid = SharedText(uid);
  if (error == simdjson::SUCCESS) reading.node = SharedText(node);
  reading.is_finished = pod["status"]["phase"].get_string().get(phase) == simdjson::SUCCESS &&
                        (phase == "Succeeded" || phase == "Failed");
  return reading;
}

namespace {

constexpr std::size_t kLeastSecret = 16;  // characters; words are shorter

bool is_same_word(std::string_view text, std::string_view lower) {
  return text.size() >= lower.size() &&
         std::equal(lower.begin(), lower.end(), text.begin(), [](char of, char it) {
           return of == (it >= 'A' && it <= 'Z' ? static_cast<char>(it - 'A' + 'a') : it);
         });
}

// Something in between may say what it was asked with.
std::string without_credentials(std::string text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (const std::string_view scheme : {"bearer ", "basic "}) {
      if (!is_same_word(std::string_view(text).substr(i), scheme)) continue;
      const std::size_t at = i + scheme.size();
      const std::size_t end = std::min(text.find_first_of(" \t\r\n\"'<,;", at), text.size());
      if (end - at >= kLeastSecret) text.replace(at, end - at, "[redacted]");
    }
  }
  return text;
}

}  // namespace

std::string begin_of_answer(std::string_view body) {
  return without_credentials(std::string(body.substr(0, kQuoted)));
}

Error refusal(const ApiAnswer& answer, std::string_view what) {
  if (answer.status == 0) {
    Error error = answer.error;
    error.what = std::string(what) + ": " + error.what;
    return error;
  }
  dom::parser parser;
  dom::element status;
  std::string_view message;
  // Kubernetes has a Status, Prometheus an error.
  const bool is_told = parser.parse(answer.body).get(status) == simdjson::SUCCESS &&
                       (status["message"].get_string().get(message) == simdjson::SUCCESS ||
                        status["error"].get_string().get(message) == simdjson::SUCCESS);
  const std::string said =
      is_told ? without_credentials(std::string(message)) : begin_of_answer(answer.body);
  const Errc code = answer.status == kNotFound                     ? Errc::kNotFound
                    : answer.status == kConflict                   ? Errc::kConflict
                    : answer.status == 401 || answer.status == 403 ? Errc::kDenied
                    : answer.status == 429 || answer.status >= 500 ? Errc::kUnreachable
                                                                   : Errc::kInvalidInput;
  return {code,
          std::string(what) + ": the server says " + std::to_string(answer.status) +
              (said.empty() ? "" : ": " + said),
          {},
          {}};
}

}  // namespace gedge::codec
