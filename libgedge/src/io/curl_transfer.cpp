#include "io/curl_transfer.hpp"

#include <algorithm>
#include <new>

namespace gedge {
namespace {

constexpr std::int64_t kMicrosInMilli = 1'000;

long milliseconds(Micros span) {
  return static_cast<long>(std::max<std::int64_t>(span.count() / kMicrosInMilli, 1));
}

// A line end in it would begin another header.
bool is_token(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

}  // namespace

CurlTransfer::CurlTransfer(const CurlLibrary& library, CurlUrl url, const HttpTerms& terms)
    : library_(library), terms_(terms), url_(std::move(url)), handle_(library) {}

Result<std::unique_ptr<CurlTransfer>> CurlTransfer::make(const CurlLibrary& library,
                                                         const HttpCall& call,
                                                         const HttpTerms& terms) {
  auto url = parse_url(library, call.url);
  if (!url) return std::move(url).error();
  std::unique_ptr<CurlTransfer> transfer(new CurlTransfer(library, *std::move(url), terms));
  GEDGE_TRY(transfer->prepare(call));
  return transfer;
}

Status CurlTransfer::prepare(const HttpCall& call) {
  const bool here = url_.is_loopback();
  if (!is_token(call.token))
    return invalid_input("a token has characters that no token can have", {},
                         "letters, digits and marks, no blanks");
  if (!call.token.empty() && !url_.parts.secure && !here)
    return invalid_input("a token would be readable on its way", {}, "ask over https");
  bool all = limit() && handle_.trust(terms_.trusted, terms_.verify);
  all = all && handle_.set(CURLOPT_CURLU, url_.handle.get()) &&
        handle_.set(CURLOPT_ERRORBUFFER, message_.data()) &&
        handle_.set(CURLOPT_USERAGENT, terms_.user_agent.c_str()) &&
        handle_.set(CURLOPT_WRITEFUNCTION, &CurlTransfer::on_bytes) &&
        handle_.set(CURLOPT_WRITEDATA, this) &&
        handle_.set(CURLOPT_HEADERFUNCTION, &CurlTransfer::on_header) &&
        handle_.set(CURLOPT_HEADERDATA, this);
  // The environment's proxy is for other machines.
  if (here) all = all && handle_.set(CURLOPT_PROXY, "");
  if (!call.token.empty())
    all = all && handle_.set(CURLOPT_HTTPAUTH, CURLAUTH_BEARER) &&
          handle_.set(CURLOPT_XOAUTH2_BEARER, call.token.c_str());
  if (all) return {};
  return Error{Errc::kDenied, "libcurl lacks what gedge needs of it", {}, "7.87 or later has it"};
}

bool CurlTransfer::limit() {
  return handle_.restrain() && handle_.set(CURLOPT_TIMEOUT_MS, milliseconds(terms_.timeout)) &&
         handle_.set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds(terms_.connect_timeout)) &&
         handle_.set(CURLOPT_MAXFILESIZE_LARGE, static_cast<curl_off_t>(terms_.most_body_bytes));
}

bool CurlTransfer::take(std::string_view bytes) {
  if (bytes.size() > terms_.most_body_bytes - body_.size()) {
    excess_ = Excess::kBody;
    return false;
  }
  try {
    body_.append(bytes);
  } catch (const std::bad_alloc&) {  // no exception may pass through C
    excess_ = Excess::kBody;
    return false;
  }
  return true;
}

bool CurlTransfer::take_header(std::string_view line) {
  header_bytes_ += line.size();
  if (line.starts_with("HTTP/")) is_head_whole_ = false;
  if (is_head_end(line)) is_head_whole_ = true;
  if (header_bytes_ <= terms_.most_header_bytes) return true;
  excess_ = Excess::kHeader;
  return false;
}

std::size_t CurlTransfer::on_bytes(char* bytes, std::size_t size, std::size_t count,
                                   void* transfer) {
  const bool taken = static_cast<CurlTransfer*>(transfer)->take({bytes, size * count});
  return taken ? size * count : CURL_WRITEFUNC_ERROR;
}

std::size_t CurlTransfer::on_header(char* bytes, std::size_t size, std::size_t count,
                                    void* transfer) {
  const bool taken = static_cast<CurlTransfer*>(transfer)->take_header({bytes, size * count});
  return taken ? size * count : CURL_WRITEFUNC_ERROR;
}

Result<HttpAnswer> CurlTransfer::finish(CURLcode code) {
  if (code == CURLE_OK && !is_head_whole_) code = CURLE_PARTIAL_FILE;
  if (code != CURLE_OK) return error_of(code);
  const char* const location = handle_.info<char*>(CURLINFO_REDIRECT_URL);
  return HttpAnswer{static_cast<unsigned>(handle_.info<long>(CURLINFO_RESPONSE_CODE)),
                    location == nullptr ? "" : location, std::move(body_)};
}

Error CurlTransfer::error_of(CURLcode code) const {
  CurlFailure failure{{}, code, message_.data()};
  failure.connected = handle_.info<curl_off_t>(CURLINFO_CONNECT_TIME_T) != 0;
  failure.silent = header_bytes_ == 0 && body_.empty();
  failure.connect_timeout = terms_.connect_timeout;
  failure.timeout = terms_.timeout;
  failure.excess = code == CURLE_FILESIZE_EXCEEDED ? Excess::kBody : excess_;
  failure.most_bytes =
      failure.excess == Excess::kHeader ? terms_.most_header_bytes : terms_.most_body_bytes;
  return curl_error(library_, handle_, failure);
}

}  // namespace gedge
