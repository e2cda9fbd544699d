#include "io/http2_calls.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "io/socket_options.hpp"

namespace gedge {
namespace {

constexpr Nanos kLife{3'600'000'000'000};  // then balancers may choose anew
constexpr Nanos kLook{10'000'000};         // at answers that nobody waits for

const char* name_of(ApiVerb verb) {
  switch (verb) {
    case ApiVerb::kGet:
      return "GET";
    case ApiVerb::kPost:
      return "POST";
    case ApiVerb::kPut:
      return "PUT";
    case ApiVerb::kPatch:
      return "PATCH";
    case ApiVerb::kDelete:
      return "DELETE";
  }
  return "";
}

}  // namespace

std::unique_ptr<Http2Calls> Http2Calls::make(ApiAccess& access, const ApiLimits& limits,
                                             const Clock& clock, int epoll,
                                             std::uint32_t first_mark) {
  auto server = numeric_server(access.endpoint());
  if (!server) return nullptr;
  const auto library = Http2Library::get();
  if (!library) return nullptr;
  std::unique_ptr<Http2Calls> calls(
      new Http2Calls(**library, access, limits, clock, epoll, first_mark, *std::move(server)));
  return calls->renew() ? std::move(calls) : nullptr;
}

Http2Calls::Http2Calls(const Http2Library& library, ApiAccess& access, const ApiLimits& limits,
                       const Clock& clock, int epoll, std::uint32_t first_mark,
                       NumericServer server)
    : library_(library),
      access_(access),
      limits_(limits),
      clock_(clock),
      epoll_(epoll),
      first_mark_(first_mark),
      server_(std::move(server)),
      impersonation_(access.impersonation()) {
  const std::string& name = access.endpoint().tls_server_name;
  target_ = {server_.address, name.empty() ? server_.host : name};
}

// Who shows something else needs other connections. False: with that there can be none.
bool Http2Calls::renew() {
  if (generation_ == access_.generation()) return tls_ != nullptr;
  const ApiEndpoint& endpoint = access_.endpoint();
  const ApiIdentity& own = endpoint.identity;
  generation_ = access_.generation();
  bearer_ = own.token.empty() ? "" : "Bearer " + own.token.reveal();
  const bool is_same = own.certificate == shown_.certificate && own.key == shown_.key &&
                       endpoint.trusted == trusted_;
  shown_ = own;
  trusted_ = endpoint.trusted;
  if (is_same && tls_ != nullptr) return true;
  for (Lane& lane : lanes_)
    for (LaneLink& link : lane.links) link.link->leave();
  tls_ = make_client_tls(endpoint);
  return tls_ != nullptr;
}

void Http2Calls::send(std::uint64_t ticket, ApiRequest request, bool is_second, Nanos now) {
  auto made = std::make_unique<Http2Call>(limits_);
  Http2Call& call = *made;
  call.ticket = ticket;
  call.request = std::move(request);
  call.is_second = is_second;
  call.request.timeout = ApiAccess::time_left(call.request, Nanos(clock_.now()));
  call.deadline = now + call.request.timeout;
  calls_.emplace(ticket, std::move(made));
  earliest_deadline_ = std::min(earliest_deadline_, call.deadline);
  note_due(call.deadline);
  const bool can_connect = renew();
  call.generation = generation_;
  if (serves_ && can_connect && ApiAccess::is_sound(call.request))
    assign(call, now);
  else
    unserved_.push_back(&call);
}

void Http2Calls::expect_writes(Nanos now) {
  lanes_[static_cast<std::size_t>(ApiLane::kWrite)].is_warm = true;
  note_due(now);
}

void Http2Calls::assign(Http2Call& call, Nanos now) {
  Lane& lane = lane_of(call);
  LaneLink* link = usable_link(lane, now);
  if (link != nullptr && link->link->state() == Http2Link::State::kOpen) {
    if (submit(call, *link, now)) return;
    link = nullptr;  // it has had as many as it can take
  }
  if (link == nullptr) link = new_link(lane, now);
  if (link == nullptr) {
    unserved_.push_back(&call);
    return;
  }
  lane.waiting.push_back(&call);
  lane.is_warm = true;
  note_due(now + limits_.idle);
}

Http2Calls::LaneLink* Http2Calls::usable_link(Lane& lane, Nanos now) {
  for (LaneLink& link : lane.links) {
    const bool is_idle = link.link->state() == Http2Link::State::kOpen && link.link->calls() == 0 &&
                         now - link.used > limits_.idle;
    if (is_idle || now - link.link->begun() > kLife) link.link->leave();
    const bool is_over = link.link->state() == Http2Link::State::kOver;
    if (!is_over && !link.link->is_leaving()) return &link;
  }
  return nullptr;
}

Http2Calls::LaneLink* Http2Calls::new_link(Lane& lane, Nanos now) {
  const auto number = &lane - lanes_.data();
  const auto mark = static_cast<std::uint32_t>(first_mark_ + number);
  auto link = std::make_unique<Http2Link>(library_, limits_, clock_, news_, epoll_, mark);
  if (is_patient(lane)) link->be_patient();
  link->confirm_within(unconfirmed_on(static_cast<ApiLane>(number), limits_));
  if (tls_ == nullptr || !link->begin(tls_.get(), target_, now)) return nullptr;
  note_due(now + limits_.connect_timeout);
  return &lane.links.emplace_back(LaneLink{std::move(link), now});
}

bool Http2Calls::submit(Http2Call& call, LaneLink& link, Nanos now) {
  const ApiRequest& request = call.request;
  const std::string path = server_.path + ApiAccess::target_of(request, Nanos(clock_.now()));
  std::array<char, 20> digits{};
  const auto [end, failed] =
      std::to_chars(digits.data(), digits.data() + digits.size(), request.body.size());
  const std::string_view length(digits.data(), static_cast<std::size_t>(end - digits.data()));
  Http2Fields fields{
      {":method", name_of(request.verb)},       {":scheme", "https"},
      {":authority", server_.authority},        {":path", path},
      {"accept", ApiAccess::accepted(request)}, {"user-agent", access_.endpoint().user_agent}};
  if (!bearer_.empty()) fields.emplace_back("authorization", bearer_);
  if (!request.content_type.empty()) fields.emplace_back("content-type", request.content_type);
  if (request.verb != ApiVerb::kGet) fields.emplace_back("content-length", length);
  for (const auto& [name, value] : impersonation_) fields.emplace_back(name, value);
  link.used = call.submitted = now;
  note_due(now + (is_patient(lane_of(call)) ? kLook : limits_.silence));
  return link.link->submit(call, fields);
}

Http2Calls::Call Http2Calls::take(std::uint64_t ticket) {
  const auto found = calls_.find(ticket);
  if (found == calls_.end()) return nullptr;
  Call call = std::move(found->second);
  calls_.erase(found);
  return call;
}

bool Http2Calls::cancel(std::uint64_t ticket) {
  Call call = take(ticket);
  if (call == nullptr) return false;
  call->is_dropped = true;
  if (call->link != nullptr) call->link->drop(*call);
  std::erase(lane_of(*call).waiting, call.get());
  if (is_settling_) {
    dropped_.push_back(std::move(call));
    return true;
  }
  for (auto* const list : {&news_.fresh, &news_.closed, &late_, &unserved_})
    std::erase(*list, call.get());
  return true;
}

void Http2Calls::act(std::uint32_t mark, int descriptor, std::uint32_t events, Nanos now) {
  for (LaneLink& link : lanes_[mark - first_mark_].links)
    if (link.link->descriptor() == descriptor) return link.link->act(events, now);
}

void Http2Calls::flush() {
  for (Lane& lane : lanes_)
    for (LaneLink& link : lane.links)
      if (link.link->state() == Http2Link::State::kOpen) link.link->flush();
}

std::optional<Nanos> Http2Calls::due() const {
  const bool has_news = !news_.fresh.empty() || !news_.closed.empty() || !unserved_.empty();
  return has_news ? std::optional(Nanos{0}) : due_;
}

void Http2Calls::expire(Nanos now) {
  if (!is_due(now)) return;
  due_.reset();
  check_links(now);
  if (earliest_deadline_ <= now) find_late(now);
  if (earliest_deadline_ != kNever) note_due(earliest_deadline_);
  keep_warm(now);
}

void Http2Calls::find_late(Nanos now) {
  earliest_deadline_ = kNever;
  for (const auto& [ticket, call] : calls_) {
    if (call->deadline > now) {
      earliest_deadline_ = std::min(earliest_deadline_, call->deadline);
      continue;
    }
    late_.push_back(call.get());
    // Whoever has said nothing since it was asked is not asked again.
    if (call->link != nullptr && call->link->heard() <= call->submitted) call->link->leave();
  }
}

// Once something has been written, or will be.
void Http2Calls::keep_warm(Nanos now) {
  Lane& lane = lanes_[static_cast<std::size_t>(ApiLane::kWrite)];
  if (!lane.is_warm) return;
  LaneLink* link = usable_link(lane, now);
  if (link == nullptr && serves_ && renew()) link = new_link(lane, now);
  const Nanos idle_at = (link != nullptr ? link->used : now) + limits_.idle;
  note_due(idle_at >= now ? idle_at + Nanos{1} : now + limits_.idle);
}

// What was not asked for as long as a peer that is gone now may be so, too.
void Http2Calls::leave_silent(Nanos now) {
  for (Lane& lane : lanes_)
    for (LaneLink& link : lane.links)
      if (link.link->state() == Http2Link::State::kOpen && link.link->calls() == 0 &&
          link.link->heard() + limits_.silence <= now)
        link.link->leave();
}

void Http2Calls::check_links(Nanos now) {
  bool is_peer_gone = false;
  for (Lane& lane : lanes_)
    for (LaneLink& link : lane.links) {
      const auto state = link.link->state();
      if (state == Http2Link::State::kOver) continue;
      if (state == Http2Link::State::kOpen) {
        if (is_patient(lane) && link.link->calls() > 0) {
          link.link->look(now);
          note_due(now + kLook);
        }
        if (const auto next = link.link->check_peer(now)) note_due(*next);
        is_peer_gone = is_peer_gone || link.link->state() == Http2Link::State::kOver;
        continue;
      }
      const Nanos end = link.link->begun() + limits_.connect_timeout;
      link.is_late = end <= now;
      if (link.is_late)
        link.link->end();
      else
        note_due(end);
    }
  if (is_peer_gone) leave_silent(now);
}

// Whoever waited for it and was not sent may be served by somebody else.
void Http2Calls::bury(Lane& lane, const LaneLink& dead) {
  if (dead.link->speaks_otherwise()) serves_ = false;
  for (const auto& [ticket, call] : calls_) {
    if (call->link != dead.link.get()) continue;
    call->link = nullptr;
    news_.closed.push_back(call.get());
  }
  const bool others = std::any_of(lane.links.begin(), lane.links.end(), [](const LaneLink& link) {
    return link.link != nullptr && link.link->state() != Http2Link::State::kOver &&
           !link.link->is_leaving();
  });
  if (others) return;
  auto& to = dead.is_late ? late_ : unserved_;
  to.insert(to.end(), lane.waiting.begin(), lane.waiting.end());
  lane.waiting.clear();
}

void Http2Calls::tend(Lane& lane, Nanos now) {
  for (LaneLink& link : lane.links) {
    Http2Link& own = *link.link;
    if (own.is_leaving() && own.calls() == 0 && own.state() == Http2Link::State::kOpen) own.end();
    if (own.state() == Http2Link::State::kOver) bury(lane, link);
    if (own.state() != Http2Link::State::kOpen || own.is_leaving()) continue;
    while (!lane.waiting.empty() && submit(*lane.waiting.front(), link, now))
      lane.waiting.pop_front();
  }
  std::erase_if(lane.links,
                [](const LaneLink& link) { return link.link->state() == Http2Link::State::kOver; });
}

void Http2Calls::finish(Http2Call& call, ApiAnswer answer, CallSink& sink) {
  if (call.link != nullptr) call.link->drop(call);
  std::erase(lane_of(call).waiting, &call);
  Call own = take(call.ticket);
  own->is_dropped = true;
  CallOver over{own->ticket,    own->generation, std::move(own->request),
                own->is_second, false,           std::move(answer)};
  dropped_.push_back(std::move(own));
  sink.over(std::move(over));
}

void Http2Calls::hand_over(Http2Call& call, CallSink& sink) {
  call.is_fresh = false;
  const std::uint64_t ticket = call.ticket;
  if (std::exchange(call.is_opening, false)) sink.opened(ticket);
  const bool good = call.draft.hand_over_lines(
      call.is_dropped, [&](std::string_view line) { sink.line(ticket, line); });
  if (!good && !call.is_dropped) finish(call, call.answer(), sink);
}

void Http2Calls::settle(CallSink& sink, Nanos now) {
  is_settling_ = true;
  for (Lane& lane : lanes_) tend(lane, now);
  for (std::size_t i = 0; i < news_.fresh.size(); ++i)
    if (!news_.fresh[i]->is_dropped) hand_over(*news_.fresh[i], sink);
  news_.fresh.clear();
  for (Http2Call* const call : std::exchange(news_.closed, {})) {
    if (call->is_dropped) continue;
    if (serves_ && call->may_be_sent_again()) {
      call->begin_again();
      assign(*call, now);
    } else {
      finish(*call, call->answer(), sink);
    }
  }
  for (Http2Call* const call : std::exchange(late_, {}))
    if (!call->is_dropped) finish(*call, call->late_answer(limits_.connect_timeout), sink);
  for (Http2Call* const call : std::exchange(unserved_, {})) {
    if (call->is_dropped) continue;
    Call own = take(call->ticket);
    own->is_dropped = true;
    own->request.timeout = std::max(own->deadline - now, Nanos{1});
    CallOver over{own->ticket, own->generation, std::move(own->request), own->is_second, true, {}};
    dropped_.push_back(std::move(own));
    sink.over(std::move(over));
  }
  is_settling_ = false;
  dropped_.clear();
}

}  // namespace gedge
