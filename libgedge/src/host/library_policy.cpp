// host/library_policy.cpp - what a module says of one policy: is it within the contract?
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "host/library.hpp"
#include "host/module_file.hpp"

namespace gedge {
namespace {

constexpr std::size_t kLongestName = 63, kLongestLine = 255, kLongestKey = 317, kMostKeys = 1000;
constexpr std::uint32_t kKnownReads = GEDGE_READS_NODE | GEDGE_READS_USAGE |
                                      GEDGE_READS_POD_NAMESPACE | GEDGE_READS_POD_REQUESTS |
                                      GEDGE_READS_POD_BUDGETS | GEDGE_READS_ANYTHING;

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_letter_or_digit(char c) {
  return is_upper(c) || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool is_camel_case(const char* name) {
  if (!is_upper(*name)) return false;
  const std::size_t length = ::strnlen(name, kLongestName + 1);
  if (length > kLongestName) return false;
  for (std::size_t i = 0; i < length; ++i)
    if (!is_letter_or_digit(name[i])) return false;
  return true;
}

// Length of the well-formed UTF-8 sequence at `at`, 0 if there is none (RFC 3629, section 4).
std::size_t utf8_length(const unsigned char* at) {
  if (at[0] < 0x80) return 1;
  const std::size_t length = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
  if (at[0] < 0xc2 || at[0] > 0xf4) return 0;
  const unsigned char low = at[0] == 0xe0 ? 0xa0 : at[0] == 0xf0 ? 0x90 : 0x80;
  const unsigned char high = at[0] == 0xed ? 0x9f : at[0] == 0xf4 ? 0x8f : 0xbf;
  if (at[1] < low || at[1] > high) return 0;
  for (std::size_t i = 2; i < length; ++i)
    if ((at[i] & 0xc0) != 0x80) return 0;
  return length;
}

struct Reading {
  const std::string& path;
  LoadedPolicy& out;

  Error refuse(std::string what, std::string hint = {}) const {
    return module_error(path, "policy '" + out.name + "' " + std::move(what), std::move(hint));
  }
  Status line(const char* text, std::string_view field, std::string& copy) const {
    if (text == nullptr) return {};
    if (!is_line(text, kLongestLine))
      return refuse("has a " + std::string(field) + " that is not one line of at most " +
                    std::to_string(kLongestLine) + " bytes");
    copy = text;
    return {};
  }
  Status keys(const char* const* list, std::string_view field,
              std::vector<std::string>& copy) const {
    for (; list != nullptr && *list != nullptr; ++list) {
      if (!is_line(*list, kLongestKey) || copy.size() == kMostKeys)
        return refuse("has " + std::string(field) + " that are no list of keys",
                      "end the list with a null");
      copy.emplace_back(*list);
    }
    return {};
  }
  Status numbers() const;
};

Status Reading::numbers() const {
  const gedge_policy& given = out.functions;
  if ((given.reads & ~kKnownReads) != 0)
    return refuse("reads things that this gedge does not know: " + std::to_string(given.reads),
                  "`reads` is GEDGE_READS_* or-ed");
  if (given.normalize > GEDGE_NORMALIZE_MIN_MAX)
    return refuse(
        "names a normalisation that this gedge does not know: " + std::to_string(given.normalize),
        "`normalize` is one of GEDGE_NORMALIZE_*");
  if (given.reserved != 0) return refuse("sets a reserved field", "leave it 0");
  if (given.filter == nullptr && given.score == nullptr)
    return refuse("is neither a filter nor a score", "give it `filter`, `score` or both");
  return {};
}

}  // namespace

bool is_line(const char* text, std::size_t longest) {
  const auto* at = reinterpret_cast<const unsigned char*>(text);
  const std::size_t size = ::strnlen(text, longest + 1);
  if (size == 0 || size > longest) return false;
  for (const auto* end = at + size; at < end;) {
    const std::size_t length = utf8_length(at);  // the final zero ends a sequence that is cut off
    if (length == 0 || *at < 0x20 || *at == 0x7f) return false;
    at += length;
  }
  return true;
}

Result<LoadedPolicy> read_policy(const std::string& path, const gedge_policy& policy) {
  if (policy.size < sizeof(gedge_policy) || policy.size > kLargestStruct)
    return module_error(path,
                        "a policy of the module says that it has " + std::to_string(policy.size) +
                            " bytes, and it has " + std::to_string(sizeof(gedge_policy)),
                        "set its size to sizeof(gedge_policy)");
  if (policy.name == nullptr) return module_error(path, "a policy of the module has no name");
  if (!is_camel_case(policy.name)) {
    const std::string name = is_line(policy.name, kLongestLine) ? policy.name : "...";
    return module_error(path, "'" + name + "' is no name of a policy",
                        "use CamelCase: letters and digits, at most 63");
  }
  LoadedPolicy read;
  read.name = policy.name;
  read.functions = policy;
  const Reading reading{path, read};
  GEDGE_TRY(reading.numbers());
  GEDGE_TRY(reading.line(policy.formula, "formula", read.formula));
  GEDGE_TRY(reading.line(policy.range, "range", read.range));
  GEDGE_TRY(reading.line(policy.source, "source", read.source));
  GEDGE_TRY(reading.keys(policy.pod_labels, "pod_labels", read.pod_labels));
  GEDGE_TRY(reading.keys(policy.pod_annotations, "pod_annotations", read.pod_annotations));
  return read;
}

}  // namespace gedge
