#include "snapshot/volume_shelf.hpp"

#include <algorithm>
#include <bit>
#include <map>

namespace gedge {
namespace {

constexpr std::size_t kMostAnswers = 16, kMostEvents = 4096;

template <typename T>
bool is_among(const std::vector<T>& all, const T& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

}  // namespace

VolumeShelf::VolumeShelf(std::span<const Item> items, const std::deque<RowSet>& reaches,
                         std::size_t slots)
    : patch_of_(slots, kNone) {
  std::map<std::uint32_t, std::uint32_t> group_of_reach;
  std::vector<std::uint32_t> reach_of_group;
  for (const Item& item : items) {
    const auto fresh = static_cast<std::uint32_t>(groups_.size());
    const auto [at, is_new] = group_of_reach.try_emplace(item.reach, fresh);
    if (is_new) {
      groups_.emplace_back();
      reach_of_group.push_back(item.reach);
    }
    groups_[at->second].free.insert(static_cast<std::uint32_t>(volumes_.size()));
    volumes_.push_back(item.volume);
    bytes_.push_back(item.volume->capacity_bytes);
    group_of_.push_back(at->second);
  }
  lay_out(reach_of_group, reaches);
}

// Patches, from the rows that the groups reach.
void VolumeShelf::lay_out(std::span<const std::uint32_t> reach_of_group,
                          const std::deque<RowSet>& reaches) {
  std::vector<std::vector<std::uint32_t>> groups_of_row(patch_of_.size());
  for (std::uint32_t group = 0; group < groups_.size(); ++group)
    for (const WordRows& part : reaches[reach_of_group[group]])
      for (std::uint64_t bits = part.bits; bits != 0; bits &= bits - 1)
        groups_of_row[part.word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits))]
            .push_back(group);
  std::map<std::vector<std::uint32_t>, std::uint32_t> patch_of_groups;
  for (std::uint32_t row = 0; row < patch_of_.size(); ++row) {
    if (groups_of_row[row].empty()) continue;
    const auto fresh = static_cast<std::uint32_t>(patches_.size());
    const auto [at, is_new] = patch_of_groups.try_emplace(std::move(groups_of_row[row]), fresh);
    if (is_new) {
      patches_.push_back({at->first, {}});
      for (const std::uint32_t group : at->first) groups_[group].patches.push_back(fresh);
    }
    patch_of_[row] = at->second;
    add_row(patches_[at->second].rows, NodeIndex{row});
  }
}

std::int64_t VolumeShelf::largest(const Group& group) const {
  return group.free.empty() ? kNothing : bytes_[*group.free.rbegin()];
}

void VolumeShelf::change(std::uint32_t item, bool is_free) {
  Group& group = groups_[group_of_[item]];
  const std::int64_t before = largest(group);
  if (is_free)
    group.free.insert(item);
  else
    group.free.erase(item);
  if (events_.size() == kMostEvents) {
    forgotten_ += events_.size();
    events_.clear();
  }
  events_.push_back({group_of_[item], largest(group) != before});
}

// The first item of that size or more; bytes_.size() if there is none.
std::uint32_t VolumeShelf::first_of(std::int64_t bytes) const {
  const auto at = std::lower_bound(bytes_.begin(), bytes_.end(), bytes);
  return static_cast<std::uint32_t>(at - bytes_.begin());
}

// The first free item of the patch at or behind `from`; kNone if there is none.
template <typename F>
std::uint32_t VolumeShelf::first_free(const Patch& patch, std::uint32_t from, F&& is_out) const {
  std::uint32_t best = kNone;
  for (const std::uint32_t g : patch.groups) {
    const std::set<std::uint32_t>& free = groups_[g].free;
    const auto at = std::find_if_not(free.lower_bound(from), free.end(), is_out);
    if (at != free.end()) best = std::min(best, *at);
  }
  return best;
}

const PersistentVolume* VolumeShelf::find(NodeIndex row, std::int64_t bytes,
                                          std::span<const PersistentVolume* const> others) const {
  const std::uint32_t patch = patch_of_[raw(row)];
  if (patch == kNone) return nullptr;
  const std::uint32_t found = first_free(patches_[patch], first_of(bytes), [&](std::uint32_t item) {
    return std::find(others.begin(), others.end(), volumes_[item]) != others.end();
  });
  return found == kNone ? nullptr : volumes_[found];
}

// The most that a claim may ask for behind those claims; kNothing where they or it find none.
std::int64_t VolumeShelf::most_left(const Patch& patch, const Answer& answer) const {
  std::vector<std::uint32_t> chosen;
  const auto is_chosen = [&](std::uint32_t item) { return is_among(chosen, item); };
  for (const std::uint32_t first : answer.first_items) {
    chosen.push_back(first_free(patch, first, is_chosen));
    if (chosen.back() == kNone) return kNothing;
  }
  std::int64_t most = kNothing;
  for (const std::uint32_t g : patch.groups) {
    const std::set<std::uint32_t>& free = groups_[g].free;
    const auto at = std::find_if_not(free.rbegin(), free.rend(), is_chosen);
    if (at != free.rend()) most = std::max(most, bytes_[*at]);
  }
  return most;
}

// One that was not asked for lately makes way.
VolumeShelf::Answer& VolumeShelf::answer_for(std::span<const std::int64_t> others) {
  const auto known = std::find_if(answers_.begin(), answers_.end(), [&](const Answer& answer) {
    return std::equal(others.begin(), others.end(), answer.others.begin(), answer.others.end());
  });
  if (known != answers_.end()) return *known;
  Answer made;
  made.others.assign(others.begin(), others.end());
  for (const std::int64_t bytes : others) made.first_items.push_back(first_of(bytes));
  made.rows = NodeMask(patch_of_.size());
  if (answers_.size() < kMostAnswers) return answers_.emplace_back(std::move(made));
  const auto oldest =
      std::min_element(answers_.begin(), answers_.end(),
                       [](const Answer& a, const Answer& b) { return a.last_used < b.last_used; });
  return *oldest = std::move(made);
}

void VolumeShelf::update(Answer& answer, std::uint32_t patch) {
  const std::int64_t was = answer.most[patch], now = most_left(patches_[patch], answer);
  answer.most[patch] = now;
  if (!answer.asked || (was >= *answer.asked) == (now >= *answer.asked)) return;
  if (now >= *answer.asked)
    add_rows(answer.rows, patches_[patch].rows);
  else
    take_rows(answer.rows, patches_[patch].rows);
}

// False where there is less to do from the beginning.
bool VolumeShelf::follow(Answer& answer) {
  if (answer.most.empty() || answer.heard < forgotten_) return false;
  const auto news = std::span(events_).subspan(answer.heard - forgotten_);
  std::size_t work = 0;
  const auto matters = [&](const Event& event) {
    return event.is_outermost || !answer.others.empty();
  };
  for (const Event& event : news)
    if (matters(event)) work += groups_[event.group].patches.size();
  if (work > patches_.size()) return false;
  for (const Event& event : news)
    if (matters(event))
      for (const std::uint32_t patch : groups_[event.group].patches) update(answer, patch);
  return true;
}

const NodeMask& VolumeShelf::rows(std::span<const std::int64_t> bytes) {
  Answer& answer = answer_for(bytes.first(bytes.size() - 1));
  answer.last_used = ++clock_;
  if (!follow(answer)) {
    answer.asked.reset();
    answer.most.resize(patches_.size());
    for (std::uint32_t i = 0; i < patches_.size(); ++i)
      answer.most[i] = most_left(patches_[i], answer);
  }
  answer.heard = forgotten_ + events_.size();
  if (answer.asked == bytes.back()) return answer.rows;
  answer.asked = bytes.back();
  answer.rows.reset();
  for (std::uint32_t i = 0; i < patches_.size(); ++i)
    if (answer.most[i] >= bytes.back()) add_rows(answer.rows, patches_[i].rows);
  return answer.rows;
}

}  // namespace gedge
