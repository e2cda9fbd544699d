#include "codec/pod_order.hpp"

#include <xxhash.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

#include "codec/flat_index.hpp"

namespace gedge::codec {
namespace {

auto workload_key(const Pod& pod) {
  return std::tie(pod.namespace_name, pod.workload_name, pod.workload_kind);
}

bool comes_before(const Pod& a, const Pod& b) {
  return std::tie(a.namespace_name, a.workload_name, a.workload_kind, a.ordinal, a.name) <
         std::tie(b.namespace_name, b.workload_name, b.workload_kind, b.ordinal, b.name);
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
  for (std::size_t i = at; i < at + 8; ++i)
    word = word << 8 | (i < text.size() ? static_cast<unsigned char>(text[i]) : 0u);
  return word;
}

/// A workload: its namespace, and the next bytes of its name.
struct Ranked {
  std::uint32_t space = 0, workload = 0;
  std::uint64_t first = 0, second = 0;
};

/// A pod by the rank of its workload.
struct Numbered {
  std::uint32_t rank = 0, pod = 0;
  std::int64_t ordinal = 0;
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
  void find_workloads();
  std::vector<Ranked> keys_of_workloads() const;
  void sort_workloads();

  const std::vector<Pod>& pods_;
  std::vector<std::uint32_t> workload_of_;  // of each pod
  std::vector<std::uint32_t> first_pod_;    // of each workload
  std::vector<std::uint32_t> rank_of_;      // of each workload
};

void Ranking::find_workloads() {
  FlatIndex index;
  for (std::uint32_t i = 0; i < pods_.size(); ++i) {
    if (i > 0 && workload_key(pods_[i]) == workload_key(pods_[i - 1])) {
      workload_of_[i] = workload_of_[i - 1];
      continue;
    }
    const auto next = static_cast<std::uint32_t>(first_pod_.size());
    const auto same = [&](std::uint32_t workload) {
      return workload_key(pods_[first_pod_[workload]]) == workload_key(pods_[i]);
    };
    workload_of_[i] = index.find_or_add(hash_of(pods_[i]), next, same);
    if (workload_of_[i] == next) first_pod_.push_back(i);
  }
}

// Names of workloads often begin alike: words are taken behind what all have in common.
std::vector<Ranked> Ranking::keys_of_workloads() const {
  std::map<std::string_view, std::uint32_t> spaces;
  const std::string_view sample = pods_[first_pod_.front()].workload_name;
  std::size_t common = sample.size();
  for (const std::uint32_t pod : first_pod_) {
    spaces.try_emplace(pods_[pod].namespace_name);
    const std::string_view name = std::string_view(pods_[pod].workload_name).substr(0, common);
    const auto end = std::mismatch(name.begin(), name.end(), sample.begin()).first;
    common = static_cast<std::size_t>(end - name.begin());
  }
  std::uint32_t next = 0;
  for (auto& [space, rank] : spaces) rank = next++;
  std::vector<Ranked> keys(first_pod_.size());
  for (std::uint32_t w = 0; w < keys.size(); ++w) {
    const Pod& pod = pods_[first_pod_[w]];
    keys[w] = {spaces[pod.namespace_name], w, word_at(pod.workload_name, common),
               word_at(pod.workload_name, common + 8)};
  }
  return keys;
}

void Ranking::sort_workloads() {
  std::vector<Ranked> keys = keys_of_workloads();
  std::sort(keys.begin(), keys.end(), [&](const Ranked& a, const Ranked& b) {
    if (a.space != b.space) return a.space < b.space;
    if (a.first != b.first) return a.first < b.first;
    if (a.second != b.second) return a.second < b.second;
    return workload_key(pods_[first_pod_[a.workload]]) <
           workload_key(pods_[first_pod_[b.workload]]);
  });
  rank_of_.resize(keys.size());
  for (std::uint32_t rank = 0; rank < keys.size(); ++rank) rank_of_[keys[rank].workload] = rank;
}

std::vector<std::uint32_t> Ranking::order() const {
  std::vector<Numbered> numbered(pods_.size());
  for (std::uint32_t i = 0; i < pods_.size(); ++i)
    numbered[i] = {rank_of_[workload_of_[i]], i, pods_[i].ordinal};
  std::sort(numbered.begin(), numbered.end(), [&](const Numbered& a, const Numbered& b) {
    if (a.rank != b.rank) return a.rank < b.rank;
    if (a.ordinal != b.ordinal) return a.ordinal < b.ordinal;
    return pods_[a.pod].name < pods_[b.pod].name;
  });
  std::vector<std::uint32_t> order(pods_.size());
  std::transform(numbered.begin(), numbered.end(), order.begin(),
                 [](const Numbered& one) { return one.pod; });
  return order;
}

}  // namespace

void sort_pods(std::vector<Pod>& pods) {
  if (std::is_sorted(pods.begin(), pods.end(), comes_before)) return;
  std::vector<Pod> sorted;
  sorted.reserve(pods.size());
  for (const std::uint32_t i : Ranking(pods).order()) sorted.push_back(std::move(pods[i]));
  pods = std::move(sorted);
}

}  // namespace gedge::codec
