// gedge/model/labels.hpp - a set of labels or annotations: sorted, flat, cheap to compare.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gedge {

/// Sorted by key, keys unique. Lookup is a binary search.
class Labels {
 public:
  using Entry = std::pair<std::string, std::string>;

  Labels() = default;
  Labels(std::initializer_list<Entry> entries) {
    for (const Entry& entry : entries) set(entry.first, entry.second);
  }

  /// Null where the key is absent; the pointer lives until the next change.
  const std::string* find(std::string_view key) const {
    const auto at = lower(key);
    return at != entries_.end() && at->first == key ? &at->second : nullptr;
  }
  void set(std::string_view key, std::string_view value) {
    const auto at = entries_.begin() + (lower(key) - entries_.begin());
    if (at != entries_.end() && at->first == key)
      at->second = value;
    else
      entries_.emplace(at, key, value);
  }
  void erase(std::string_view key) {
    const auto at = lower(key);
    if (at != entries_.end() && at->first == key) entries_.erase(at);
  }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  friend bool operator==(const Labels&, const Labels&) = default;
  friend auto operator<=>(const Labels&, const Labels&) = default;

 private:
  std::vector<Entry>::const_iterator lower(std::string_view key) const {
    return std::lower_bound(entries_.begin(), entries_.end(), key,
                            [](const Entry& e, std::string_view k) { return e.first < k; });
  }
  std::vector<Entry> entries_;
};

}  // namespace gedge
