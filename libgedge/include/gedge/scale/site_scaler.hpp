// gedge/scale/site_scaler.hpp - the replicas of one autoscaler on several sites: first out, then
// up, then over, and back in reverse.
//
// How many there should be is the formula's to say. Here it is decided where they are: wanted
// replicas and the time go in, effects come out, and whoever knows what fits is asked.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "gedge/base/result.hpp"
#include "gedge/base/saturated.hpp"
#include "gedge/model/site_rules.hpp"
#include "gedge/scale/users.hpp"

namespace gedge {

/// Who knows what fits where: the planner. A yes holds the place.
class SiteRoom {
 public:
  virtual ~SiteRoom() = default;
  /// One replica more on that site. False: no node of it can take one.
  virtual Result<bool> add(std::uint32_t replica, std::uint32_t site) = 0;
  /// The replica has so much of SiteRules::up from now on, on the node where it is. False: the node
  /// cannot give that; never where it is less than before.
  virtual Result<bool> resize(std::uint32_t replica, std::int64_t amount) = 0;
  virtual void remove(std::uint32_t replica) = 0;
};

/// In the order in which they are tried when there is too little; then in reverse.
enum class SiteStep : std::uint8_t {
  kOut,   ///< a replica more: at home, or where the sites have no order anywhere
  kUp,    ///< a replica of home is larger
  kOver,  ///< a replica more on another site
  kBack,  ///< a replica less on another site
  kDown,  ///< a replica of home is smaller
  kIn,    ///< a replica less: the reverse of kOut
};
/// One word: "out".
std::string_view to_string(SiteStep step);

struct SiteEffect {
  SiteStep step = SiteStep::kOut;
  std::uint32_t replica = 0, site = 0;
  std::int64_t amount = 0;  ///< kUp, kDown: what it has from now on
  friend bool operator==(const SiteEffect&, const SiteEffect&) = default;
};
using SiteEffects = std::vector<SiteEffect>;

struct SiteReplica {
  std::uint32_t id = 0;     ///< counted up, none is used again
  std::uint32_t site = 0;   ///< of SiteRules::order
  std::int64_t amount = 0;  ///< of SiteRules::up
  bool ready = false;
};

struct SiteScalerOptions {
  SiteRules rules;
  SiteRtts rtts;          ///< of SiteRules::order
  std::int32_t max = 1;   ///< replicas on all sites together; those of `home` by their size
  std::int64_t base = 0;  ///< of SiteRules::up, as the workload's template has it
  /// What each of those at home has: then a step is one of all of them, and who comes is as large.
  /// 0: each grows by itself.
  std::int64_t home = 0;
  std::int64_t least = 0;    ///< nor does any at home shrink below, or grow to less; 0: as declared
  bool keeps_size = false;   ///< none grows or shrinks now
  bool none_grows = false;   ///< nor grows
  bool none_leaves = false;  ///< nor leaves; those that are far stay, whatever fits nearer
  std::int32_t min = 0;      ///< kOrder: replicas on all sites together, by their number
};

/// Who comes is as it was declared, however large the others are: nobody makes it larger.
inline bool comes_declared(const SiteScalerOptions& options) {
  return (options.keeps_size || options.none_grows) && options.rules.up.way == ResizeWay::kInPlace;
}

/// What is asked at one look.
struct SiteLook {
  std::int32_t wanted = 0;         ///< replicas, as large as the template's
  UnixSeconds now = 0;             ///< never less than before
  std::span<const double> demand;  ///< [sites], by where it comes from; empty: all from home
  double target_milli = 1;         ///< of one replica
};

/// With SiteChoice::kOrder, in this order until there are enough:
///
/// - out: replicas at home, while the room says that one fits, up to `max`;
/// - up: replicas at home grow by steps, each up to GrowRule::most, where their nodes have it;
///   with SiteScalerOptions::home all of them at once, or none;
/// - over: replicas on the other sites, in their order, unless the RTT from home is beyond the
///   budget or was never measured though there is one.
///
/// Where there are too many: first replicas of far sites leave, the farthest in the order first,
/// then those at home shrink, unless they keep their size, then leave. A far one that is ready
/// stays until what else is ready suffices. While replicas are far, home and nearer sites are asked
/// again, and what fits there comes first (at `max`: one after the other, as many far ones leaving
/// first as that takes), or those at home grow. A larger one is as many as were declared, of `max`,
/// too: with SiteScalerOptions::home nothing comes and nothing grows beyond it. Of `min` each is
/// one, however large: as long as there are fewer, others come, and none grows in their stead;
/// where nobody has a place for these, those at home grow for what is wanted beyond them.
///
/// With SiteChoice::kDemand a replica comes where it lowers UserCost most, and the one leaves whose
/// loss costs least, once what else is ready suffices; where moving replicas lowers the cost by a
/// twentieth, up to a quarter of them move. kSpread is the even spread that others do: fewest
/// first, most leave first.
///
/// Hysteresis: a move is a look that brings replicas to far sites (over) or takes some from there
/// (back; also where others come), and with kDemand one that moves replicas (back). One over comes
/// no sooner than O = over_after_s after the last move, one back no sooner than R = return_after_s.
/// So of o moves over and b moves back within any T seconds it holds that
///
///   O * o + R * b <= T + max(O, R)
///
/// and whatever went over stays for R at least. Cost: O(replicas) a step and a question; kDemand:
/// O(sites^4) more.
class SiteScaler {
 public:
  /// `room` must outlive the scaler, and has none of its replicas.
  SiteScaler(SiteScalerOptions options, SiteRoom& room);

  /// Decides, and takes it for done. Errors: those of the room; what was decided before stands.
  Result<SiteEffects> decide(const SiteLook& look);
  /// Goes on where another one left off: the room has places for these, and the last move was
  /// then. Ids are counted from the largest.
  void resume(std::vector<SiteReplica> replicas, std::optional<UnixSeconds> moved);
  std::optional<UnixSeconds> last_move() const { return moved_; }

  /// A replica answers from now on.
  void note_ready(std::uint32_t replica);

  const std::vector<SiteReplica>& replicas() const { return replicas_; }  ///< by id
  /// As SiteScalerOptions::home, after what was decided.
  std::int64_t size_at_home() const { return options_.home; }
  /// What all of them, or those that are ready, amount to in replicas of the template, in
  /// thousandths.
  std::int64_t units_milli(bool only_ready) const;
  std::int64_t units_milli(const SiteReplica& replica) const;
  /// The same by site, [sites].
  std::vector<double> units_by_site(bool only_ready) const;
  /// All of them, or those that are ready, counted as GrowRule::resource is, so that nothing is
  /// rounded; where none grows, as replicas.
  std::int64_t sum(bool only_ready) const;
  /// One more on that site, counted so.
  std::int64_t size_on(std::uint32_t site) const;
  bool may_use(std::uint32_t site) const;

  /// controller.kubernetes.io/pod-deletion-cost of each replica, [replicas]: whoever leaves next
  /// has the least. A ReplicaSet deletes in this order among pods that are ready.
  std::vector<std::int32_t> deletion_costs(const SiteLook& look) const;

 private:
  class Demand;

  Status follow_order(std::int64_t wanted, UnixSeconds now);
  Status go_out(std::int64_t wanted);
  Status go_up(std::int64_t wanted);
  Status go_up_as_one(std::int64_t wanted, std::int64_t most);
  Status go_over(std::int64_t wanted, UnixSeconds now);
  Status follow_want(std::int64_t wanted, UnixSeconds now);
  Status bring_nearer(std::int64_t wanted, UnixSeconds now);
  Result<bool> take_in_turn(std::uint32_t site, std::int64_t wanted);
  Status grow_instead(std::int64_t wanted, UnixSeconds now);
  Result<bool> grow_to_stand_in(std::int64_t wanted, UnixSeconds now);
  void go_back(std::int64_t wanted, UnixSeconds now);
  Status go_down(std::int64_t wanted);
  Status go_down_as_one(std::int64_t wanted);
  Result<bool> resize_home(std::int64_t amount, SiteStep step);
  Status restore(const std::vector<SiteReplica>& before, std::size_t said);
  void go_in(std::int64_t wanted);

  Status follow_demand(std::int64_t wanted, const SiteLook& look);
  Status grow_by(const Demand& demand, std::int64_t wanted);
  Status move_by(const Demand& demand, UnixSeconds now);
  Result<bool> move_one(const Demand& demand);

  // As of sum(): one as it was declared, this one, and as much as there may be.
  std::int64_t unit() const { return options_.base > 0 ? options_.base : 1; }
  std::int64_t own(const SiteReplica& replica) const {
    return options_.base > 0 ? replica.amount : 1;
  }
  std::int64_t least() const { return std::max(options_.least, options_.base); }
  std::int64_t most() const { return saturated_product(options_.max, unit()); }
  std::int64_t in_units(std::int64_t amount) const { return (amount + unit() - 1) / unit(); }
  std::int64_t number() const { return static_cast<std::int64_t>(replicas_.size()); }
  bool lacks_some(std::int64_t wanted) const {
    return number() < options_.min || sum(false) < wanted;
  }
  bool may_move(UnixSeconds now, std::int64_t after) const {
    return !moved_ || now - *moved_ >= after;
  }
  std::size_t count_far(std::uint32_t beyond = 0) const;
  std::uint32_t farthest() const;
  bool is_spare(const SiteReplica& replica, std::int64_t wanted) const;
  std::int64_t larger(const SiteReplica& replica) const;
  std::int64_t smaller(const SiteReplica& replica) const;
  std::optional<std::size_t> last_on(std::uint32_t site) const;
  Result<bool> put(std::uint32_t site, SiteStep step);
  Result<bool> hold(std::uint32_t site, std::int64_t leaving = 0);
  void come(std::uint32_t site, SiteStep step);
  Result<bool> resize(SiteReplica& replica, std::int64_t amount, SiteStep step);
  void take(std::size_t at, SiteStep step);

  SiteScalerOptions options_;
  SiteRoom& room_;
  std::vector<SiteReplica> replicas_;
  std::uint32_t next_ = 0;
  std::optional<UnixSeconds> moved_;  // the last move
  SiteEffects effects_;               // of this look
};

}  // namespace gedge
