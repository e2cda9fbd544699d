// gedge/control/scaler.hpp - autoscalers of a cluster, looked at again and again.
//
// A state machine without sockets, threads and clocks. Whoever drives it hands in what is declared
// and what runs, sends what take_...() hand out, answers it, and comes again at next(). All
// autoscalers of a namespace are looked at together, so that a metric is read once for all of them;
// namespaces do not wait for each other.
//
// Windows and periods are those of the time that passes: a date that is set changes none of them.
// By the date is judged how old a sample is, and nothing else.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gedge/base/nanos.hpp"
#include "gedge/base/result.hpp"
#include "gedge/model/autoscaler.hpp"
#include "gedge/model/fact_name.hpp"
#include "gedge/port/scaling.hpp"
#include "gedge/scale/growth.hpp"
#include "gedge/scale/reconcile.hpp"
#include "gedge/scale/site_scaler.hpp"
#include "gedge/scale/site_split.hpp"

namespace gedge {

struct ScalerOptions {
  ScaleSettings settings;
  Nanos period{15'000'000'000};  ///< from one look to the next
  /// How often queries are asked in between; when one says something else, the next look is now.
  /// 0: never.
  Nanos react{1'000'000'000};
  Nanos retry{1'000'000'000};  ///< after a write that met a change of somebody else
  /// How long a workload is left alone that somebody else changes, too; and how long nobody tries
  /// again to resize one where that failed: where it did not last, twice as long each time.
  Nanos yield{60'000'000'000};
  /// After so long without any progress, a workload's controller replaces its pods, or makes those
  /// that lack, no more.
  Nanos progress{600'000'000'000};
  bool resizes_pods = false;  ///< the server does, where they run
  bool owns_objects = false;  ///< HorizontalPodAutoscalers are ours; else only those of gedge are
  bool writes = true;         ///< false: what would be done is said, and no more
};

/// A condition, and since when it is as it is.
using DatedCondition = std::pair<ScaleCondition, UnixSeconds>;

/// What became of one look at one autoscaler.
struct ScaleReport {
  enum class Outcome : std::uint8_t {
    kKept,          ///< it has as many as it should have, or nothing is known
    kRescaled,      ///< it was given `decision.replicas`
    kWouldRescale,  ///< the same, if anything were written
    kNotRescaled,   ///< see `answer`
    kYields,        ///< somebody else changes it
    kTaken,         ///< a HorizontalPodAutoscaler scales it: nobody looked
  } outcome = Outcome::kKept;
  Autoscaler autoscaler;
  ScaleDecision decision;
  std::vector<DatedCondition> conditions;  ///< of this look, and those of others that it left
  std::string target_uid;                  ///< empty: not known
  std::string why;  ///< what kept a metric from being read, or the workload from being changed
  std::int32_t without_place = 0;     ///< replicas that no site has room for
  std::optional<std::int32_t> whole;  ///< by how many more there should be on all sites
  /// Not another number of replicas, but another size of each of them, at home.
  struct Size {
    std::string resource;
    std::int64_t from = 0, to = 0;  ///< of GrowRule::resource
    std::string pod;                ///< alone; empty: all of them, by the template
    std::int64_t base = 0;          ///< as it was declared
    std::string undoes = {};        ///< why one that has grown cannot stay so; empty: it could
    friend bool operator==(const Size&, const Size&) = default;
  };
  std::optional<Size> size;
  /// Why those at home do not grow (any more), where others have to come elsewhere; said once.
  std::string keeps_size;
  ScaleAnswer answer = ScaleAnswer::kDone;
  UnixSeconds at = 0;                          ///< the date
  UnixSeconds rescaled_at = kNever;            ///< the last time
  bool is_frozen = false, was_frozen = false;  ///< a metric is not known: no scale-down
  bool is_news = true;                         ///< it differs from the one before
};

/// Why the workload is changed, in words of an Event.
std::string change_reason(const ScaleReport& report);

/// What fits on the sites of an autoscaler is to be found out. `ticket` names it in the answer.
struct SiteQuestion {
  std::uint64_t ticket = 0;
  Autoscaler autoscaler;
  std::vector<ScaleTarget> targets;  ///< [sites]
};

struct SiteAnswer {
  std::unique_ptr<SiteRoom> room;           ///< null: nobody knows, see `why`
  SiteRtts rtts;                            ///< between the sites
  std::vector<std::vector<PodCost>> costs;  ///< [sites], of pods there: see deletion_costs()
  ScaleFacts bounds;  ///< LimitRanges and nodes; of autoscalers whose replicas grow
  std::string why;
};

/// Counted since the beginning.
struct ScalerCounts {
  std::uint64_t looks = 0, ups = 0, downs = 0, not_rescaled = 0, conflicts = 0, reactions = 0;
  std::array<std::uint64_t, kMetricSources> reads{}, failed_reads{};
};

class Scaler {
 public:
  explicit Scaler(ScalerOptions options) : options_(std::move(options)) {}

  // What is declared. A short autoscaler (kShortAutoscaler) and an object of one name are two.
  void put(Autoscaler autoscaler);
  void remove_object(const std::string& namespace_name, const std::string& name);
  /// These are all HorizontalPodAutoscalers that there are.
  void keep_objects(const std::vector<PodName>& names);
  // What runs.
  void put(ScaledPod pod);
  void remove_pod(const std::string& namespace_name, const std::string& name);
  void keep_pods(const std::vector<PodName>& names);

  /// Goes on. Errors: kDenied, where somebody else rescaled by an object that is ours; then there
  /// is no way back.
  Status advance(Nanos now, UnixSeconds date);
  /// When advance() will have something to do; empty: only answers can change that.
  std::optional<Nanos> next() const;

  // What is to be done since the last call.
  std::vector<ScaleRead> take_scale_reads() { return std::exchange(scale_reads_, {}); }
  std::vector<MetricRead> take_metric_reads() { return std::exchange(metric_reads_, {}); }
  std::vector<SiteQuestion> take_site_questions() { return std::exchange(site_questions_, {}); }
  std::vector<ScaleWrite> take_writes() { return std::exchange(writes_, {}); }
  std::vector<ScaleReport> take_reports() { return std::exchange(reports_, {}); }
  void answer(std::uint64_t ticket, ScaleReading reading);
  void answer(std::uint64_t ticket, MetricReading reading);
  void answer(std::uint64_t ticket, SiteAnswer answer);
  /// `why`: what the server said, if it did not do it.
  void answer(std::uint64_t ticket, ScaleAnswer answer, std::string why);

  const ScalerCounts& counts() const { return counts_; }
  std::size_t autoscalers() const;
  /// Of these, how many lack a metric.
  std::size_t frozen() const;
  std::size_t writing() const;
  /// Every namespace was looked at once, and what followed is settled.
  bool is_settled() const;
  /// What the last look at a namespace saw; null: there was none.
  const ScaleFacts* facts(const std::string& namespace_name) const;

 private:
  /// Of the workload at home: what was tried, and what became of it.
  struct Growth {
    std::string keeps_size;                   // as it was told
    Nanos told_at{0}, kept_at{0};             // when, and when it was so the last time
    std::optional<std::string> resize_fails;  // why one that grows did, or did not last
    Nanos tries_again_at{0};                  // where it did
    std::string shrink_fails;                 // why one that shrinks did
    Nanos shrinks_again_at{0};
    std::int32_t setbacks = 0;          // so many in a row did not last
    std::optional<Nanos> stands_since;  // it is larger, and nobody has put it back
    struct Written {
      std::int64_t amount = 0, base = 0;
    };
    std::optional<Written> written;  // that of home has grown so, as long as nobody changes it
    std::string stale_note;          // kGrownAnnotation of a growth that somebody put back
    struct Given {
      std::int64_t amount = 0;
      std::string version;  // of the pod, before it was given that
    };
    std::map<std::string, Given> given;              // by uid of a pod that runs: the last write
    Nanos gone_at{0};                                // the last try that met pods that are gone
    std::int32_t gone_looks = 0;                     // so many in a row
    std::optional<RolloutRules::Progress> progress;  // while pods are replaced, or lack
    Nanos progress_at{0};
  };
  struct Entry {
    Autoscaler spec;
    ScaleHistory history;
    std::string target_uid;
    std::map<std::string, std::int32_t> expected;  // by workload, if nobody else changes them
    std::optional<UnixSeconds> moved;              // between sites, the last time
    std::int32_t surplus = 0;  // replicas that came by a move, before others leave by it
    Growth growth;
    Nanos yields_until{0};
    bool is_frozen = false;
    UnixSeconds rescaled_at = kNever;
    std::vector<UnixSeconds> own_times;  // of rescales of this process, the latest
    std::vector<DatedCondition> conditions;
    std::optional<ScaleReport> told;
  };
  /// A write that was sent.
  struct Pending {
    std::string key;  // of the entry
    ScaleReport report;
    std::int32_t change = 0;   // as it was remembered
    Nanos now{0};              // of the look
    std::string uid, version;  // of what is resized
  };
  /// A look that waits until it is known what fits where.
  struct Splitting {
    std::string key;  // of the entry
    ScaleReport report;
    Nanos now{0};
    std::int32_t wanted = 0;
    std::vector<double> demand;  // as of SiteLook
    bool keeps_size = false;     // of those at home
  };
  struct Asked {
    MetricRead read;
    std::optional<MetricReading> reading;
  };
  enum class State : std::uint8_t { kResting, kScales, kMetrics, kWrites };
  struct Space {
    State state = State::kResting;
    Nanos due{0}, polls_at{0};
    bool was_looked_at = false, is_wanted_again = false;
    bool has_more = false;                     // what is done now is only the first part
    std::map<std::string, Entry> entries;      // by kind and name
    std::map<std::string, ScaledPod> pods;     // by name
    std::map<std::string, std::string> taken;  // workloads, by the objects that scale them
    // Of the look under way.
    std::map<std::uint64_t, std::string> scale_reads;   // by ticket: the workload
    std::map<std::uint64_t, std::string> metric_reads;  // by ticket: the key in `asked`
    std::map<std::uint64_t, Pending> pending;           // by ticket
    std::map<std::uint64_t, Splitting> splitting;       // by ticket
    std::map<std::string, ScaleTarget> targets;         // by workload
    std::map<std::string, ScaleTarget> joined;          // those of all sites, by entry
    std::map<std::string, HomeSize> sizes;              // of those that may grow, by entry
    std::map<std::string, Asked> asked;
    std::map<std::string, std::string> failures;  // by workload, and by key in `asked`
    std::map<std::uint64_t, std::string> polls;   // by ticket: the key in `asked`
    std::optional<ScaleFacts> facts;
  };

  bool is_ours(const Autoscaler& autoscaler) const {
    return options_.owns_objects || autoscaler.api_version == kShortAutoscaler;
  }
  bool is_taken(const Space& space, const Entry& entry) const;
  const ScaleTarget* target_of(const std::string& key, const Entry& entry,
                               const Space& space) const;
  Space* space_of(std::uint64_t ticket);
  void begin(const std::string& name, Space& space, Nanos now);
  static void drop_stale_note(const Entry& entry, Space& space);
  void join_sites(Space& space) const;
  void read_metrics(const std::string& name, Space& space);
  void ask(const std::string& name, const MetricSpec& metric, const std::string& pods,
           bool is_shared, Space& space);
  void poll(const std::string& name, Space& space, Nanos now);
  void gather(const std::string& name, Space& space, UnixSeconds now, UnixSeconds date) const;
  void mark_sites(const Space& space, ScaledPod& pod) const;
  void gather_metrics(Space& space, UnixSeconds now, UnixSeconds date) const;
  bool age(const MetricSample& sample, UnixSeconds date, std::string& why) const;
  void decide(const std::string& name, Space& space, Nanos now, UnixSeconds date);
  void decide(const std::string& key, Entry& entry, ScaleDecision decision, ScaleHistory before,
              std::string why, Space& space, Nanos now, UnixSeconds date);
  ScaleDecision ask_formula(const Autoscaler& autoscaler, const WorkloadIndex& index,
                            const ScaleHistory& before, Entry& entry, Nanos now) const;
  bool is_changed_by_others(Entry& entry, const Space& space) const;
  std::vector<SiteCount> count_sites(const Entry& entry, const Space& space) const;
  void split(const std::string& key, Entry& entry, ScaleReport report, ScaleHistory before,
             Space& space, Nanos now);
  std::vector<double> demand_of(const Autoscaler& spec, const Space& space) const;
  static std::int32_t without_surplus(Entry& entry, const Splitting& waiting);
  bool note_moves(const Splitting& waiting, const SiteSplit& split,
                  const std::vector<SiteCount>& sites, Entry& entry) const;
  void give_up(Splitting waiting, std::string why, Entry& entry);
  void yield(ScaleReport report, bool is_due, Entry& entry);
  void carry_out(const Splitting& waiting, const SiteSplit& split, SiteAnswer answer, Entry& entry,
                 Space& space);
  const HomeSize* size_of(const std::string& key, const Space& space) const;
  std::string cannot_resize(const std::string& key, const Entry& entry, const Space& space,
                            Nanos now) const;
  bool is_uneven(const std::string& key, const Space& space) const;
  void note_progress(Entry& entry, const Space& space, Nanos now) const;
  Nanos pause_after(std::int32_t setbacks) const;
  void note_setback(std::string why, Entry& entry, Nanos now) const;
  std::string undone_template(const HomeSize& size, Entry& entry, const Space& space) const;
  std::string undone_pod(const HomeSize& size, Entry& entry, const Space& space) const;
  void note_undone(const std::string& key, Entry& entry, const Space& space, Nanos now) const;
  bool is_stuck(const Entry& entry, const Space& space, Nanos now) const;
  bool is_rolling_out(const Entry& entry, const Space& space, Nanos now) const;
  SiteScalerOptions splits_by(const std::string& key, const Entry& entry, const Space& space,
                              const SiteAnswer& answer, std::string& why, Nanos now) const;
  /// What becomes of home in this look.
  struct HomeTurn {
    bool resizes = false, may_leave = false;
    bool far_stay = false;  // those that are to leave elsewhere, too
    bool has_more = false;  // to be done by the next one, if this one does something
  };
  HomeTurn turn_of_home(const Splitting& waiting, const SiteSplit& split,
                        const std::vector<SiteCount>& sites, const Space& space) const;
  void note_growth(const Splitting& waiting, const SiteSplit& split,
                   const std::vector<SiteCount>& sites, const HomeTurn& turn, Entry& entry,
                   const Space& space) const;
  std::string note_size(const Splitting& waiting, const SiteSplit& split, const GrowRule& bounded,
                        std::string why, Entry& entry, const Space& space) const;
  bool resize_home(const Splitting& waiting, const SiteSplit& split, const SiteAnswer& answer,
                   ScaleReport report, Entry& entry, Space& space);
  bool take_back(const Splitting& waiting, const SiteAnswer& answer, ScaleReport report,
                 Entry& entry, Space& space);
  void send(const Splitting& waiting, ResizePlan plan, const ScaleReport::Size& size,
            ScaleReport report, std::int32_t change, Entry& entry, Space& space);
  std::vector<const ScaledPod*> pods_at_home(const Entry& entry, const Space& space,
                                             PodPhase phase = PodPhase::kRunning) const;
  std::string lacks_room(const Entry& entry, const Space& space, Nanos now) const;
  void act(const std::string& key, Entry& entry, ScaleReport report, std::int32_t change,
           ScaleWrite write, Space& space, Nanos now);
  std::string unknown_pods(const Entry& entry, const ScaleTarget& target,
                           const WorkloadIndex& index, const ScaleDecision& decision) const;
  std::string why(const std::string& key, const Space& space, const Entry& entry,
                  const ScaleDecision& decision) const;
  void note_resized(const Pending& pending, Entry& entry) const;
  static bool is_met_again(const Pending& pending, Entry& entry);
  void settle(Pending pending, Entry& entry);
  void tell(ScaleReport report, Entry& entry);
  UnixSeconds seconds(Nanos now) const;

  ScalerOptions options_;
  std::map<std::string, Space> spaces_;                 // by name
  std::map<std::uint64_t, std::string> tickets_;        // under way: names of spaces
  std::optional<std::pair<Nanos, UnixSeconds>> epoch_;  // the first `now`, and its date
  std::optional<Error> stopped_;
  std::uint64_t last_ticket_ = 0;
  std::vector<ScaleRead> scale_reads_;
  std::vector<MetricRead> metric_reads_;
  std::vector<SiteQuestion> site_questions_;
  std::vector<ScaleWrite> writes_;
  std::vector<ScaleReport> reports_;
  ScalerCounts counts_;
};

}  // namespace gedge
