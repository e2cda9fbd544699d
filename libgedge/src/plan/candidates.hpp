// plan/candidates.hpp - single edits that could remove one objection against a node.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "gedge/plan/edit.hpp"
#include "gedge/plan/engine.hpp"

namespace gedge {

/// An edit and how large it is: amounts in millionths of what they change; whole things (a taint, a
/// pod) count as all of it. Ordered by size, then text.
struct Candidate {
  std::int64_t size_ppm = 0;
  std::string text;
  Edit edit;
  friend bool operator<(const Candidate& a, const Candidate& b) {
    return a.size_ppm != b.size_ppm ? a.size_ppm < b.size_ppm : a.text < b.text;
  }
};

using Candidates = std::set<Candidate>;
using EditSet = std::vector<Candidate>;

/// True if both edits change the same thing, so that one of them undoes the other.
bool same_subject(const Edit& a, const Edit& b);

/// Makes a candidate of an edit whose size is `part` of `whole`; whole <= 0: all of it.
Candidate candidate(Edit edit, std::int64_t part = 1, std::int64_t whole = 1);

/// Adds edits that may remove `rejection` of the unplaced `pod` on `node`, but none larger than
/// `most_ppm`. Not every one of them does: try them. Moves of pods are tried only where the
/// presence of a pod elsewhere can help (affinity, spread, budgets).
void add_candidates(const ClusterState& cluster, PodIndex pod, NodeIndex node,
                    const Rejection& rejection, Candidates& out, std::int64_t most_ppm = kNoBound);

}  // namespace gedge
