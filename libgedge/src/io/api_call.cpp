#include "io/api_call.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>
#include <utility>

namespace gedge {
namespace {

// What parsers may read behind a text.
constexpr std::size_t kSlack = 64;
// Of an announced length, what is believed before it has come.
constexpr std::size_t kMostBelieved = std::size_t{64} << 20;
// What a handle that rests may keep.
constexpr std::size_t kMostKept = std::size_t{256} << 10;
constexpr std::int64_t kMostRetrySeconds = 1'000'000'000;

// A peer that does not confirm within `kUserTimeoutMs` is gone; it is asked after 5 s of silence.
constexpr int kKeepIdle = 5, kKeepInterval = 3, kKeepCount = 3;
constexpr unsigned kUserTimeoutMs = 12'000;

int on_socket(void* /*nothing*/, curl_socket_t socket, curlsocktype /*purpose*/) {
  const int on = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &kKeepIdle, sizeof kKeepIdle);
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &kKeepInterval, sizeof kKeepInterval);
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &kKeepCount, sizeof kKeepCount);
  ::setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &kUserTimeoutMs, sizeof kUserTimeoutMs);
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

// Room for `more` bytes and for what parsers read behind them, doubling.
void make_room(std::string& text, std::size_t more) {
  const std::size_t needed = text.size() + more + kSlack;
  if (needed > text.capacity()) text.reserve(std::max(needed, 2 * text.capacity()));
}

void shrink(std::string& text) {
  if (text.capacity() > kMostKept) text = {};
  text.clear();
}

Error no_memory() { return {Errc::kDenied, "the system has no memory left for calls", {}, {}}; }

}  // namespace

// Where a server speaks HTTP/2, one connection carries all calls of a lane, and as many need not
// agree on keys first. Watches stay apart from each other. A libcurl that cannot do it does as
// before.
void ApiCall::share_connections(ApiLane lane) {
  if (lane == ApiLane::kWatch || !access_.is_secure()) return;
  constexpr long kUpload = 16 * 1'024;
  handle_.set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  handle_.set(CURLOPT_PIPEWAIT, 1L);  // for the first one to say what it speaks
  handle_.set(CURLOPT_UPLOAD_BUFFERSIZE, kUpload);
}

bool ApiCall::set_up(CURLSH* shared, ApiLane lane) {
  share_connections(lane);
  return handle_.get() != nullptr && access_.set_up(handle_) &&
         handle_.set(CURLOPT_PRIVATE, static_cast<void*>(this)) &&
         handle_.set(CURLOPT_SHARE, shared) &&
         handle_.set(CURLOPT_BUFFERSIZE, buffer_bytes(lane)) &&
         handle_.set(CURLOPT_ERRORBUFFER, message_.data()) &&
         handle_.set(CURLOPT_SOCKOPTFUNCTION, &on_socket) &&
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
  header_bytes_ = scanned_ = 0;
  is_sent_ = is_dropped_ = has_retry_after_ = is_head_whole_ = false;
  is_opening_ = is_late_ = false;
  excess_ = Excess::kNone;
  message_[0] = '\0';
  const bool clean = request_.target.starts_with('/') && ApiAccess::is_clean(request_.target) &&
                     request_.target.find_first_of(" #") == std::string::npos &&
                     ApiAccess::is_clean(request_.content_type);
  if (!clean) return invalid_input("a target of a request that no server would understand");
  url_.assign(access_.base()).append(request_.target);
  if (generation_ != access_.generation() && !access_.identify(handle_)) return no_memory();
  generation_ = access_.generation();
  curl_slist* const headers = access_.headers(request_.content_type);
  if (headers != nullptr && handle_.set(CURLOPT_URL, url_.c_str()) &&
      handle_.set(CURLOPT_HTTPHEADER, headers) && set_timeouts() && set_verb())
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
  return is_repeat && own.request_.verb != ApiVerb::kGet ? CURL_PREREQFUNC_ABORT
                                                         : CURL_PREREQFUNC_OK;
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
  try {
    if (has_stream_begun()) {
      make_room(lines_, bytes.size());
      lines_.append(bytes);
      be_fresh();
      return true;
    }
    if (bytes.size() > limits_.most_body_bytes - body_.size()) {
      excess_ = Excess::kBody;
      return false;
    }
    if (body_.empty()) {
      const auto length = handle_.info<curl_off_t>(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T);
      if (length > 0) make_room(body_, std::min(static_cast<std::size_t>(length), kMostBelieved));
    }
    make_room(body_, bytes.size());
    body_.append(bytes);
  } catch (const std::bad_alloc&) {  // no exception may pass through C
    excess_ = Excess::kBody;
    return false;
  }
  return true;
}

bool ApiCall::take_header(std::string_view line) {
  constexpr std::string_view kRetryAfter = "retry-after:";
  header_bytes_ += line.size();
  if (line.starts_with("HTTP/")) is_head_whole_ = false;
  if (is_head_end(line)) {
    is_head_whole_ = true;
    is_opening_ = has_stream_begun();
    if (is_opening_) be_fresh();
  }
  if (line.size() > kRetryAfter.size() &&
      ::strncasecmp(line.data(), kRetryAfter.data(), kRetryAfter.size()) == 0)
    has_retry_after_ = true;
  if (header_bytes_ <= limits_.most_header_bytes) return true;
  excess_ = Excess::kHeader;
  return false;
}

std::size_t ApiCall::on_bytes(char* bytes, std::size_t size, std::size_t count, void* call) {
  const bool taken = static_cast<ApiCall*>(call)->take({bytes, size * count});
  return taken ? size * count : CURL_WRITEFUNC_ERROR;
}

std::size_t ApiCall::on_header(char* bytes, std::size_t size, std::size_t count, void* call) {
  const bool taken = static_cast<ApiCall*>(call)->take_header({bytes, size * count});
  return taken ? size * count : CURL_WRITEFUNC_ERROR;
}

bool ApiCall::hand_over_lines(const ApiListener& listener) {
  std::size_t begin = 0;
  is_fresh_ = false;
  if (std::exchange(is_opening_, false)) listener.opened(ticket_);
  while (!is_dropped_) {
    const std::size_t end = lines_.find('\n', scanned_);
    if (end == std::string::npos) break;
    std::string_view line(lines_.data() + begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    begin = scanned_ = end + 1;
    if (line.size() > limits_.most_line_bytes) return false;
    if (!line.empty()) listener.line(ticket_, line);
  }
  lines_.erase(0, begin);
  scanned_ = lines_.size();
  return scanned_ <= limits_.most_line_bytes;
}

ApiAnswer ApiCall::too_long() {
  excess_ = Excess::kLine;
  return finish(CURLE_WRITE_ERROR);
}

ApiAnswer ApiCall::finish(CURLcode code) {
  const long status = handle_.info<long>(CURLINFO_RESPONSE_CODE);
  // However the connection of a stream ends: what came of it is whole lines.
  const bool stream_ends = (code == CURLE_PARTIAL_FILE || code == CURLE_RECV_ERROR) &&
                           excess_ == Excess::kNone && has_stream_begun();
  if (code == CURLE_OK && !is_head_whole_) code = CURLE_PARTIAL_FILE;
  ApiAnswer answer;
  if (code == CURLE_OK || stream_ends) {
    answer.status = static_cast<unsigned>(status);
    make_room(body_, 0);
    answer.body = std::move(body_);
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
  if (is_late_) return {Errc::kTimeout, "it waited until it was too late to be sent", {}, {}};
  if (code == CURLE_ABORTED_BY_CALLBACK)
    return {Errc::kUnreachable, "the connection broke off before the answer", {}, {}};
  CurlFailure failure{code, message_.data()};
  failure.connected = is_sent_;
  failure.silent = header_bytes_ == 0;
  failure.timeout = std::chrono::ceil<Micros>(request_.timeout);
  failure.connect_timeout =
      std::min(failure.timeout, std::chrono::ceil<Micros>(limits_.connect_timeout));
  failure.excess = excess_;
  failure.most_bytes = excess_ == Excess::kHeader ? limits_.most_header_bytes
                       : excess_ == Excess::kLine ? limits_.most_line_bytes
                                                  : limits_.most_body_bytes;
  return curl_error(library_, handle_, failure);
}

ApiRequest ApiCall::take_request() {
  ApiRequest request = std::move(request_);
  request_.lane = request.lane;
  return request;
}

void ApiCall::rest() {
  request_ = {};
  shrink(body_);
  shrink(lines_);
}

}  // namespace gedge
