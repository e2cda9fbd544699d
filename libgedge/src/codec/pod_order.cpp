#include "codec/pod_order.hpp"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>

#include "codec/flat_index.hpp"
#include "gedge/base/prefetch.hpp"

namespace gedge::codec {
namespace {

auto workload_key(const Pod& pod) {
  return std::tie(pod.namespace_name, pod.workload_name, pod.workload_kind);
}

std::uint64_t hash_of(const Pod& pod) {
  const auto hash = [](const std::string& text, std::uint64_t seed) {
    return XXH3_64bits_withSeed(text.data(), text.size(), seed);
  };
  return hash(pod.workload_name, hash(pod.namespace_name, 0) + pod.workload_kind.size());
}

// Eight bytes from `at` on as a number that sorts as they do.
std::uint64_t word_at(std::string_view text, std::size_t at) {
  std::uint64_t word = 0;
  if constexpr (std::endian::native == std::endian::little) {
    if (at + sizeof word <= text.size()) {
      std::memcpy(&word, text.data() + at, sizeof word);
      return __builtin_bswap64(word);
    }
  }
  for (std::size_t i = at; i < at + sizeof word; ++i)
    word = word << 8 | (i < text.size() ? static_cast<unsigned char>(text[i]) : 0u);
  return word;
}

/// A workload, and the next bytes of its name.
struct Ranked {
  std::string_view name;
  std::uint64_t word = 0;
  std::uint32_t workload = 0;
  bool equals_last = false;  // in everything, once they are in order
};

class Ranking {
 public:
  explicit Ranking(const std::vector<Pod>& pods) : pods_(pods), workload_of_(pods.size()) {
    find_workloads();
    sort_workloads();
  }

  /// Indices of pods, in order.
  std::vector<std::uint32_t> order() const;

 private:
  using Iterator = std::vector<Ranked>::iterator;
  // Fewer are sorted by whole names.
  static constexpr std::ptrdiff_t kFew = 24;

  void find_workloads();
  void sort_workloads();
  void sort_words(Iterator first, Iterator last);
  void sort_bytes(Iterator first, Iterator last, int shift);
  void sort_names(Iterator first, Iterator last, std::size_t at);
  void sort_equals(Iterator first, Iterator last);
  const Pod& pod_of(const Ranked& one) const { return pods_[first_pod_[one.workload]]; }

  const std::vector<Pod>& pods_;
  std::vector<std::uint32_t> workload_of_;  // of each pod
  std::vector<std::uint32_t> first_pod_;    // of each workload
  std::vector<std::uint32_t> rank_of_;      // of each workload
  std::uint32_t ranks_ = 0;
  std::vector<Ranked> scratch_;
};

// Pods that nothing made are workloads of their own, and not looked for: those of one name get one
// rank.
void Ranking::find_workloads() {
  FlatIndex index;
  for (std::uint32_t i = 0; i < pods_.size(); ++i) {
    const auto next = static_cast<std::uint32_t>(first_pod_.size());
    if (pods_[i].workload_kind == "Pod") {
      workload_of_[i] = next;
      first_pod_.push_back(i);
      continue;
    }
    if (i > 0 && workload_key(pods_[i]) == workload_key(pods_[i - 1])) {
      workload_of_[i] = workload_of_[i - 1];
      continue;
    }
    const auto same = [&](std::uint32_t workload) {
      return workload_key(pods_[workload]) == workload_key(pods_[i]);
    };
    const std::uint32_t first = index.find_or_add(hash_of(pods_[i]), i, same);
    workload_of_[i] = first == i ? next : workload_of_[first];
    if (first == i) first_pod_.push_back(i);
  }
}

void Ranking::sort_workloads() {
  std::map<std::string_view, std::uint64_t> spaces;
  for (const std::uint32_t pod : first_pod_)
    if (pod == 0 || pods_[pod].namespace_name != pods_[pod - 1].namespace_name)
      spaces.try_emplace(pods_[pod].namespace_name);
  std::uint64_t next = 0;
  for (auto& [space, rank] : spaces) rank = next++;
  std::vector<Ranked> ranked(first_pod_.size());
  for (std::uint32_t w = 0; w < ranked.size(); ++w)
    ranked[w] = {pods_[first_pod_[w]].workload_name, 0, w};
  if (spaces.size() > 1)
    for (Ranked& one : ranked) one.word = spaces.at(pod_of(one).namespace_name);
  sort_words(ranked.begin(), ranked.end());
  for (auto first = ranked.begin(); first != ranked.end();) {
    const std::uint64_t space = first->word;
    const auto last =
        std::find_if(first, ranked.end(), [&](const Ranked& one) { return one.word != space; });
    sort_names(first, last, 0);
    first = last;
  }
  rank_of_.resize(ranked.size());
  for (const Ranked& one : ranked) {
    ranks_ += one.equals_last ? 0 : 1;
    rank_of_[one.workload] = ranks_ - 1;
  }
}

// What has one word stays in the order in which it came, which often is the right one.
void Ranking::sort_words(Iterator first, Iterator last) {
  std::uint64_t differing = 0, before = first->word;
  bool is_sorted = true;
  for (auto one = first; one != last; ++one) {
    differing |= one->word ^ first->word;
    is_sorted = is_sorted && before <= one->word;
    before = one->word;
  }
  if (is_sorted) return;
  for (int shift = 0; shift < 64; shift += 8)
    if ((differing >> shift & 0xFF) != 0) sort_bytes(first, last, shift);
}

// By one byte of their words; equal ones stay as they came.
void Ranking::sort_bytes(Iterator first, Iterator last, int shift) {
  std::array<std::uint32_t, 257> begin{};
  for (auto one = first; one != last; ++one) ++begin[(one->word >> shift & 0xFF) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  scratch_.assign(first, last);
  for (const Ranked& one : scratch_) first[begin[one.word >> shift & 0xFF]++] = one;
}

// Workloads of one namespace whose names agree up to `at`, in the order in which they came.
void Ranking::sort_names(Iterator first, Iterator last, std::size_t at) {
  constexpr std::size_t kLongest = 256;  // names are hardly ever longer
  if (last - first < kFew || at >= kLongest) return sort_equals(first, last);
  bool is_end = true;
  for (auto one = first; one != last; ++one) {
    one->word = word_at(one->name, at);
    is_end = is_end && one->name.size() <= at + sizeof one->word;
  }
  sort_words(first, last);
  for (auto group = first; group != last;) {
    const std::uint64_t word = group->word;
    auto next = group + 1;
    while (next != last && next->word == word) ++next;
    if (next - group == 1) {
      // Nothing else has its name.
    } else if (is_end) {
      sort_equals(group, next);
    } else {
      sort_names(group, next, at + sizeof word);
    }
    group = next;
  }
}

// Workloads of one namespace.
void Ranking::sort_equals(Iterator first, Iterator last) {
  const auto before = [&](const Ranked& a, const Ranked& b) {
    if (const int names = a.name.compare(b.name); names != 0) return names < 0;
    return pod_of(a).workload_kind < pod_of(b).workload_kind;
  };
  if (!std::is_sorted(first, last, before)) std::sort(first, last, before);
  for (auto one = first + 1; one != last; ++one) one->equals_last = !before(*(one - 1), *one);
}

std::vector<std::uint32_t> Ranking::order() const {
  std::vector<std::uint32_t> begin(ranks_ + 1), order(pods_.size());
  const auto rank = [&](std::uint32_t pod) { return rank_of_[workload_of_[pod]]; };
  for (std::uint32_t i = 0; i < pods_.size(); ++i) ++begin[rank(i) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<std::uint32_t> end(begin.begin(), begin.end() - 1);
  for (std::uint32_t i = 0; i < pods_.size(); ++i) order[end[rank(i)]++] = i;
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    return std::tie(pods_[a].ordinal, pods_[a].name) < std::tie(pods_[b].ordinal, pods_[b].name);
  };
  for (std::uint32_t r = 0; r < ranks_; ++r) {
    const auto first = order.begin() + begin[r], last = order.begin() + begin[r + 1];
    if (last - first > 1 && !std::is_sorted(first, last, before)) std::sort(first, last, before);
  }
  return order;
}

// Every pod moves to its place, and the one that stood there on to its own. Which ones come next is
// known before they are needed.
void put_in_order(std::vector<Pod>& pods, std::vector<std::uint32_t> order) {
  constexpr int kAhead = 8;
  const auto fetch = [&](std::uint32_t at) { prefetch(&pods[at], sizeof(Pod)); };
  for (std::uint32_t start = 0; start < order.size(); ++start) {
    if (order[start] == start) continue;
    std::uint32_t ahead = start;
    for (int i = 0; i < kAhead; ++i) fetch(ahead = order[ahead]);
    Pod first = std::move(pods[start]);
    std::uint32_t at = start;
    for (std::uint32_t from = order[at]; from != start; from = order[at]) {
      fetch(ahead = order[ahead]);
      pods[at] = std::move(pods[from]);
      order[at] = at;
      at = from;
    }
    pods[at] = std::move(first);
    order[at] = at;
  }
}

}  // namespace

void sort_pods(std::vector<Pod>& pods) {
  if (std::is_sorted(pods.begin(), pods.end(), comes_before)) return;
  put_in_order(pods, Ranking(pods).order());
}

}  // namespace gedge::codec
