// codec/pair_text.hpp - what the writers of latency files share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "codec/document_sink.hpp"
#include "gedge/latency/complete.hpp"
#include "gedge/latency/matrix.hpp"
#include "gedge/latency/pair_stats.hpp"

namespace gedge::codec {

/// What is known of a pair, without the times where the matrix says that they do not count: they
/// are stale, or 0. `known` null: nothing but the number of the matrix.
PairStats stats_that_count(const RttMatrix& matrix, NameIndex from, NameIndex to,
                           const PairStats* known);

/// Each pair of which anything is known, row by row; of the diagonal what a reader set. What it is
/// made of outlives it.
class PairWalk {
 public:
  PairWalk(const RttMatrix& matrix, const PairDetails& details)
      : matrix_(matrix), details_(details) {}
  explicit PairWalk(const CompletedMatrix& completed)
      : matrix_(completed.matrix), details_(completed.details), completed_(&completed) {}

  const RttMatrix& matrix() const { return matrix_; }
  const PairDetails& details() const { return details_; }

  /// To the first pair, then to the next one; false behind the last.
  bool next() {
    while (move()) {
      if (completed_ == nullptr) pass_unmeasured();
      const Rtt rtt = matrix_.at(from(), to());
      if (detail() != nullptr || (rtt != kUnmeasured && (row_ != column_ || rtt.us != 0)) ||
          (completed_ != nullptr && completed_->estimates.between(from(), to())))
        return true;
    }
    return false;
  }
  NameIndex from() const { return NameIndex{row_}; }
  NameIndex to() const { return NameIndex{column_}; }
  /// What is known of the pair; if that is no estimate, as stats_that_count() has it.
  PairStats stats() const {
    if (completed_ != nullptr)
      if (const auto estimate = completed_->estimate(from(), to())) return *estimate;
    return stats_that_count(matrix_, from(), to(), detail());
  }

 private:
  const PairStats* detail() const {
    if (at_ == details_.pairs.size()) return nullptr;
    const PairStats& stats = details_.pairs[at_];
    return stats.from == from() && stats.to == to() ? &stats : nullptr;
  }
  /// Whoever measures from one place leaves most of the matrix empty.
  void pass_unmeasured() {
    const bool is_told = at_ < details_.pairs.size() && details_.pairs[at_].from == from();
    const std::size_t end = is_told ? raw(details_.pairs[at_].to) : matrix_.size() - 1;
    if (end <= column_) return;
    const auto between = matrix_.row(from()).subspan(column_, end - column_);
    const auto found =
        std::find_if(between.begin(), between.end(), [](Rtt rtt) { return rtt != kUnmeasured; });
    column_ += static_cast<std::uint32_t>(found - between.begin());
  }
  bool move() {
    if (begun_ && detail() != nullptr) ++at_;
    if (begun_ && ++column_ == matrix_.size()) {
      column_ = 0;
      ++row_;
    }
    begun_ = true;
    return row_ < matrix_.size();
  }

  const RttMatrix& matrix_;
  const PairDetails& details_;
  const CompletedMatrix* completed_ = nullptr;
  std::uint32_t row_ = 0, column_ = 0;
  std::size_t at_ = 0;  // the first of the details that is not of an earlier pair
  bool begun_ = false;
};

struct PairNames {
  std::string_view from, to;
};

/// One pair of kind LatencyMatrix.
void put_pair(ValueSink& sink, const PairNames& names, const PairStats& stats,
              std::string_view method);

/// kind LatencyMatrix.
void write_completed(const CompletedMatrix& completed, TextFormat format, const TextTaker& take);

/// Exact milliseconds: "12", "0.25"; empty for kUnmeasured.
std::string milliseconds(Rtt rtt);

}  // namespace gedge::codec
