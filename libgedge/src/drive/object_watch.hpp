// drive/object_watch.hpp - all objects of one kind, as an autoscaler reads them, listed once and
// watched from there.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/codec/watch.hpp"
#include "gedge/control/reflector.hpp"
#include "gedge/model/autoscaler.hpp"
#include "gedge/model/fact_name.hpp"
#include "gedge/port/api_transport.hpp"

namespace gedge {

struct WatchedKind {
  std::string path;             ///< "/api/v1/pods"
  std::string version;          ///< "v1"
  std::string list;             ///< "PodList"
  bool may_be_missing = false;  ///< a server that does not know it for a minute has none of it
  bool keeps_objects = false;   ///< as of ScaleLoadOptions
};

class ObjectWatch {
 public:
  struct Listener {
    std::function<void(ScaleFacts&&)> put;
    std::function<void(const std::string& space, const std::string& name)> remove;
    std::function<void(const std::vector<PodName>&)> keep_only;
    std::function<void(const Error&)> failed;
    std::function<void()> recovered = [] {};
  };

  ObjectWatch(WatchedKind kind, Listener listener, std::uint64_t seed,
              const ReflectorOptions& options);

  /// Sends what is to be sent, under the ticket that follows `last_ticket`.
  void advance(ApiTransport& transport, std::uint64_t& last_ticket, Nanos now);
  std::optional<Nanos> next() const { return reflector_.next(); }
  /// Of the call under way; 0: none.
  std::uint64_t ticket() const { return ticket_; }
  void take_line(ApiTransport& transport, std::string_view line, Nanos now);
  void take(const ApiAnswer& answer, Nanos now);

  const std::string& path() const { return kind_.path; }
  /// Why the last call brought nothing; empty: it did.
  const std::optional<Error>& failure() const { return failure_; }
  bool is_synced() const { return is_missing_ || reflector_.is_synced(); }
  bool is_current(Nanos now, Nanos most_age) const {
    return is_missing_ || reflector_.is_current(now, most_age);
  }
  void opened(Nanos now) {
    reflector_.opened(now);
    works();
  }
  /// Nobody listened since: what happened meanwhile is told by a watch that begins now.
  void distrust(ApiTransport& transport, Nanos since, Nanos now);
  const Reflector& reflector() const { return reflector_; }
  std::uint64_t objects() const { return objects_; }
  std::uint64_t unreadable() const { return unreadable_; }

 private:
  bool load(std::string_view text, std::size_t padding, bool is_told);
  void load_page(const std::string& body);
  bool take_page(const std::string& body, Nanos now);
  void take_object(const WatchLine& line);
  void fail(Error error);
  void works();

  WatchedKind kind_;
  Listener listener_;
  Reflector reflector_;
  WatchReader reader_;
  std::uint64_t ticket_ = 0;
  bool is_missing_ = false;
  bool is_listing_ = false;
  std::optional<Error> failure_;
  std::vector<PodName> listed_;  // so far, by the pages of a list
  std::uint64_t objects_ = 0, unreadable_ = 0;
  bool has_told_of_unknown_ = false;
};

}  // namespace gedge
