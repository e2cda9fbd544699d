// drive/api_look.cpp - whether the store has been put back to what it was before.
#include <algorithm>
#include <utility>

#include "drive/api_kind.hpp"
#include "drive/latency_watch.hpp"
#include "gedge/drive/api_cluster.hpp"

namespace gedge {
namespace {

constexpr unsigned kOk = 200;
constexpr Nanos kTimeout{10'000'000'000};
constexpr Nanos kLeastRest{1'000'000'000}, kMostRest{300'000'000'000};

}  // namespace

// The version of a store is that of its last change, whatever that was of. One object at most of a
// list that was read from the store itself, and not from a cache, has it. Nobody sees that a store
// went back which has come as far again by then: what an hour is for (list_again_after).
void ApiCluster::look(Nanos now) {
  if (!is_doubtful_ || is_looking_ || now < look_from_) return;
  is_doubtful_ = false;
  is_looking_ = true;
  looked_for_.clear();
  for (const auto& kind : kinds_) {
    const std::string& newest = kind->reflector().newest();
    if (!newest.empty() && !is_as_new(looked_for_, newest)) looked_for_ = newest;
  }
  Call call;
  call.about = About::kLook;
  ApiRequest request = codec::collection_request(kinds_.front()->path().path, {}, {}, 1);
  request.timeout = kTimeout;
  send(std::move(request), std::move(call));
}

void ApiCluster::take_looked(const ApiAnswer& answer) {
  is_looking_ = false;
  std::string version;
  if (answer.status == kOk)
    if (const auto list = WatchReader().read_list(answer.body)) version = list->version;
  if (version.empty()) {
    const Nanos rest = answer.retry_after.value_or(kLeastRest);
    is_doubtful_ = true;
    look_from_ = now() + std::clamp(rest, kLeastRest, kMostRest);
    return;
  }
  if (!is_as_new(version, looked_for_)) list_all(now());
}

// What happened to one kind since the store was as it is again, another one may not show.
void ApiCluster::list_all(Nanos now) {
  for (const auto& kind : kinds_) kind->reflector().require(now, {}, now);
  if (latency_) latency_->require(now);
}

}  // namespace gedge
