#include "policy/domain_rows.hpp"

namespace gedge {

void touch_domain(Touched& touched, const TopologyColumn& column, DomainIndex domain) {
  if (touched.all) return;
  const std::size_t slots = column.domain_of.size();
  for (std::uint32_t row = 0; row < slots; ++row)
    if (column.domain_of[row] == domain) touch(touched, NodeIndex{row}, slots);
}

bool is_one_row_a_domain(const TopologyColumn& column) {
  std::vector<bool> seen(column.domain_count(), false);
  for (const DomainIndex domain : column.domain_of) {
    if (domain == kNoDomain) continue;
    if (seen[domain]) return false;
    seen[domain] = true;
  }
  return true;
}

}  // namespace gedge
