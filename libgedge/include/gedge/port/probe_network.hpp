// gedge/port/probe_network.hpp - probes out, answers in, as an interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gedge/base/nanos.hpp"
#include "gedge/base/result.hpp"
#include "gedge/latency/prober.hpp"
#include "gedge/port/ip_address.hpp"

namespace gedge {

enum class ProbeMethod : std::uint8_t {
  kIcmp,   ///< echo request and reply
  kTcp,    ///< a handshake, or its refusal: both are answers of the other host
  kUdp,    ///< a datagram that the other end sends back: see gedge/io/udp_echo.hpp
  kHttp,   ///< a request over a connection of its own, to the first byte of whatever is answered
  kHttps,  ///< the same inside TLS
};

/// Why a probe never left, or was sent back on its way.
enum class Refusal : std::uint8_t {
  kNone,
  kUnreachable,  ///< no route, or somebody on the way says so
  kClosed,       ///< the other host has nobody at that port
  kForbidden,    ///< a firewall of this machine
  kTooLarge,     ///< for the network's packets
  kNoRoom,       ///< the system had no memory or descriptors for it
  kOther,
  kNoHttp,     ///< what answers there speaks no HTTP, or no TLS
  kUntrusted,  ///< its certificate
};

/// What a link has to say about one probe.
struct ProbeEvent {
  enum class Kind : std::uint8_t {
    kSent,     ///< the kernel says when it left
    kReply,    ///< an answer that came from the address of the target
    kRefused,  ///< it never left, or no answer can come
  };
  Kind kind = Kind::kReply;
  Refusal refusal = Refusal::kNone;
  std::uint32_t target = 0;
  std::uint64_t cookie = 0;
  Nanos at{0};
};

/// One way to reach a list of targets. Not for two threads at once.
class ProbeLink {
 public:
  struct Received {
    std::span<const ProbeEvent> events;  ///< until the next call; of one probe in their order
    bool all = true;                     ///< nothing that came before the call was left unread
  };

  virtual ~ProbeLink() = default;

  /// The clock of every moment that this link speaks of. Never goes back.
  virtual Nanos now() = 0;
  /// How many probes send() takes at once; 0: receive() first.
  virtual std::size_t room() const = 0;
  /// Sends at most room() probes. What cannot be sent comes back as kRefused.
  virtual void send(std::span<const Probe> probes) = 0;
  /// Waits for something to say, or until the moment given; a moment of the past: never.
  virtual Received receive(Nanos until) = 0;
};

struct LinkRequest {
  ProbeMethod method = ProbeMethod::kIcmp;
  std::vector<IpAddress> targets;  ///< a probe names them by their place
  /// Bytes behind the header; at least kLeastProbeSize. Of kIcmp and kUdp.
  std::size_t size = 56;
  /// Many packets a system call, stamped by this program: far more of them, but times that contain
  /// the wait for the others. Else one by one, stamped by the kernel where it can.
  bool batched = false;
  /// Answers are not waited for any longer.
  Nanos timeout{1'000'000'000};
  /// The address of this machine that probes leave from; its port does not count. Empty: the system
  /// chooses. For targets of its family; of kIcmp and kUdp.
  std::optional<IpAddress> source = {};
  /// Of kHttp and kHttps: what targets are called in requests and certificates, [targets]; those
  /// that are missing or empty are called by their addresses.
  std::vector<std::string> hosts = {};
  /// Of kHttps: as in HttpTerms.
  std::string trusted = {};
  bool verify = true;
};

/// Target, cookie and a mark fit in.
inline constexpr std::size_t kLeastProbeSize = 16;
/// What IPv4 can carry in one packet.
inline constexpr std::size_t kMostProbeSize = 65'507;

class ProbeNetwork {
 public:
  virtual ~ProbeNetwork() = default;

  /// The first address of that family. Errors: kNotFound (no such name, or none of that family);
  /// kTimeout (nobody answered).
  virtual Result<IpAddress> resolve(const std::string& host, IpFamily family) = 0;
  /// All of them, sorted, each once; a headless Service has one a pod. Errors: as above.
  virtual Result<std::vector<IpAddress>> addresses_of(const std::string& host) = 0;
  /// Errors: kDenied with what would help, where the system forbids it; kInvalidInput for a size
  /// out of bounds.
  virtual Result<std::unique_ptr<ProbeLink>> open(LinkRequest request) = 0;
  /// What the process may do beyond others is given up for good, all of it or all but what it takes
  /// to open links of that method. Counts for the thread that calls and for those it starts.
  virtual void give_up_rights(std::optional<ProbeMethod> still_to_open) = 0;
  /// What this machine calls itself.
  virtual std::string host_name() const = 0;
  /// A key for cookies that nobody can guess.
  virtual std::uint64_t random_key() = 0;
};

}  // namespace gedge
