// gedge/policy/policy.hpp - the contract between the engine and every rule.
//
// A policy is prepared once per class of equal pods and then evaluated over ranges of rows (node
// slots). Whatever a row's answer depends on is declared by `reads`; whatever pod fields it looks
// at are signed; what it remembers about placed pods is kept true by `on_pod`. A policy that signs
// nothing gets a class of its own for every pod: slow, never wrong. Policies see neither each other
// nor the time, and keep no state outside their ClassState.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gedge/effect/reason.hpp"
#include "gedge/snapshot/cluster_state.hpp"

namespace gedge {

/// What one row's raw answer depends on.
enum Reads : std::uint8_t {
  kRowStatic = 1,  ///< facts of the node itself
  kRowUsage = 2,   ///< requested columns and pods of that row
  kDomains = 4,    ///< pods on other rows (affinity, spread, budgets)
  kOpaque = 128,   ///< unknown: evaluated anew for every pod
};

/// What the engine does with raw scores over the feasible rows, in integers as Kubernetes does.
enum class Normalize : std::uint8_t {
  kNone,
  kMax,         ///< idiv(100 * s, max); unchanged if max is 0
  kMaxReverse,  ///< 100 - idiv(100 * s, max); 100 if max is 0
  kMinMax,      ///< InterPodAffinity of 1.36: (s - min) / (max - min), 0 if equal
  kMinMaxZero,  ///< InterPodAffinity of 1.20: 0 joins min and max
  kSpread,      ///< idiv(100 * (max + min - s), max), 100 if max is 0; rows with kIgnored become 0
  kOwn,         ///< ScorePolicy::normalize_rows: sums over zones and the like
};

/// A raw score that stands outside its normalisation: shown as 0, normalised to 0.
inline constexpr std::int64_t kIgnored = std::numeric_limits<std::int64_t>::min();
/// Above every score and every total.
inline constexpr std::int64_t kNoBound = std::numeric_limits<std::int64_t>::max();

/// What a policy remembers about one class of pods.
class ClassState {
 public:
  virtual ~ClassState() = default;
};

/// The pod in question and the cluster it is to be placed in.
struct ClassContext {
  const ClusterState& cluster;
  const PodFacts& pod;
  std::uint32_t joint_group =
      0;  ///< budgets towards unplaced pods of this group are judged when those are placed
};

/// Concatenation of every pod field that the policies of a profile read: equal bytes, equal
/// answers.
class Signature {
 public:
  void add(std::string_view text) {
    add(text.size());
    if (!text.empty()) write(text);
  }
  void add(std::uint64_t number) { std::memcpy(room_for(sizeof number), &number, sizeof number); }
  /// The fields of `more` behind these.
  void append(const Signature& more) {
    if (more.size_ != 0) write(more.bytes());
  }
  /// Keeps its memory.
  void clear() { size_ = 0; }
  /// Until the next change.
  std::string_view bytes() const { return {room_.data(), size_}; }

 private:
  void write(std::string_view text) {
    std::memcpy(room_for(text.size()), text.data(), text.size());
  }
  char* room_for(std::size_t count) {
    const std::size_t at = size_;
    size_ += count;
    if (size_ > room_.size()) [[unlikely]]
      grow();
    return room_.data() + at;
  }
  [[gnu::noinline]] void grow() { room_.resize(2 * size_); }

  std::vector<char> room_;  // of which the first `size_` bytes are written
  std::size_t size_ = 0;
};

/// Rows whose raw answer a change of pods altered, beyond the row that the pod is on.
struct Touched {
  NodeMask rows;
  bool all = false;
};

/// What changed of the facts that a class was prepared from.
struct FactsChange {
  NodeIndex node = kNoNode;  ///< kNoNode: the matrix
  std::uint8_t parts = 0;    ///< any of FactPart
};

class Policy {
 public:
  virtual ~Policy() = default;
  /// The Kubernetes plugin name where the policy does what that plugin does; CamelCase.
  virtual std::string_view name() const = 0;
  virtual std::uint8_t reads() const = 0;
  /// Adds every pod field that this policy reads. False: no two pods are equal.
  virtual bool sign(const PodFacts&, Signature&) const { return false; }
  /// Pre-filter and pre-score. Called again whenever static facts change, unless on_facts follows.
  /// Null is a fine state.
  virtual std::unique_ptr<ClassState> prepare(const ClassContext&) const { return nullptr; }
  /// `other` was bound to (delta 1) or taken from (delta -1) `node`; the cluster already shows it.
  /// Also called for what-ifs and their undoing. Only for policies that read kDomains or remember
  /// usage. A filter that keeps_barred reports nothing in `Touched`: its mask says it all.
  virtual void on_pod(ClassState&, const ClassContext&, PodIndex other, NodeIndex node, int delta,
                      Touched&) const {
    static_cast<void>(other), static_cast<void>(node), static_cast<void>(delta);
  }
  /// Adds topics of which every pod says one that on_pod has to hear of.
  virtual void listen(const ClassContext&, const ClassState&, std::vector<Topic>& topics) const {
    topics.push_back(kAnyPod);
  }
  /// Facts changed, which the cluster already shows. True: `state`, which may be null, is true to
  /// them again, and `touched` has every row beyond the node's own whose raw answer changed. False:
  /// the class is prepared anew.
  virtual bool on_facts(ClassState* state, const ClassContext&, const FactsChange& change,
                        Touched&) const {
    static_cast<void>(state), static_cast<void>(change);
    return false;
  }
};

class FilterPolicy : public Policy {
 public:
  /// Clears the bits of `feasible` within `rows` that this pod may not use; looks only at set bits.
  /// With a recorder, gives evidence for each.
  virtual void filter(const ClassContext&, const ClassState*, Rows rows, NodeMask& feasible,
                      Recorder* recorder) const = 0;
  /// True: `barred` is all that this filter has to say without a recorder. Then classes that differ
  /// in this filter alone share everything else.
  virtual bool keeps_barred() const { return false; }
  /// The rows that it rejects as things are; dead rows may be among them. Null: none.
  virtual const NodeMask* barred(const ClassState*) const { return nullptr; }
  /// Clears the rows that `barred` of a state would have, where that costs no more than finding a
  /// class that was prepared before. False: it takes a state; `rows` may be anything then.
  virtual bool keep_at_once(const ClassContext&, NodeMask& rows) const {
    static_cast<void>(rows);
    return false;
  }
  /// True: whatever happens, no row is rejected for a pod like this one.
  virtual bool passes_always(const PodFacts&) const { return false; }
  /// True: as things are, every row passes; where the state is null, whatever changes. False
  /// promises nothing.
  virtual bool passes_all(const ClassContext&, const ClassState*) const { return false; }
};

class ScorePolicy : public Policy {
 public:
  /// How raw scores become 0..100; may depend on the class (no constraints: nothing to normalise).
  virtual Normalize normalize(const ClassContext&, const ClassState*) const = 0;
  /// True if a raw score depends on which other rows are feasible.
  virtual bool reads_feasible(const ClassState*) const { return false; }
  /// Called before `score` with the rows that passed every filter, if reads_feasible.
  virtual void on_feasible(ClassState*, const ClassContext&, const NodeMask& feasible) const {
    static_cast<void>(feasible);
  }
  /// Writes raw[i] for row rows.first + i, for every row of the range, feasible or not.
  virtual void score(const ClassContext&, const ClassState*, Rows rows,
                     std::span<std::int64_t> raw) const = 0;
  /// The raw score of every row, where that is one as things are; empty promises nothing.
  virtual std::optional<std::int64_t> constant(const ClassState*) const { return std::nullopt; }
  /// Called instead of the engine's normalisation where `normalize` says kOwn: turns `scores`
  /// [slots] into 0..100 where `feasible` is set.
  virtual void normalize_rows(const ClassContext&, const ClassState*, const NodeMask& feasible,
                              std::span<std::int64_t> scores) const {
    static_cast<void>(feasible), static_cast<void>(scores);
  }
  /// No raw score of any row is above it; kNoBound: this policy knows no bounds.
  virtual std::int64_t most(const ClassState*) const { return kNoBound; }
  /// bounds[i]: no raw score of the rows of words[i] of `feasible` is above it, as far as they are
  /// feasible. Blocks that cannot win are not asked for scores. Not called where `most` is
  /// kNoBound.
  virtual void upper_bounds(const ClassContext&, const ClassState*, const NodeMask& feasible,
                            std::span<const std::uint32_t> words,
                            std::span<std::int64_t> bounds) const {
    static_cast<void>(feasible), static_cast<void>(words), static_cast<void>(bounds);
  }
};

}  // namespace gedge
