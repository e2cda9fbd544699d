// drive/api_look.cpp - the end of an outage: that of the server is told to all kinds, and whether
// the store has been put back to what it was before is looked up.
#include <algorithm>
#include <utility>

#include "drive/api_kind.hpp"
#include "drive/latency_watch.hpp"
#include "gedge/drive/api_cluster.hpp"

namespace gedge {
namespace {

constexpr unsigned kOk = 200;
constexpr const char* kNoVersion = "cannot read how far the store is";
constexpr Nanos kTimeout{10'000'000'000};
// Nobody decides meanwhile, and it is one object that is asked for.
constexpr Nanos kLeastPause{1'000'000'000}, kMostPause{2'000'000'000}, kMostRest{300'000'000'000};
// Watches that were lost together are opened one after the other: one look is for all.
constexpr Nanos kTogether{1'000'000'000};

}  // namespace

template <typename Act>
void ApiCluster::each_reflector(Act act) {
  for (const auto& kind : kinds_) act(kind->reflector());
  if (latency_) latency_->each_reflector(act);
}

// Who was answered after an outage tells the others.
void ApiCluster::hasten(Nanos now) {
  bool has_returned = std::exchange(has_look_returned_, false);
  each_reflector([&](Reflector& reflector) { has_returned |= reflector.take_return(); });
  if (!has_returned) return;
  each_reflector([now](Reflector& reflector) { reflector.hasten(now); });
  look_from_ = std::min(look_from_, std::max(now, look_not_before_));
}

void ApiCluster::note_doubts(Nanos now, ClusterListener& listener) {
  const bool was_doubtful = is_doubtful_;
  bool has_gone_back = false;
  each_reflector([&](Reflector& reflector) {
    is_doubtful_ |= reflector.take_doubt();
    has_gone_back |= reflector.has_gone_back();
  });
  if (is_doubtful_ && !was_doubtful) doubtful_since_ = now;
  if (has_gone_back) list_all(now, listener);
}

std::optional<Nanos> ApiCluster::next_look(Nanos now) const {
  if (!is_doubtful_ || is_looking_) return std::nullopt;
  const bool waits_for_more = std::any_of(kinds_.begin(), kinds_.end(), [](const auto& kind) {
    return kind->reflector().is_opening();
  });
  return std::max({now, look_from_, waits_for_more ? doubtful_since_ + kTogether : now});
}

// The version of a store is that of its last change, whatever that was of. One object at most of a
// list that was read from the store itself, and not from a cache, has it. Nobody sees that a store
// went back which has come as far again by then: what an hour is for (list_again_after).
void ApiCluster::look(Nanos now) {
  if (const auto next = next_look(now); !next || *next > now) return;
  is_doubtful_ = false;
  is_looking_ = true;
  looked_for_.clear();
  each_reflector([this](const Reflector& reflector) {
    const std::string& newest = reflector.newest();
    if (!newest.empty() && !is_as_new(looked_for_, newest)) looked_for_ = newest;
  });
  Call call;
  call.about = About::kLook;
  ApiRequest request = codec::collection_request(kinds_.front()->path().path, {}, {}, 1);
  request.timeout = kTimeout;
  send(std::move(request), std::move(call));
}

void ApiCluster::take_looked(const ApiAnswer& answer, ClusterListener& listener) {
  is_looking_ = false;
  const auto list = answer.status == kOk ? WatchReader().read_list(answer.body)
                                         : Result<ListMeta>(codec::refusal(answer, kNoVersion));
  if (!list) {
    if (look_failure_.note(list.error(), now())) listener.failed(list.error());
    look_pause_ = std::clamp(2 * look_pause_, kLeastPause, kMostPause);
    look_not_before_ = now() + std::min(answer.retry_after.value_or(Nanos{0}), kMostRest);
    look_from_ = std::max(now() + look_pause_, look_not_before_);
    is_doubtful_ = true;
    return;
  }
  look_pause_ = Nanos{0};
  has_look_returned_ = look_failure_.clear();
  if (has_look_returned_) listener.recovered();
  if (!looked_for_.empty() && !is_as_new(list->version, looked_for_)) list_all(now(), listener);
}

// What happened to one kind since the store was as it is again, another one may not show. Whatever
// else was in doubt is settled by these lists.
void ApiCluster::list_all(Nanos now, ClusterListener& listener) {
  is_doubtful_ = false;
  looked_for_.clear();
  if (look_failure_.clear()) listener.recovered();
  look_pause_ = Nanos{0};
  each_reflector([now](Reflector& reflector) { reflector.start_over(now); });
}

}  // namespace gedge
