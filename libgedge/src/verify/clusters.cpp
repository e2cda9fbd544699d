#include "gedge/verify/clusters.hpp"

namespace gedge {
namespace {

bool is_within(const RttMatrix& matrix, NameIndex a, NameIndex b, Rtt limit) {
  const Rtt there = matrix.at(a, b), back = matrix.at(b, a);
  if (there == kUnmeasured && back == kUnmeasured) return false;
  return (there == kUnmeasured || there <= limit) && (back == kUnmeasured || back <= limit);
}

}  // namespace

std::vector<std::string> verify_clusters(const RttMatrix& matrix, Rtt limit,
                                         const Clusters& clusters) {
  std::vector<std::string> wrong;
  std::vector<int> times(matrix.size(), 0);
  if (clusters.cluster_of.size() != matrix.size()) wrong.push_back("not every name has a cluster");
  for (std::size_t number = 0; number < clusters.members.size(); ++number) {
    const std::vector<NameIndex>& members = clusters.members[number];
    if (members.empty()) wrong.push_back("a cluster is empty");
    for (std::size_t i = 0; i < members.size(); ++i) {
      const std::string& name = matrix.name(members[i]);
      ++times[raw(members[i])];
      if (raw(members[i]) >= clusters.cluster_of.size() ||
          clusters.cluster_of[raw(members[i])] != number)
        wrong.push_back("'" + name + "' is said to be in another cluster");
      for (std::size_t j = i + 1; j < members.size(); ++j)
        if (!is_within(matrix, members[i], members[j], limit))
          wrong.push_back("'" + name + "' and '" + matrix.name(members[j]) +
                          "' of one cluster are not within the limit");
    }
  }
  for (std::size_t i = 0; i < times.size(); ++i)
    if (times[i] != 1)
      wrong.push_back("'" + matrix.name(NameIndex{static_cast<std::uint32_t>(i)}) + "' is in " +
                      std::to_string(times[i]) + " clusters");
  return wrong;
}

}  // namespace gedge
