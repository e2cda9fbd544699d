#include "drive/object_watch.hpp"

#include <utility>

#include "gedge/codec/api_requests.hpp"
#include "gedge/codec/autoscaling.hpp"

namespace gedge {
namespace {

constexpr unsigned kOk = 200, kNotFound = 404, kUnreadable = 422;
constexpr std::size_t kPadding = 64;
constexpr std::uint32_t kPageSize = 500;

}  // namespace

ObjectWatch::ObjectWatch(WatchedKind kind, Listener listener, std::uint64_t seed,
                         const ReflectorOptions& options)
    : kind_(std::move(kind)), listener_(std::move(listener)), reflector_(seed, options) {}

void ObjectWatch::advance(ApiTransport& transport, std::uint64_t& last_ticket, Nanos now) {
  if (reflector_.is_vain(now)) {
    transport.cancel(std::exchange(ticket_, 0));
    reflector_.resume(now);
  }
  const auto call = reflector_.advance(now, transport.pings());
  if (!call) return;
  if (call->is_list && call->next.empty()) listed_.clear();
  ticket_ = ++last_ticket;
  transport.send(ticket_, codec::collection_request(kind_.path, "", *call, kPageSize));
}

void ObjectWatch::distrust(ApiTransport& transport, Nanos since, Nanos now) {
  reflector_.distrust(since);
  if (!reflector_.is_watching()) return;
  transport.cancel(std::exchange(ticket_, 0));
  reflector_.resume(now);
}

// The same again is not told.
void ObjectWatch::fail(Error error) {
  if (!failure_ || failure_->what != error.what) listener_.failed(error);
  failure_ = std::move(error);
}

void ObjectWatch::works() {
  if (std::exchange(failure_, {})) listener_.recovered();
}

// False: something in it cannot be read, and nothing of it counts.
bool ObjectWatch::load(std::string_view text, std::size_t padding, bool is_told) {
  ScaleLoadOptions options;
  options.keep_objects = kind_.keeps_objects;
  ScaleLoader loader(options);
  loader.add({kind_.path, text, padding});
  ScaleLoadResult result = loader.finish();
  if (!result.facts) {
    if (is_told)
      for (const Error& error : result.errors) listener_.failed(error);
    return false;
  }
  ScaleFacts& facts = *result.facts;
  objects_ += facts.pods.size() + facts.autoscalers.size();
  if (is_listing_) {
    for (const ScaledPod& pod : facts.pods) listed_.push_back(fact_name(pod));
    for (const Autoscaler& one : facts.autoscalers) listed_.push_back(fact_name(one));
  }
  listener_.put(std::move(facts));
  return true;
}

// One that cannot be read spoils no other.
void ObjectWatch::load_page(const std::string& body) {
  if (load(body, body.capacity() - body.size(), false)) return;
  const auto items = WatchReader().read_items(body);
  if (!items) return fail(items.error());
  for (const std::string& item : *items) {
    const std::string alone = R"({"apiVersion":")" + kind_.version + R"(","kind":")" + kind_.list +
                              R"(","items":[)" + item + "]}";
    if (!load(alone, 0, true)) ++unreadable_;
  }
}

bool ObjectWatch::take_page(const std::string& body, Nanos now) {
  const auto meta = reader_.read_list(body);
  if (!meta) {
    fail(meta.error());
    return false;
  }
  is_missing_ = false;
  works();
  is_listing_ = true;
  load_page(body);
  is_listing_ = false;
  if (reflector_.take_page(*meta, now)) listener_.keep_only(std::exchange(listed_, {}));
  return true;
}

void ObjectWatch::take_object(const WatchLine& line) {
  if (line.type != WatchType::kDeleted) {
    // The bytes behind an object are those of its line.
    if (load(line.object, 0, true)) return;
    ++unreadable_;
  }
  listener_.remove(line.namespace_name, line.name);
}

void ObjectWatch::take_line(ApiTransport& transport, std::string_view line, Nanos now) {
  const auto read = reader_.read(line, kPadding);
  if (!read) {
    fail(read.error());
    reflector_.failed(kUnreadable, std::nullopt, now);
  } else if (reflector_.take_line(*read, now)) {
    works();
    if (read->type == WatchType::kOther && !std::exchange(has_told_of_unknown_, true))
      listener_.failed(unknown_change(kind_.path, *read));
    if (read->type != WatchType::kBookmark && read->type != WatchType::kOther) take_object(*read);
    return;
  }
  transport.cancel(std::exchange(ticket_, 0));
}

void ObjectWatch::take(const ApiAnswer& answer, Nanos now) {
  ticket_ = 0;
  const bool was_list = reflector_.is_listing();
  if (was_list && answer.status == kOk && take_page(answer.body, now)) return;
  const unsigned status = was_list && answer.status == kOk ? kUnreadable : answer.status;
  reflector_.failed(status, answer.retry_after, now);
  if (answer.status == kOk) return;
  if (was_list && kind_.may_be_missing && answer.status == kNotFound && reflector_.is_absent()) {
    if (!std::exchange(is_missing_, true)) listener_.keep_only({});
    works();
    return;
  }
  fail(codec::refusal(answer, "cannot read " + kind_.path));
}

}  // namespace gedge
