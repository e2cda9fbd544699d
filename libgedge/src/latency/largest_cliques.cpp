#include "latency/largest_cliques.hpp"

#include <algorithm>
#include <queue>

namespace gedge {
namespace {

using Names = std::vector<std::uint32_t>;

/// The largest clique of a small graph, the first in order among several.
class Search {
 public:
  explicit Search(std::uint64_t most_steps) : steps_left_(most_steps) {}

  /// False once steps ran out: whoever asks next gets the first clique in order, a maximal one.
  bool is_exact() const { return is_exact_; }

  /// Of names that ascend: looks who is near whom.
  void prepare(const NearRows& near, const Names& names) {
    count_ = names.size();
    words_ = (count_ + 63) / 64;
    charge(count_ * count_ / 2);
    rows_.assign(count_ * words_, 0);
    for (std::size_t i = 0; i < count_; ++i)
      for (std::size_t j = i + 1; j < count_; ++j)
        if (near.test(names[i], names[j])) {
          put(row(i), j);
          put(row(j), i);
        }
    Level& all = level(0);
    std::fill(all.open.begin(), all.open.end(), 0);
    for (std::size_t i = 0; i < count_; ++i) put(all.open, i);
  }

  /// A bound of the size that largest() has.
  std::size_t bound() { return color(level(0)); }

  /// Positions in `names`, ascending.
  const Names& largest() {
    best_.clear();
    chosen_.clear();
    extend(0);
    return best_;
  }

 private:
  struct Level {
    std::vector<Word> open;  // near all that are chosen, and behind them
    Names bounds;            // by position: colours from there on
  };

  void charge(std::uint64_t steps) {
    is_exact_ = is_exact_ && steps_left_ >= steps;
    steps_left_ -= std::min(steps_left_, steps);
  }

  std::span<Word> row(std::size_t i) { return {rows_.data() + i * words_, words_}; }

  Level& level(std::size_t depth) {
    while (levels_.size() <= depth) levels_.emplace_back();
    Level& level = levels_[depth];
    level.open.resize(words_);
    level.bounds.resize(count_);
    return level;
  }

  // A colour is a class of names of which no two are near; a clique has at most one of each.
  std::size_t first_fit(std::span<const Word> around, std::size_t count) const {
    for (std::size_t colour = 0; colour < count; ++colour) {
      const Word* colored = classes_.data() + colour * words_;
      bool fits = true;
      for (std::size_t i = 0; i < words_ && fits; ++i) fits = (colored[i] & around[i]) == 0;
      if (fits) return colour;
    }
    return count;
  }

  // Last names first, so that the colours used so far bound what begins at a name.
  std::size_t color(Level& level) {
    classes_.clear();
    std::size_t count = 0;
    for (std::size_t word = words_; word-- > 0;)
      for (Word bits = level.open[word]; bits != 0;) {
        const auto bit = 63 - static_cast<std::size_t>(std::countl_zero(bits));
        bits &= ~(Word{1} << bit);
        const std::size_t at = 64 * word + bit;
        const std::size_t colour = first_fit(row(at), count);
        charge(colour + 1);
        if (colour == count) {
          ++count;
          classes_.resize(count * words_, 0);
        }
        put({classes_.data() + colour * words_, words_}, at);
        level.bounds[at] = static_cast<std::uint32_t>(count);
      }
    return count;
  }

  void keep_if_larger() {
    if (chosen_.size() > best_.size()) best_ = chosen_;
  }

  // Names of which each has a colour of its own are all near one another.
  void choose_all(const Level& level) {
    const std::size_t before = chosen_.size();
    for_each_bit(level.open,
                 [&](std::size_t at) { chosen_.push_back(static_cast<std::uint32_t>(at)); });
    keep_if_larger();
    chosen_.resize(before);
  }

  // The first clique in order, where there is no time for the largest.
  void follow_first(Level& level) {
    const std::size_t before = chosen_.size();
    for (std::size_t word = 0; word < words_; ++word)
      while (level.open[word] != 0) {
        const std::size_t at =
            64 * word + static_cast<std::size_t>(std::countr_zero(level.open[word]));
        take(level.open, at);
        chosen_.push_back(static_cast<std::uint32_t>(at));
        static_cast<void>(keep_common(level.open, row(at)));
      }
    keep_if_larger();
    chosen_.resize(before);
  }

  void extend(std::size_t depth) {
    if (!is_exact_) return follow_first(level(depth));
    static_cast<void>(level(depth + 1));
    if (color(levels_[depth]) == count_bits(levels_[depth].open)) return choose_all(levels_[depth]);
    for (std::size_t word = 0; word < words_; ++word)
      while (levels_[depth].open[word] != 0) {
        Level& level = levels_[depth];
        const std::size_t at =
            64 * word + static_cast<std::size_t>(std::countr_zero(level.open[word]));
        if (chosen_.size() + level.bounds[at] <= best_.size()) return;
        take(level.open, at);
        Level& next = levels_[depth + 1];
        std::copy(level.open.begin(), level.open.end(), next.open.begin());
        chosen_.push_back(static_cast<std::uint32_t>(at));
        if (keep_common(next.open, row(at)))
          extend(depth + 1);
        else
          keep_if_larger();
        chosen_.pop_back();
        if (!is_exact_) return;
      }
  }

  std::uint64_t steps_left_;
  bool is_exact_ = true;
  std::size_t count_ = 0, words_ = 0;
  std::vector<Word> rows_, classes_;  // [count][words], [colours][words]
  std::vector<Level> levels_;         // by names chosen
  Names chosen_, best_;
};

class Greedy {
 public:
  Greedy(const NearRows& near, std::uint64_t most_steps)
      : near_(near), search_(most_steps), free_(near.words()), open_(near.words()) {
    for (std::size_t i = 0; i < near.size(); ++i) put(free_, i);
    known_.resize(near.size());
    cliques_.resize(near.size());
  }

  LargestCliques run() {
    LargestCliques out;
    out.cluster_of.assign(near_.size(), 0);
    for (std::uint32_t i = 0; i < near_.size(); ++i) waiting_.push({later(i).size() + 1, ~i});
    while (!waiting_.empty()) {
      const std::uint32_t name = ~waiting_.top().second;
      waiting_.pop();
      if (!has(free_, name)) continue;
      if (known_[name] != Known::kClique || !is_free(cliques_[name])) {
        look_at(name);
        // Without time for the largest one, the first that is found will do.
        if (search_.is_exact() || known_[name] != Known::kClique) continue;
      }
      for (const std::uint32_t member : cliques_[name]) {
        take(free_, member);
        out.cluster_of[member] = out.count;
      }
      ++out.count;
    }
    out.is_exact = search_.is_exact();
    return out;
  }

 private:
  enum class Known : std::uint8_t { kDegree, kColours, kClique };

  // Free names near that one and behind it.
  const Names& later(std::uint32_t name) {
    const auto near = near_.row(name);
    names_.clear();
    for (std::size_t word = name / 64; word < near.size(); ++word) {
      Word bits = near[word] & free_[word];
      if (word == name / 64) bits &= ~Word{1} << name % 64;
      for (; bits != 0; bits &= bits - 1)
        names_.push_back(static_cast<std::uint32_t>(
            64 * word + static_cast<std::size_t>(std::countr_zero(bits))));
    }
    return names_;
  }

  // Finds out more, and lets the name wait for its turn with that.
  void look_at(std::uint32_t name) {
    const Names& names = later(name);
    if (!search_.is_exact()) return keep(name, first_clique(names));
    search_.prepare(near_, names);
    if (known_[name] == Known::kDegree) {
      known_[name] = Known::kColours;
      waiting_.push({search_.bound() + 1, ~name});
      return;
    }
    Names clique;
    for (const std::uint32_t at : search_.largest()) clique.push_back(names[at]);
    keep(name, std::move(clique));
  }

  void keep(std::uint32_t name, Names clique) {
    clique.insert(clique.begin(), name);
    known_[name] = Known::kClique;
    waiting_.push({clique.size(), ~name});
    cliques_[name] = std::move(clique);
  }

  // Each in turn that is near all before.
  Names first_clique(const Names& names) {
    Names clique;
    std::copy(free_.begin(), free_.end(), open_.begin());
    for (const std::uint32_t name : names) {
      if (!clique.empty() && !has(open_, name)) continue;
      clique.push_back(name);
      static_cast<void>(keep_common(open_, near_.row(name)));
    }
    return clique;
  }

  bool is_free(const Names& clique) const {
    return std::all_of(clique.begin(), clique.end(),
                       [&](std::uint32_t name) { return has(free_, name); });
  }

  const NearRows& near_;
  Search search_;
  std::vector<Word> free_, open_;
  std::vector<Known> known_;
  std::vector<Names> cliques_;  // by lowest member
  Names names_;
  // Size or bound, and the complement of the name: of equal sizes the lowest name is on top.
  std::priority_queue<std::pair<std::size_t, std::uint32_t>> waiting_;
};

}  // namespace

LargestCliques largest_cliques(const NearRows& near, std::uint64_t most_steps) {
  return Greedy(near, most_steps).run();
}

}  // namespace gedge
