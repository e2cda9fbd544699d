// gedge/model/resources.hpp - amounts by resource name, as exact integers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gedge {

inline constexpr std::string_view kCpu = "cpu";
inline constexpr std::string_view kMemory = "memory";
inline constexpr std::string_view kEphemeralStorage = "ephemeral-storage";
inline constexpr std::string_view kPods = "pods";

/// cpu in thousandths of a core, everything else in units (bytes, pieces), rounded up as Kubernetes
/// does. Sorted by name. A resource that is present with 0 differs from an absent one.
class Resources {
 public:
  using Entry = std::pair<std::string, std::int64_t>;
  Resources() = default;
  Resources(std::initializer_list<Entry> entries) {
    for (const Entry& entry : entries) set(entry.first, entry.second);
  }
  std::optional<std::int64_t> find(std::string_view name) const {
    const auto at = lower(name);
    if (at == entries_.end() || at->first != name) return std::nullopt;
    return at->second;
  }
  std::int64_t amount(std::string_view name) const { return find(name).value_or(0); }
  void set(std::string_view name, std::int64_t amount) {
    const auto at = entries_.begin() + (lower(name) - entries_.begin());
    if (at != entries_.end() && at->first == name)
      at->second = amount;
    else
      entries_.emplace(at, name, amount);
  }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  friend bool operator==(const Resources&, const Resources&) = default;
  friend auto operator<=>(const Resources&, const Resources&) = default;

 private:
  std::vector<Entry>::const_iterator lower(std::string_view name) const {
    return std::lower_bound(entries_.begin(), entries_.end(), name,
                            [](const Entry& e, std::string_view n) { return e.first < n; });
  }
  std::vector<Entry> entries_;
};

}  // namespace gedge
