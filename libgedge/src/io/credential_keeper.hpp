// io/credential_keeper.hpp - what shows who we are, kept fresh.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/base/nanos.hpp"
#include "gedge/base/result.hpp"
#include "gedge/base/units.hpp"
#include "gedge/port/api_credentials.hpp"
#include "gedge/port/api_endpoint.hpp"
#include "io/changing_file.hpp"
#include "io/helper_process.hpp"

namespace gedge {

/// Token files are read again every 50 s, certificates when they have changed, and a program is
/// asked when what it said has expired; all of it at once when the server refused, but at ever
/// longer intervals while that does not help. What cannot be read changes nothing: what was there
/// before stays, and somebody is told.
class CredentialKeeper {
 public:
  struct Terms {
    Nanos token_life{50'000'000'000};  // 10 s less than a minute, as client-go
    Nanos look_every{10'000'000'000};  // at certificates
    Nanos helper_timeout{60'000'000'000};
    Nanos least_pause{1'000'000'000}, most_pause{60'000'000'000};  // between vain attempts
  };
  /// Two moments of one look: since any start, and of the date.
  struct Moment {
    Nanos now{0};
    UnixSeconds date = 0;
  };
  using Notice = std::function<void(const Error&)>;

  /// `endpoint` as read before, and what is said to a helper about it.
  CredentialKeeper(CredentialSource source, ApiEndpoint endpoint, Terms terms, Notice notice,
                   Nanos now, int epoll, std::uint32_t mark);

  /// Reads, starts and reaps what is due.
  void look(const Moment& moment);
  /// Whether requests may go now.
  bool is_ready(const Moment& moment) const;
  /// Why they cannot, until it is tried again; null while that is under way.
  const Error* failure(const Moment& moment) const;
  /// When to look again, if nothing is sent till then.
  std::optional<Nanos> due() const;

  const ApiIdentity& identity() const { return endpoint_.identity; }
  const std::string& trusted() const { return endpoint_.trusted; }
  /// Another number when one of these is another.
  std::uint64_t generation() const { return generation_; }
  /// The server refused who we are by this generation. True where it is worth asking again, once
  /// there is another one.
  bool renew(std::uint64_t generation, const Moment& moment);

 private:
  struct Pause {
    Nanos until{0}, length{0};
  };

  void read_token(const Moment& moment);
  void read_certificates(const Moment& moment);
  void adopt(ApiIdentity identity, std::string trusted);
  void note(const std::string& path, Error error) const;
  void start_helper(const Moment& moment);
  void reap_helper(const Moment& moment);
  void finish_helper(Result<Secret> output, const Moment& moment);
  void fail_helper(Error error, const Moment& moment);
  void lengthen(Pause& pause, Nanos now) const;

  CredentialSource source_;
  ApiEndpoint endpoint_;
  Terms terms_;
  Notice notice_;
  int epoll_;
  std::uint32_t mark_;
  std::uint64_t generation_ = 1;

  Nanos token_due_, certificates_due_;
  std::vector<ChangingFile> certificates_;
  bool certificates_changed_ = false;

  std::unique_ptr<HelperProcess> helper_;
  bool is_known_ = true;  // whether the helper has said who we are, and that was not refused
  std::optional<UnixSeconds> expires_;
  std::optional<Error> failure_;
  Pause failures_, refusals_;
};

}  // namespace gedge
