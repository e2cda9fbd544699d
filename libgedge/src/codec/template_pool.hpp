// codec/template_pool.hpp - equal pod templates are kept once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "codec/chunks.hpp"
#include "codec/pod_reader.hpp"

namespace gedge::codec {

/// The content of a spec as bytes: equal if and only if the specs are, Places apart.
std::string content_of(const PodSpec& spec);
std::string content_of(const PodTemplate& pod);
/// The same into `out`, whose memory serves again and again.
void put_content(const PodSpec& spec, std::string& out);
void put_content(const PodTemplate& pod, std::string& out);
/// Of a template that has `spec` instead of its own.
void put_content(const PodTemplate& pod, const PodSpec& spec, std::string& out);

/// A short hash as controllers put it into names: ten letters and digits that form no words.
std::string hash_label(std::string_view content);

std::uint64_t hash_content(std::string_view content);

/// Interns values by content; keeps hashes, and compares contents where those agree. `Values` is
/// the list that keeps them.
template <typename T, typename Values = Chunks<T, 64>>
class ContentPool {
 public:
  std::uint32_t intern(T&& value) {
    put_content(value, content_);
    return intern(std::move(value), hash_content(content_));
  }
  /// For values of which a hash is known already. Equal values are kept once if their hashes are
  /// equal; different values may have equal ones.
  std::uint32_t intern(T&& value, std::uint64_t hash) {
    const auto next = static_cast<std::uint32_t>(values_.size());
    for (;; ++hash) {
      const auto [found, fresh] = index_of_.try_emplace(hash, next);
      if (fresh) {
        values_.push_back(std::move(value));
        return next;
      }
      put_content(value, content_);
      if (content_of(values_[found->second]) == content_) return found->second;
    }
  }
  const T& operator[](std::uint32_t index) const { return values_[index]; }
  std::size_t size() const { return values_.size(); }
  T& operator[](std::uint32_t index) { return values_[index]; }
  void reserve(std::size_t size) { values_.reserve(size); }
  /// All of them, by index; the pool is empty afterwards.
  Values take() {
    index_of_.clear();
    return std::exchange(values_, {});
  }

 private:
  Values values_;
  std::string content_;  // of the last value
  std::unordered_map<std::uint64_t, std::uint32_t> index_of_;
};

using TemplatePool = ContentPool<PodTemplate>;
using SpecPool = ContentPool<PodSpec, std::vector<PodSpec>>;

}  // namespace gedge::codec
