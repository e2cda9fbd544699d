// drive/latency_watch.hpp - round-trip times that a cluster carries in objects of its own:
// NodeLatency objects, and the ConfigMap gedge-latency of namespace gedge-system.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gedge/codec/latency.hpp"
#include "gedge/codec/watch.hpp"
#include "gedge/control/reflector.hpp"
#include "gedge/drive/last_failure.hpp"
#include "gedge/port/api_transport.hpp"
#include "gedge/port/cluster_link.hpp"

namespace gedge {

/// Of a pair that both know, a NodeLatency counts. Changes are handed over together, at most once a
/// second, for each makes the scheduler prepare anew. A server may lack both: it is asked again now
/// and then.
class LatencyWatch {
 public:
  LatencyWatch(RttOptions options, const ReflectorOptions& reflector, std::uint64_t seed);

  /// Sends what is to be sent, under tickets that follow `last_ticket`.
  void advance(ApiTransport& transport, std::uint64_t& last_ticket, Nanos now);
  std::optional<Nanos> next() const;
  /// Of a call under way here.
  bool owns(std::uint64_t ticket) const;
  /// False: the watch is over, to be cut.
  bool take_line(std::uint64_t ticket, std::string_view line, Nanos now, ClusterListener& listener);
  void take(std::uint64_t ticket, const ApiAnswer& answer, Nanos now, ClusterListener& listener);
  void flush(Nanos now, ClusterListener& listener);
  void cancel(ApiTransport& transport);

  // As of Reflector, for all that is followed.
  bool is_synced() const;
  bool is_current(Nanos now) const;
  void opened(std::uint64_t ticket, Nanos now, ClusterListener& listener) {
    find(ticket)->reflector.opened(now);
    find(ticket)->works(listener);
  }
  void refresh(ApiTransport& transport, Nanos now);
  void distrust(ApiTransport& transport, Nanos since, Nanos now);
  const Error* failing(Nanos now, Nanos at_least) const;
  template <typename Act>
  void each_reflector(Act act) {
    for (Source& source : sources_) act(source.reflector);
  }
  void add_unsynced(Nanos now, std::vector<std::string>& paths) const;
  std::uint64_t lists() const;
  std::uint64_t watches() const;
  std::uint64_t objects() const { return objects_; }
  std::uint64_t unknown_changes() const { return unknown_changes_; }

 private:
  struct Source {
    Source(const char* where, const char* selector, bool whole, Reflector follower)
        : path(where), field_selector(selector), is_whole(whole), reflector(std::move(follower)) {}
    const char* path;
    const char* field_selector;
    bool is_whole;  // one object, with the whole matrix
    Reflector reflector;
    std::uint64_t ticket = 0;  // of the call under way; 0: none
    bool is_changed = false;   // the matrix is another one than was handed over
    LastFailure failure;
    std::vector<LatencyObject> listed;           // so far, by the pages of a list
    std::map<std::string, std::string> changed;  // as JSON, by name; "": it is gone
    RttMatrix matrix;

    bool is_synced() const { return reflector.is_absent() || reflector.is_synced(); }
    bool is_current(Nanos now) const {
      return !reflector.is_behind() && (reflector.is_absent() || reflector.is_current(now));
    }
    void resume(ApiTransport& transport, Nanos now) {
      transport.cancel(std::exchange(ticket, 0));
      reflector.resume(now);
    }
    void works(ClusterListener& listener) {
      if (failure.clear()) listener.recovered();
    }
  };

  Source* find(std::uint64_t ticket);
  bool take_page(Source& source, std::string_view body, Nanos now, ClusterListener& listener);
  void take_failure(Source& source, const ApiAnswer& answer, Nanos now, ClusterListener& listener);
  RttMatrix read(const std::vector<LatencyObject>& objects, ClusterListener& listener) const;
  void apply(Source& source, ClusterListener& listener);
  bool is_pending() const;

  RttOptions options_;
  WatchReader reader_;
  std::array<Source, 2> sources_;  // the later one counts
  Nanos not_before_{0};            // nothing is handed over until then
  std::uint64_t objects_ = 0, unknown_changes_ = 0;
};

}  // namespace gedge
