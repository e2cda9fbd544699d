// codec/known_pods.hpp - pods of one mould are copies of the first, with texts of their own.
//
// A pod is made of what its readers read. Which texts of a mould those are is written down while
// they read its first element; a later one of which they would read the same, but for its name and
// the like, makes the same pod, but for those. Texts that nobody reads do not matter.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codec/drafts.hpp"
#include "codec/moulds.hpp"

namespace gedge::codec {

/// Entries of a mould's tape with texts that each pod has for itself; 0: the same for all.
struct OwnTexts {
  std::uint32_t name = 0, namespace_name = 0, uid = 0, created = 0, started = 0, node = 0;
  friend bool operator==(const OwnTexts&, const OwnTexts&) = default;
};

/// The pods of one text.
class KnownPods {
 public:
  struct Known {
    PodEntry entry;  // without its own texts
    const OwnTexts* own = nullptr;
    bool is_its_own_workload = false;
  };

  /// The pod that was made of an element with these texts; null where there was none.
  const Known* find(const Mould& mould);
  /// Whether it is worth remembering another one of this mould.
  bool is_open(const Mould& mould) const;
  /// What was made of an element. `read`: entries whose texts were read for that.
  void remember(const Mould& mould, Cursor element, const PodEntry& entry,
                std::vector<std::uint32_t> read);
  /// Something else than a pod was made of it, or something was said about it.
  void give_up(const Mould& mould) { state_of(mould).is_open = false; }
  void clear() { states_.clear(); }

 private:
  static constexpr std::size_t kMaxKnown = 256;  // of one mould

  struct State {
    bool is_open = true;
    OwnTexts own;
    std::vector<std::uint32_t> others;  // entries that are read, and have to be the same
    std::map<std::string, Known, std::less<>> known;  // by those texts
    std::size_t open = 0;                             // how many texts of the mould differ
    bool others_differ = false;
    const Known* last = nullptr;
    std::string last_texts;
  };
  State& state_of(const Mould& mould);
  void put_texts(const Mould& mould, const State& state);
  static bool differ(const Mould& mould, const std::vector<std::uint32_t>& entries);

  std::vector<std::unique_ptr<State>> states_;  // by number of the mould
  std::string texts_;
};

}  // namespace gedge::codec
