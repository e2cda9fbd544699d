#include "policy/domain_rows.hpp"

namespace gedge {

void touch_domain(Touched& touched, const TopologyColumn& column, DomainIndex domain) {
  if (touched.all) return;
  const std::size_t slots = column.domain_of.size();
  if (touched.rows.size() != slots) touched.rows = NodeMask(slots);
  for (const WordRows& part : column.rows_of(domain)) touched.rows.add(part.word, part.bits);
}

}  // namespace gedge
