#include "gedge/effect/overcommit.hpp"

#include <string_view>

#include "gedge/base/quantity.hpp"

namespace gedge {
namespace {

std::string amount_text(std::string_view resource, std::int64_t amount) {
  if (resource == "cpu") return format_milli(amount);
  const bool is_bytes =
      resource == "memory" || resource == "ephemeral-storage" || resource.starts_with("hugepages-");
  return is_bytes ? format_bytes(amount) : std::to_string(amount);
}

}  // namespace

std::string to_string(const std::vector<TooMuch>& amounts) {
  std::string text;
  for (const TooMuch& amount : amounts) {
    if (!text.empty()) text += ", ";
    text += amount_text(amount.resource, amount.requested) + " of " +
            amount_text(amount.resource, amount.allocatable) + ' ' + amount.resource;
  }
  return text;
}

}  // namespace gedge
