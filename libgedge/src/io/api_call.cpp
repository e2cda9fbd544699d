#include "io/api_call.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "io/socket_options.hpp"

namespace gedge {
namespace {

constexpr std::int64_t kMostRetrySeconds = 1'000'000'000;
constexpr const char* kOfUrl = nullptr;  // the target is that of the URL

int on_socket(void* unconfirmed, curl_socket_t socket, curlsocktype /*purpose*/) {
  notice_dead_peers(socket, *static_cast<const Nanos*>(unconfirmed));
  return CURL_SOCKOPT_OK;
}

long buffer_bytes(ApiLane lane) {
  constexpr long kKi = 1'024;
  return lane == ApiLane::kRead || lane == ApiLane::kWatch ? 64 * kKi : 4 * kKi;
}

template <typename To>
std::int64_t up(Nanos span) {
  return std::max<std::int64_t>(std::chrono::ceil<To>(span).count(), 1);
}

bool is_success(long status) { return status >= 200 && status < 300; }

Error no_memory() { return {Errc::kDenied, "the system has no memory left for calls", {}, {}}; }

}  // namespace

// HTTP/1.1 stays, as CurlHandle::restrain() has it: over HTTP/2 libcurl makes the next call on a
// connection on which one has hung, and what stands in between may keep that open for ever.
bool ApiCall::set_up(CURLSH* shared, ApiLane lane) {
  unconfirmed_ = unconfirmed_on(lane, limits_);
  constexpr long kUpload = 16 * 1'024;
  return handle_.get() != nullptr && access_.set_up(handle_) &&
         handle_.set(CURLOPT_UPLOAD_BUFFERSIZE, kUpload) &&
         handle_.set(CURLOPT_PRIVATE, static_cast<void*>(this)) &&
         handle_.set(CURLOPT_SHARE, shared) &&
         handle_.set(CURLOPT_BUFFERSIZE, buffer_bytes(lane)) &&
         handle_.set(CURLOPT_ERRORBUFFER, message_.data()) &&
         handle_.set(CURLOPT_SOCKOPTFUNCTION, &on_socket) &&
         handle_.set(CURLOPT_SOCKOPTDATA, static_cast<void*>(&unconfirmed_)) &&
         handle_.set(CURLOPT_PREREQFUNCTION, &ApiCall::before_sending) &&
         handle_.set(CURLOPT_PREREQDATA, this) &&
         handle_.set(CURLOPT_WRITEFUNCTION, &ApiCall::on_bytes) &&
         handle_.set(CURLOPT_WRITEDATA, this) &&
         handle_.set(CURLOPT_HEADERFUNCTION, &ApiCall::on_header) &&
         handle_.set(CURLOPT_HEADERDATA, this);
}

Status ApiCall::begin(std::uint64_t ticket, ApiRequest request, bool is_second) {
  ticket_ = ticket;
  is_second_ = is_second;
  request_ = std::move(request);
  draft_.begin();
  is_sent_ = is_dropped_ = has_retry_after_ = is_head_whole_ = false;
  is_opening_ = is_late_ = false;
  message_[0] = '\0';
  if (!ApiAccess::is_sound(request_))
    return invalid_input("a target of a request that no server would understand");
  request_.timeout = ApiAccess::time_left(request_, Nanos(clock_.now()));
  url_.assign(access_.base()).append(ApiAccess::target_of(request_, Nanos(clock_.now())));
  if (generation_ != access_.generation() && !access_.identify(handle_)) return no_memory();
  generation_ = access_.generation();
  curl_slist* const headers = access_.headers(request_);
  if (headers != nullptr && handle_.set(CURLOPT_URL, url_.c_str()) &&
      handle_.set(CURLOPT_REQUEST_TARGET, kOfUrl) && handle_.set(CURLOPT_HTTPHEADER, headers) &&
      set_timeouts() && set_verb())
    return {};
  return no_memory();
}

bool ApiCall::set_timeouts() {
  const std::int64_t whole = up<std::chrono::milliseconds>(request_.timeout);
  const std::int64_t connect = up<std::chrono::milliseconds>(limits_.connect_timeout);
  return handle_.set(CURLOPT_TIMEOUT_MS, static_cast<long>(whole)) &&
         handle_.set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(std::min(whole, connect)));
}

bool ApiCall::set_verb() {
  const char* name = nullptr;
  if (request_.verb == ApiVerb::kPut) name = "PUT";
  if (request_.verb == ApiVerb::kPatch) name = "PATCH";
  if (request_.verb == ApiVerb::kDelete) name = "DELETE";
  const bool has_body = !request_.body.empty() || request_.verb == ApiVerb::kPost;
  const bool kind = has_body ? handle_.set(CURLOPT_POST, 1L) &&
                                   handle_.set(CURLOPT_POSTFIELDS, request_.body.data()) &&
                                   handle_.set(CURLOPT_POSTFIELDSIZE_LARGE,
                                               static_cast<curl_off_t>(request_.body.size()))
                             : handle_.set(CURLOPT_HTTPGET, 1L);
  return kind && handle_.set(CURLOPT_CUSTOMREQUEST, name);
}

// On a connection that turns out to be dead, libcurl would send the request again on a new one. The
// server may have read it before: whoever sent it has to find out. And what waited here while the
// process or the machine stood still may be too late by now: libcurl's clock stands still with it.
int ApiCall::before_sending(void* call, char* /*to*/, char* /*from*/, int /*to_port*/,
                            int /*from_port*/) {
  auto& own = *static_cast<ApiCall*>(call);
  own.is_late_ = Nanos(own.clock_.now()) >= own.request_.send_by;
  if (own.is_late_) return CURL_PREREQFUNC_ABORT;
  const bool is_repeat = std::exchange(own.is_sent_, true);
  const bool may_leave = (!is_repeat || own.request_.verb == ApiVerb::kGet) && own.say_time_left();
  return may_leave ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

// It may have waited for its connection since its URL was written. A proxy of plain HTTP wants all
// of that.
bool ApiCall::say_time_left() {
  if (!request_.ends_by_then || !access_.is_secure()) return true;
  const std::string target = access_.path() + ApiAccess::target_of(request_, Nanos(clock_.now()));
  return handle_.set(CURLOPT_REQUEST_TARGET, target.c_str());
}

ApiCall* ApiCall::of(const CurlLibrary& library, CURL* handle) {
  char* call = nullptr;
  library.easy_getinfo(handle, CURLINFO_PRIVATE, &call);
  return reinterpret_cast<ApiCall*>(call);
}

bool ApiCall::has_stream_begun() {
  return request_.is_stream && is_head_whole_ &&
         is_success(handle_.info<long>(CURLINFO_RESPONSE_CODE));
}

void ApiCall::be_fresh() {
  if (!std::exchange(is_fresh_, true)) fresh_.push_back(this);
}

bool ApiCall::take(std::string_view bytes) {
  if (has_stream_begun()) {
    if (!draft_.take_of_stream(bytes)) return false;
    be_fresh();
    return true;
  }
  const auto length = handle_.info<curl_off_t>(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T);
  return draft_.take_body(bytes, static_cast<std::size_t>(std::max<curl_off_t>(length, 0)));
}

bool ApiCall::take_header(std::string_view line) {
  constexpr std::string_view kRetryAfter = "retry-after:";
  if (line.starts_with("HTTP/")) is_head_whole_ = false;
  if (is_head_end(line)) {
    is_head_whole_ = true;
    is_opening_ = has_stream_begun();
    if (is_opening_) be_fresh();
  }
  if (line.size() > kRetryAfter.size() &&
      ::strncasecmp(line.data(), kRetryAfter.data(), kRetryAfter.size()) == 0)
    has_retry_after_ = true;
  return draft_.take_header(line.size());
}

std::size_t ApiCall::on_bytes(char* bytes, std::size_t size, std::size_t count, void* call) {
  const bool taken = static_cast<ApiCall*>(call)->take({bytes, size * count});
  return taken ? size * count : CURL_WRITEFUNC_ERROR;
}

std::size_t ApiCall::on_header(char* bytes, std::size_t size, std::size_t count, void* call) {
  const bool taken = static_cast<ApiCall*>(call)->take_header({bytes, size * count});
  return taken ? size * count : CURL_WRITEFUNC_ERROR;
}

bool ApiCall::hand_over_lines(CallSink& sink) {
  is_fresh_ = false;
  if (std::exchange(is_opening_, false)) sink.opened(ticket_);
  return draft_.hand_over_lines(is_dropped_,
                                [&](std::string_view line) { sink.line(ticket_, line); });
}

ApiAnswer ApiCall::too_long() { return finish(CURLE_WRITE_ERROR); }

ApiAnswer ApiCall::finish(CURLcode code) {
  const long status = handle_.info<long>(CURLINFO_RESPONSE_CODE);
  // However the connection of a stream ends: what came of it is whole lines.
  const bool stream_ends = (code == CURLE_PARTIAL_FILE || code == CURLE_RECV_ERROR) &&
                           draft_.excess() == Excess::kNone && has_stream_begun();
  if (code == CURLE_OK && !is_head_whole_) code = CURLE_PARTIAL_FILE;
  ApiAnswer answer;
  if (code == CURLE_OK || stream_ends) {
    answer.status = static_cast<unsigned>(status);
    answer.body = draft_.finish_body();
    if (has_retry_after_)
      answer.retry_after = std::chrono::seconds(std::clamp<std::int64_t>(
          handle_.info<curl_off_t>(CURLINFO_RETRY_AFTER), 0, kMostRetrySeconds));
  } else {
    answer.error = error_of(code);
    answer.was_not_sent = !is_sent_;
  }
  return answer;
}

Error ApiCall::error_of(CURLcode code) const {
  if (is_late_) return too_late_to_send();
  if (code == CURLE_ABORTED_BY_CALLBACK)
    return {Errc::kUnreachable, "the connection broke off before the answer", {}, {}};
  CurlFailure failure{{}, code, message_.data()};
  failure.connected = is_sent_;
  failure.silent = draft_.is_silent();
  failure.timeout = std::chrono::ceil<Micros>(request_.timeout);
  failure.connect_timeout =
      std::min(failure.timeout, std::chrono::ceil<Micros>(limits_.connect_timeout));
  failure.excess = draft_.excess();
  failure.most_bytes = draft_.most_bytes();
  failure.proxy = access_.proxy();
  failure.may_go_by_proxy = access_.may_go_by_proxy();
  return curl_error(library_, handle_, failure);
}

ApiRequest ApiCall::take_request() {
  ApiRequest request = std::move(request_);
  request_.lane = request.lane;
  return request;
}

void ApiCall::rest() {
  request_ = {};
  draft_.rest();
}

}  // namespace gedge
