#include "gedge/pin/cpu_set.hpp"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <optional>
#include <utility>

namespace gedge {

CpuSet::CpuSet(std::initializer_list<int> cpus) {
  for (const int cpu : cpus) add(cpu);
}

CpuSet CpuSet::range(int first, int last) {
  CpuSet set;
  for (int cpu = first; cpu <= last; ++cpu) set.add(cpu);
  return set;
}

int CpuSet::size() const {
  int count = 0;
  for (const std::uint64_t word : words_) count += std::popcount(word);
  return count;
}

int CpuSet::first() const {
  for (std::size_t word = 0; word < words_.size(); ++word)
    if (words_[word] != 0) return static_cast<int>(word * kBits) + std::countr_zero(words_[word]);
  return -1;
}

int CpuSet::last() const {
  if (words_.empty()) return -1;
  return static_cast<int>(words_.size() * kBits) - 1 - std::countl_zero(words_.back());
}

bool CpuSet::is_subset_of(const CpuSet& other) const {
  if (words_.size() > other.words_.size()) return false;
  for (std::size_t word = 0; word < words_.size(); ++word)
    if ((words_[word] & ~other.words_[word]) != 0) return false;
  return true;
}

bool CpuSet::meets(const CpuSet& other) const {
  const std::size_t shared = std::min(words_.size(), other.words_.size());
  for (std::size_t word = 0; word < shared; ++word)
    if ((words_[word] & other.words_[word]) != 0) return true;
  return false;
}

int CpuSet::common(const CpuSet& other) const {
  int count = 0;
  const std::size_t shared = std::min(words_.size(), other.words_.size());
  for (std::size_t word = 0; word < shared; ++word)
    count += std::popcount(words_[word] & other.words_[word]);
  return count;
}

CpuSet CpuSet::lowest(int count) const {
  CpuSet set;
  int left = count;
  for_each([&](int cpu) {
    if (left-- > 0) set.add(cpu);
  });
  return set;
}

void CpuSet::add(int cpu) {
  assert(cpu >= 0 && cpu <= kLast);
  const std::size_t word = static_cast<std::size_t>(cpu) / kBits;
  if (word >= words_.size()) words_.resize(word + 1);
  words_[word] |= std::uint64_t{1} << (static_cast<std::size_t>(cpu) % kBits);
}

void CpuSet::remove(int cpu) {
  if (!contains(cpu)) return;
  const auto at = static_cast<std::size_t>(cpu);
  words_[at / kBits] &= ~(std::uint64_t{1} << (at % kBits));
  trim();
}

CpuSet& CpuSet::operator|=(const CpuSet& other) {
  if (other.words_.size() > words_.size()) words_.resize(other.words_.size());
  for (std::size_t word = 0; word < other.words_.size(); ++word) words_[word] |= other.words_[word];
  return *this;
}

CpuSet& CpuSet::operator&=(const CpuSet& other) {
  if (words_.size() > other.words_.size()) words_.resize(other.words_.size());
  for (std::size_t word = 0; word < words_.size(); ++word) words_[word] &= other.words_[word];
  trim();
  return *this;
}

CpuSet& CpuSet::operator-=(const CpuSet& other) {
  const std::size_t shared = std::min(words_.size(), other.words_.size());
  for (std::size_t word = 0; word < shared; ++word) words_[word] &= ~other.words_[word];
  trim();
  return *this;
}

std::vector<int> CpuSet::list() const {
  std::vector<int> cpus;
  for_each([&](int cpu) { cpus.push_back(cpu); });
  return cpus;
}

void CpuSet::trim() {
  while (!words_.empty() && words_.back() == 0) words_.pop_back();
}

std::string to_string(const CpuSet& set) {
  std::string text;
  int start = -1, end = -2;
  const auto close = [&] {
    if (start < 0) return;
    if (!text.empty()) text += ',';
    text += std::to_string(start);
    if (end > start) text += '-' + std::to_string(end);
  };
  set.for_each([&](int cpu) {
    if (cpu == end + 1) {
      end = cpu;
      return;
    }
    close();
    start = end = cpu;
  });
  close();
  return text;
}

namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// Takes what stands before `mark` off the front; all of it where there is none.
std::string_view cut(std::string_view& text, char mark) {
  const std::size_t at = text.find(mark);
  const std::string_view front = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view{} : text.substr(at + 1);
  return front;
}

std::optional<int> number(std::string_view text) {
  int value = -1;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = problem == std::errc{} && end == text.data() + text.size();
  if (!whole || value < 0 || value > CpuSet::kLast || text.front() == '-') return std::nullopt;
  return value;
}

Error bad(std::string_view part, std::string_view why) {
  return invalid_input("'" + std::string(part) + "' " + std::string(why), {},
                       "write CPUs as the kernel does: `0-3,8`");
}

Status add_part(CpuSet& set, std::string_view part) {
  std::string_view stride = part;
  std::string_view range = cut(stride, ':');
  const bool strides = range.size() != part.size();
  const bool has_end = range.find('-') != std::string_view::npos;
  const auto first = number(cut(range, '-'));
  const auto last = has_end ? number(range) : first;
  if (!first || !last) return bad(part, "is no CPU and no range of CPUs");
  if (*last < *first) return bad(part, "ends before it begins");
  int used = 1, group = 1;
  if (strides) {
    const auto some = number(cut(stride, '/'));
    const auto all = number(stride);
    if (!has_end || !some || !all || *some < 1 || *all < *some)
      return bad(part, "has a stride that is none");
    used = *some;
    group = *all;
  }
  for (int cpu = *first; cpu <= *last; ++cpu)
    if ((cpu - *first) % group < used) set.add(cpu);
  return {};
}

}  // namespace

Result<CpuSet> parse_cpu_set(std::string_view text) {
  CpuSet set;
  std::string_view left = trimmed(text);
  if (left.empty()) return set;
  while (true) {
    const std::size_t before = left.size();
    const std::string_view part = cut(left, ',');
    GEDGE_TRY(add_part(set, part));
    if (part.size() == before) return set;  // no comma followed
  }
}

}  // namespace gedge
