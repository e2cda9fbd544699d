// plan/fit_errors.hpp - what kube-scheduler says of a pod that fits nowhere, kept true row by row.
//
// The message counts the reasons of the first filter that rejects each row. Where pods that fit
// nowhere come again and again between pods that do, few rows change in between: for each class the
// reasons of every row are kept, and only rows whose pods changed are asked again, and those that a
// filter rejects, or behind which a filter stands, that looks at pods elsewhere. Where rows say too
// many different things to be kept, they are counted.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "gedge/policy/policy.hpp"
#include "plan/slots.hpp"

namespace gedge {

class FitErrors {
 public:
  FitErrors(const ClusterState& cluster, const std::vector<FilterSlot>& filters, Compat compat)
      : cluster_(cluster), filters_(filters), compat_(compat) {}

  /// "0/6 nodes are available: ...". `prepared` is true to the cluster as it is now. `keep`: pods
  /// with these facts get equal answers, so that what is found out serves the next of them. Cost:
  /// O(rows * filters), and where it was kept, that of the rows which must be asked again.
  std::string message(const ClassContext& context, const PreparedClass& prepared, bool keep);

 private:
  // Reasons that rows give in this order, all of one filter: a path from the empty one, 0.
  struct Answer {
    std::size_t filter = 0;  // of the empty one: behind all
    std::uint32_t before = 0;
    std::vector<std::string> texts;  // of the last step
    std::uint32_t rows = 0;
  };
  using Step = std::tuple<std::uint32_t, std::size_t, Reason, std::string>;
  struct Ledger {
    ClusterState::Epoch epoch = 0;
    std::uint64_t static_epoch = 0;
    std::vector<std::uint32_t> answer_of;  // [slots]
    std::vector<Answer> answers;
    std::map<Step, std::uint32_t> steps;
    bool is_full = false;  // what rows say is not kept any more
  };
  using Counts = std::map<std::string, std::uint32_t, std::less<>>;  // of rows, by text
  class Listener;
  class Counter;

  Ledger& ledger_of(const PodFacts& pod);
  void ask_all(const ClassContext& context, const PreparedClass& prepared, Ledger& ledger) const;
  void ask_again(const ClassContext& context, const PreparedClass& prepared, Ledger& ledger) const;
  void ask(const ClassContext& context, const PreparedClass& prepared, Ledger& ledger,
           NodeIndex row, NodeMask& open) const;
  std::size_t first_unsettled(const PreparedClass& prepared) const;
  static Counts counts_of(const Ledger& ledger);
  Counts count(const ClassContext& context, const PreparedClass& prepared) const;
  std::string message_of(const Counts& counts) const;

  const ClusterState& cluster_;
  const std::vector<FilterSlot>& filters_;
  Compat compat_;
  std::unordered_map<const PodFacts*, Ledger> ledgers_;  // only looked up
};

}  // namespace gedge
