#include "gedge/drive/cluster_list.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <string_view>
#include <utility>

#include "gedge/codec/api_requests.hpp"
#include "gedge/codec/watch.hpp"
#include "gedge/control/reflector.hpp"
#include "gedge/drive/list_kind.hpp"

namespace gedge {
namespace {

constexpr unsigned kOk = 200, kForbidden = 403, kNotFound = 404, kGone = 410, kTooMany = 429;
constexpr std::size_t kPadding = 64, kMostAtOnce = 4;
constexpr Nanos kLook{1'000'000'000};  // calls end by their own timeout

struct ListedKind {
  std::string_view path;
  std::string_view field_selector = "";
  bool is_needed = false;  // nothing can be planned without
};

constexpr int kPolicyV1 = 21;  // the minor version that has policy/v1
constexpr ListedKind kOldBudgets{"/apis/policy/v1beta1/poddisruptionbudgets"};
constexpr ListedKind kBudgets{"/apis/policy/v1/poddisruptionbudgets"};
constexpr std::array<ListedKind, 17> kKinds{{
    {"/api/v1/pods", "", true},
    {"/api/v1/nodes", "", true},
    {"/apis/gedge.io/v1alpha1/nodelatencies"},
    {"/api/v1/namespaces/gedge-system/configmaps", "metadata.name=gedge-latency"},
    {"/apis/apps/v1/replicasets"},
    {"/apis/apps/v1/statefulsets"},
    {"/apis/batch/v1/jobs"},
    {"/api/v1/replicationcontrollers"},
    {"/api/v1/services"},
    {"/api/v1/namespaces"},
    {"/api/v1/limitranges"},
    {"/api/v1/persistentvolumeclaims"},
    {"/api/v1/persistentvolumes"},
    {"/apis/storage.k8s.io/v1/storageclasses"},
    {"/apis/scheduling.k8s.io/v1/priorityclasses"},
    {"/apis/node.k8s.io/v1/runtimeclasses"},
    {"/apis/scheduling.x-k8s.io/v1alpha1/podgroups"},
}};

class Lister {
 public:
  Lister(ApiTransport& transport, const Clock& clock, const ClusterListOptions& options)
      : transport_(transport), clock_(clock), options_(options) {}
  Lister(const Lister&) = delete;
  Lister& operator=(const Lister&) = delete;
  ~Lister() {
    for (const Kind& kind : kinds_)
      if (kind.ticket != 0) transport_.cancel(kind.ticket);
  }

  void add(const ListedKind& kind) { kinds_.emplace_back(kind, options_.seed + kinds_.size()); }
  Result<ClusterListing> run();

 private:
  struct Kind {
    Kind(const ListedKind& listed, std::uint64_t seed) : what(listed), reflector(seed) {}
    ListedKind what;
    Reflector reflector;
    std::vector<std::string> pages;
    std::uint64_t ticket = 0;  // of the call under way; 0: none
    std::uint32_t tries = 0;   // that failed
    bool is_over = false;
  };

  bool is_over() const {
    return std::all_of(kinds_.begin(), kinds_.end(), [](const Kind& kind) { return kind.is_over; });
  }
  Nanos begin_calls(Nanos now);
  void take(Kind& kind, ApiAnswer answer);
  void take_page(Kind& kind, std::string body);
  void give_up(Kind& kind, const ApiAnswer& answer);
  bool take_another_try(Kind& kind, const ApiAnswer& answer) const;

  ApiTransport& transport_;
  const Clock& clock_;
  const ClusterListOptions& options_;
  WatchReader reader_;
  std::deque<Kind> kinds_;
  std::size_t under_way_ = 0;
  std::uint64_t last_ticket_ = 0;
  ClusterListing listing_;
  std::optional<Error> failure_;
};

// Returns how long nothing more is to be sent.
Nanos Lister::begin_calls(Nanos now) {
  Nanos pause = kLook;
  for (Kind& kind : kinds_) {
    if (kind.is_over || kind.ticket != 0) continue;
    if (under_way_ == kMostAtOnce) break;
    const auto call = kind.reflector.advance(now);
    if (!call) {
      pause = std::min(pause, std::max(kind.reflector.next().value_or(now) - now, Nanos{0}));
      continue;
    }
    if (call->next.empty()) kind.pages.clear();
    ApiRequest request = codec::collection_request(kind.what.path, kind.what.field_selector, *call,
                                                   options_.page_size);
    request.timeout = options_.timeout;
    kind.ticket = ++last_ticket_;
    ++under_way_;
    transport_.send(kind.ticket, std::move(request));
  }
  return pause;
}

void Lister::take_page(Kind& kind, std::string body) {
  const auto meta = reader_.read_list(body);
  if (!meta) {
    failure_ = meta.error();
    failure_->what = "cannot read " + std::string(kind.what.path) + ": " + failure_->what;
    return;
  }
  body.reserve(body.size() + kPadding);
  kind.pages.push_back(std::move(body));
  kind.is_over = kind.reflector.take_page(*meta, Nanos(clock_.now()));
}

bool Lister::take_another_try(Kind& kind, const ApiAnswer& answer) const {
  const bool may_pass = (answer.status == 0 && answer.error.code == Errc::kUnreachable) ||
                        answer.status == kGone || answer.status == kTooMany || answer.status >= 500;
  return may_pass && ++kind.tries < options_.most_tries;
}

void Lister::give_up(Kind& kind, const ApiAnswer& answer) {
  kind.is_over = true;
  kind.pages.clear();
  Error error = codec::refusal(answer, "cannot read " + std::string(kind.what.path));
  if (kind.what.is_needed || (answer.status != kForbidden && answer.status != kNotFound)) {
    failure_ = std::move(error);
  } else if (answer.status == kForbidden) {
    listing_.warnings.push_back({"UnreadKind", error.what + "; read as if there were none", {}});
  }
}

void Lister::take(Kind& kind, ApiAnswer answer) {
  kind.ticket = 0;
  --under_way_;
  if (answer.status == kOk) return take_page(kind, std::move(answer.body));
  kind.reflector.failed(answer.status, answer.retry_after, Nanos(clock_.now()));
  if (!take_another_try(kind, answer)) give_up(kind, answer);
}

Result<ClusterListing> Lister::run() {
  const ApiListener listener{[](std::uint64_t, std::string_view) {},
                             [this](std::uint64_t ticket, ApiAnswer answer) {
                               for (Kind& kind : kinds_)
                                 if (kind.ticket == ticket) return take(kind, std::move(answer));
                             }};
  while (!is_over()) {
    const Nanos pause = begin_calls(Nanos(clock_.now()));
    GEDGE_TRY(transport_.wait(pause, listener));
    if (failure_) return *std::move(failure_);
  }
  for (Kind& kind : kinds_)
    for (std::string& page : kind.pages)
      listing_.pages.push_back({"GET " + std::string(kind.what.path), std::move(page)});
  return std::move(listing_);
}

}  // namespace

Result<ClusterListing> list_cluster(ApiTransport& transport, const Clock& clock,
                                    const ClusterListOptions& options) {
  Lister lister(transport, clock, options);
  for (const ListedKind& kind : kKinds) lister.add(kind);
  lister.add(options.minor >= kPolicyV1 ? kBudgets : kOldBudgets);
  auto listing = lister.run();
  if (listing || listing.error().code != Errc::kNotFound) return listing;
  Error error = std::move(listing).error();  // what answers has no nodes or no pods
  error.code = Errc::kUnreachable;
  return error;
}

Result<ClusterListing> list_kind(ApiTransport& transport, const Clock& clock, std::string_view path,
                                 const ClusterListOptions& options) {
  Lister lister(transport, clock, options);
  lister.add({path, "", true});
  return lister.run();
}

}  // namespace gedge
