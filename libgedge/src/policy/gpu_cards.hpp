// policy/gpu_cards.hpp - GPU cards of a node, and which pods lie on which card.
//
// Conventions of alibaba/open-gpu-share as the openb trace uses them:
//   node  allocatable alibabacloud.com/gpu-count: cards, 1000 thousandths each
//         label alibabacloud.com/gpu-card-model
//   pod   annotations alibabacloud.com/gpu-milli: thousandths of each card (absent: whole cards)
//                     alibabacloud.com/gpu-count: cards (absent: 1)
//                     alibabacloud.com/gpu-card-model: "A|B", either
//                     alibabacloud.com/gpu-index: "0-1", its cards; means something only on the
//                     node that the pod was bound to from the start
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gedge/snapshot/cluster_state.hpp"

namespace gedge {

inline constexpr std::int64_t kWholeCard = 1000;

/// What one pod asks of GPU cards.
struct GpuRequest {
  std::int64_t cards = 0;            ///< 0: none
  std::int64_t share = 0;            ///< thousandths of each card
  std::vector<std::string> models;   ///< empty: any
  std::vector<std::size_t> indexes;  ///< cards that somebody chose already
};

/// Reads the annotations; what cannot be read as a positive number asks for nothing.
GpuRequest gpu_request(const PodSpec& spec);

/// Free thousandths of each card of one node.
class GpuCards {
 public:
  explicit GpuCards(std::int64_t cards);
  std::size_t size() const { return free_.size(); }
  const std::vector<std::int64_t>& free() const { return free_; }

  /// True if the request fits on single cards: as many cards as asked for, each with that share.
  bool fits(const GpuRequest& request) const;
  /// The share that the asked number of cards could give, each: 0 if the node has fewer cards.
  std::int64_t best_share(const GpuRequest& request) const;
  /// Takes the fullest cards that suffice, ties by card number; where nothing suffices (a pod that
  /// was placed by somebody else) the emptiest cards are overdrawn.
  void place(const GpuRequest& request);
  /// Takes the cards that the request names, as far as they exist.
  void place_as_told(const GpuRequest& request);

 private:
  bool before(std::size_t a, std::size_t b, std::int64_t share) const;
  std::vector<std::int64_t> free_;  // [cards]
};

}  // namespace gedge
