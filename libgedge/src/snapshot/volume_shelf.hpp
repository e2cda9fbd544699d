// snapshot/volume_shelf.hpp - free volumes for claims of one kind: of one class, with the same
// access modes and the same selector. Only sizes differ.
//
// Volumes with one node affinity are a group, and rows that the same groups reach are a patch:
// disks of single nodes make a patch a node, volumes of zones one a zone. What a claim finds on a
// row, it finds on all of the patch, and a volume that is taken or given back changes the answer of
// the patches that its group reaches, no others.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "snapshot/label_rows.hpp"

namespace gedge {

class VolumeShelf {
 public:
  struct Item {
    const PersistentVolume* volume = nullptr;
    std::uint32_t reach = 0;  ///< which of the sets of rows
  };

  /// `items`: all free, whatever is taken first of those that suit a claim before the others.
  VolumeShelf(std::span<const Item> items, const std::deque<RowSet>& reaches, std::size_t slots);

  /// An item that is not free is not looked at: its volume may have become another.
  void change(std::uint32_t item, bool is_free);

  /// The first free volume of that size or more that reaches the row and is not among `others`;
  /// null where there is none. Cost: O(groups that reach the row * log volumes).
  const PersistentVolume* find(NodeIndex row, std::int64_t bytes,
                               std::span<const PersistentVolume* const> others) const;
  /// Rows on which claims of these sizes, ascending, find a volume each, one after the other. Lives
  /// until the next call. Cost: that of find for patches that changed since claims like these were
  /// last asked about, and O(patches) where the largest claim had another size.
  const NodeMask& rows(std::span<const std::int64_t> bytes);

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::int64_t kNothing = std::numeric_limits<std::int64_t>::min();

  struct Group {
    std::set<std::uint32_t> free;  // items
    std::vector<std::uint32_t> patches;
  };
  struct Patch {
    std::vector<std::uint32_t> groups;
    RowSet rows;
  };
  struct Event {
    std::uint32_t group = 0;
    bool is_outermost = false;  // the largest free volume of the group is another one
  };
  // For claims that differ in the size of the largest alone.
  struct Answer {
    std::vector<std::int64_t> others;        // sizes of the smaller ones
    std::vector<std::uint32_t> first_items;  // that are as large
    std::vector<std::int64_t> most;          // [patches]: what the largest may ask for
    std::optional<std::int64_t> asked;
    NodeMask rows;  // where that is so
    std::size_t heard = 0;
    std::uint64_t last_used = 0;
  };

  void lay_out(std::span<const std::uint32_t> reach_of_group, const std::deque<RowSet>& reaches);
  std::uint32_t first_of(std::int64_t bytes) const;
  std::int64_t largest(const Group& group) const;
  template <typename F>
  std::uint32_t first_free(const Patch& patch, std::uint32_t from, F&& is_out) const;
  std::int64_t most_left(const Patch& patch, const Answer& answer) const;
  Answer& answer_for(std::span<const std::int64_t> others);
  bool follow(Answer& answer);
  void update(Answer& answer, std::uint32_t patch);

  std::vector<const PersistentVolume*> volumes_;  // [items]
  std::vector<std::int64_t> bytes_;               // [items], of the volumes
  std::vector<std::uint32_t> group_of_;           // [items]
  std::vector<Group> groups_;
  std::vector<Patch> patches_;
  std::vector<std::uint32_t> patch_of_;  // [slots]; kNone where no volume reaches
  std::vector<Event> events_;            // the latest ones
  std::size_t forgotten_ = 0;            // events before those
  std::vector<Answer> answers_;          // of claims that were asked about lately
  std::uint64_t clock_ = 0;
};

}  // namespace gedge
