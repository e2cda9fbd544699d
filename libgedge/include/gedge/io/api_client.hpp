// gedge/io/api_client.hpp - requests to an API server: over HTTP/2 by libnghttp2 where that will
// do, else through libcurl. Both are opened on first use.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "gedge/io/clock.hpp"
#include "gedge/port/api_credentials.hpp"
#include "gedge/port/api_endpoint.hpp"
#include "gedge/port/api_transport.hpp"

namespace gedge {

/// What an answer may cost.
struct ApiLimits {
  Nanos connect_timeout{10'000'000'000};
  /// Over HTTP/2: for so long a server may say nothing while calls are under way, and then not
  /// answer whether it is there.
  Nanos silence{10'000'000'000}, sign_within{8'000'000'000};
  /// Over HTTP/2: a connection that has carried nothing for so long is used no more, as servers
  /// close those that are idle for longer: 90 s as of 1.20. That of writes is made anew then, so
  /// that the first bind after a quiet time need not wait for one.
  Nanos idle{60'000'000'000};
  /// What a peer has not confirmed for so long never comes to it: a connection is at an end then.
  /// That of writes no longer than a lease stays after the deadline of who holds it: what was sent
  /// before would come when another one leads.
  Nanos unconfirmed{12'000'000'000}, unconfirmed_write{5'000'000'000};
  std::size_t most_body_bytes = std::size_t{1} << 30;
  std::size_t most_line_bytes = std::size_t{64} << 20;  ///< of a stream
  std::size_t most_header_bytes = std::size_t{64} << 10;
  std::size_t most_writes = 100;  ///< connections of the lane of writes; more requests queue up
};

/// TLS 1.2 and later, or plain TCP. A server that is named by its address, behind no proxy, is
/// spoken to over HTTP/2 if it speaks that: the requests of a lane share a connection. All others
/// are asked through libcurl over HTTP/1.1: each request has a connection for itself, which is kept
/// for the next one of its lane. No connection is reused after an hour, and over HTTP/1.1 none
/// after 20 s without a call or after a call that was not answered in time. A peer that is gone is
/// noticed within 20 s, over HTTP/2 also one whose system or proxy still confirms what is sent.
/// Nothing is asked to be compressed, and no redirect is followed.
///
/// A request that the server may have read is never sent a second time on its own, except GET.
/// A stream that has begun well ends well, whatever ends its connection; the beginning of a line
/// without its end is left out.
///
/// Memory: what has come of the answers under way, and through libcurl 16 to 256 KiB for each.
/// Not for two threads at once, but for wake().
class ApiClient final : public ApiTransport {
 public:
  /// Told of what goes wrong with credentials while those before are used on.
  using Notice = std::function<void(const Error&)>;

  /// What `credentials` names is read again as it changes: a token file every 50 s, certificates
  /// within 10 s of a change, and all of it when the server answers 401, which is then asked once
  /// more. Requests wait while a program says who we are; if it cannot, they are answered with
  /// kDenied.
  ///
  /// `clock`: of ApiRequest::send_by; outlives the client. Timeouts count while this machine is
  /// awake, and a request that waited while it slept does not leave late all the same.
  ///
  /// Errors: kInvalidInput for what no server can be asked with (its URL, characters that no header
  /// carries, a client certificate without its own key); kDenied where that has expired, libcurl
  /// cannot be opened, or the system has no descriptors left.
  static Result<std::unique_ptr<ApiClient>> open(ApiEndpoint endpoint, ApiLimits limits = {},
                                                 CredentialSource credentials = {},
                                                 Notice notice = {},
                                                 const Clock& clock = steady_clock());
  ~ApiClient() override;

  void send(std::uint64_t ticket, ApiRequest request) override;
  void push() override;
  bool pings() const override;
  void expect_writes() override;
  void cancel(std::uint64_t ticket) override;
  void gather(Nanos how_long) override;
  Status wait(Nanos most, const ApiListener& listener) override;
  void wake() override;

 private:
  class Parts;
  explicit ApiClient(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace gedge
