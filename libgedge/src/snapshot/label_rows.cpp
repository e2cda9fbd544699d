#include "snapshot/label_rows.hpp"

#include <algorithm>

namespace gedge {
namespace {

// A requirement that only rows with one of its values meet; null where the term has none.
const Requirement* narrowing(const NodeSelectorTerm& term) {
  for (const Requirement& r : term.expressions)
    if (r.op == SelectorOp::kIn || r.op == SelectorOp::kEquals || r.op == SelectorOp::kDoubleEquals)
      return &r;
  return nullptr;
}

}  // namespace

bool contains(const RowSet& rows, NodeIndex row) {
  const std::uint32_t word = raw(row) / 64;
  const auto at = std::lower_bound(rows.begin(), rows.end(), word,
                                   [](const WordRows& a, std::uint32_t w) { return a.word < w; });
  return at != rows.end() && at->word == word && (at->bits >> (raw(row) % 64) & 1) != 0;
}

void add_row(RowSet& rows, NodeIndex row) {
  const std::uint32_t word = raw(row) / 64;
  if (rows.empty() || rows.back().word != word) rows.push_back({word, 0});
  rows.back().bits |= std::uint64_t{1} << (raw(row) % 64);
}

void add_rows(NodeMask& mask, const RowSet& rows) {
  for (const WordRows& part : rows) mask.add(part.word, part.bits);
}

void take_rows(NodeMask& mask, const RowSet& rows) {
  for (const WordRows& part : rows) mask.keep(part.word, ~part.bits);
}

void keep_rows(NodeMask& mask, const RowSet& rows) {
  std::uint32_t next = 0;
  for (const WordRows& part : rows) {
    for (; next < part.word; ++next) mask.assign_word(next, 0);
    mask.keep(part.word, part.bits);
    next = part.word + 1;
  }
  for (; next < mask.words(); ++next) mask.assign_word(next, 0);
}

const LabelRows::RowsByValue& LabelRows::by_value(const std::string& key) {
  const auto [at, is_new] = keys_.try_emplace(key);
  if (!is_new) return at->second;
  for (std::uint32_t row = 0; row < cluster_->slots(); ++row)
    if (const std::string* value = cluster_->node(NodeIndex{row}).labels.find(key))
      at->second[*value].push_back(NodeIndex{row});
  return at->second;
}

void LabelRows::add_matching(const NodeSelectorTerm& term, std::vector<NodeIndex>& rows) {
  const auto look_at = [&](NodeIndex row) {
    if (term.matches(cluster_->node(row).labels, std::string())) rows.push_back(row);
  };
  const Requirement* named = narrowing(term);
  if (named == nullptr) {
    for (std::uint32_t row = 0; row < cluster_->slots(); ++row) look_at(NodeIndex{row});
    return;
  }
  const RowsByValue& known = by_value(named->key);
  for (const std::string& value : named->values)
    if (const auto at = known.find(value); at != known.end())
      std::for_each(at->second.begin(), at->second.end(), look_at);
}

RowSet LabelRows::find(const std::vector<NodeSelectorTerm>& terms) {
  std::vector<NodeIndex> rows;
  for (const NodeSelectorTerm& term : terms) add_matching(term, rows);
  std::sort(rows.begin(), rows.end());
  RowSet found;
  for (const NodeIndex row : rows) add_row(found, row);
  return found;
}

}  // namespace gedge
