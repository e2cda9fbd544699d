#include "codec/tape_builder.hpp"

#include <algorithm>

#include "codec/moulds.hpp"

namespace gedge::codec {
namespace {

constexpr std::uint32_t kMaxColumn = (1u << 24) - 1;

std::string_view text_of(const TapeEntry& entry) { return {entry.text, entry.length}; }

}  // namespace

Position position_of(const Tape& tape, const TapeEntry& entry) {
  const Mould* const mould = tape.mould;
  if (tape.is_json)
    return tape.source->at_offset(mould == nullptr ? entry.position
                                                   : mould->present(entry.position));
  if (mould == nullptr) return tape.source->at_mark(entry.position, entry.column);
  return tape.source->at_mark(entry.position - mould->line + mould->now_line,
                              mould->present_column(entry));
}

TapeEntry& TapeBuilder::append(Shape shape, Mark at) {
  TapeEntry& entry = tape_->entries.emplace_back();
  entry.position = at.position;
  entry.column = std::min(at.column, kMaxColumn) & kMaxColumn;
  entry.shape = static_cast<std::uint32_t>(shape) & 3u;
  entry.next = static_cast<std::uint32_t>(tape_->entries.size());
  return entry;
}

bool TapeBuilder::admit(std::size_t entries, int levels, Mark at) {
  const bool deep = base_depth_ + open() + levels > kMaxDepth;
  if (!deep && tape_->entries.size() + entries <= kMaxEntries) return true;
  if (failed_) return false;
  failed_ = true;
  TapeEntry entry;
  entry.position = at.position;
  entry.column = std::min(at.column, kMaxColumn) & kMaxColumn;
  const SourceSpan where = tape_->source->span(position_of(*tape_, entry));
  tape_->diagnostics->add(
      deep ? invalid_input("nested too deeply", where,
                           "at most " + std::to_string(kMaxDepth) + " levels are read")
           : invalid_input("one value has more than 16 million parts", where,
                           "split it into several objects"));
  return false;
}

void TapeBuilder::count_value() {
  if (open_.empty()) return;
  Frame& frame = open_.back();
  if (frame.is_map) tape_->entries.back().in_map = 1;
  frame.key_due = frame.is_map;
  ++frame.count;
}

void TapeBuilder::begin(Shape shape, Mark at) {
  if (!admit(1, 1, at)) return;
  append(shape, at);
  count_value();
  const bool is_map = shape == Shape::kMap;
  open_.push_back({static_cast<std::uint32_t>(tape_->entries.size() - 1), 0, is_map, is_map});
  height_ = std::max(height_, open());
}

void TapeBuilder::end() {
  if (failed_) return;
  const Frame frame = open_.back();
  open_.pop_back();
  TapeEntry& entry = tape_->entries[frame.index];
  entry.length = frame.count;
  entry.next = static_cast<std::uint32_t>(tape_->entries.size());
  if (frame.is_map && frame.count > 1) check_keys(frame.index);
}

void TapeBuilder::reopen() {
  open_.push_back({static_cast<std::uint32_t>(tape_->entries.size() - 1), 0, false, false});
}

void TapeBuilder::scalar(std::string_view text, bool quoted, Mark at) {
  if (!admit(1, 0, at)) return;
  TapeEntry& entry = append(Shape::kScalar, at);
  entry.text = text.data();
  entry.length = static_cast<std::uint32_t>(text.size());
  entry.quoted = quoted ? 1 : 0;
  if (wants_key())
    open_.back().key_due = false;
  else
    count_value();
}

void TapeBuilder::splice(const std::vector<TapeEntry>& entries, int height, Mark at) {
  if (!admit(entries.size(), height, at)) return;
  const auto base = static_cast<std::uint32_t>(tape_->entries.size());
  for (const TapeEntry& from : entries) {
    TapeEntry& to = tape_->entries.emplace_back(from);
    to.next += base;
    if (static_cast<Shape>(to.shape) == Shape::kScalar)
      to.text = tape_->arena.copy(text_of(from)).data();
  }
  height_ = std::max(height_, open() + height);
  tape_->entries[base].in_map = 0;
  if (open_.empty()) return;
  Frame& frame = open_.back();
  if (frame.is_map) tape_->entries[base].in_map = 1;
  frame.key_due = frame.is_map;
  ++frame.count;
}

void TapeBuilder::link(const Tape& part, int height, Mark at) {
  if (!admit(1, height, at)) return;
  TapeEntry& entry = append(Shape::kScalar, at);
  entry.shape = kLink;
  entry.length = static_cast<std::uint32_t>(tape_->linked.size());
  tape_->linked.push_back(&part);
  height_ = std::max(height_, open() + height);
  count_value();
}

Cursor TapeBuilder::partial_root() {
  TapeEntry& root = tape_->entries.front();
  root.length = open_.front().count;
  root.next = static_cast<std::uint32_t>(tape_->entries.size());
  return {*tape_, 0};
}

// Keys that rise strictly, as every tool of Kubernetes prints them, need one pass.
void TapeBuilder::check_keys(std::uint32_t map) {
  const std::vector<TapeEntry>& entries = tape_->entries;
  const std::uint32_t end = entries[map].next;
  bool rising = true;
  std::string_view last;
  for (std::uint32_t at = map + 1; at < end && rising; at = entries[at + 1].next) {
    const std::string_view key = text_of(entries[at]);
    rising = at == map + 1 || last < key;
    last = key;
  }
  if (rising) return;
  keys_.clear();
  for (std::uint32_t at = map + 1; at < end; at = entries[at + 1].next) keys_.push_back(at);
  std::sort(keys_.begin(), keys_.end(), [&](std::uint32_t a, std::uint32_t b) {
    const int order = text_of(entries[a]).compare(text_of(entries[b]));
    return order != 0 ? order < 0 : a < b;
  });
  for (std::size_t i = 1; i < keys_.size(); ++i)
    if (text_of(entries[keys_[i - 1]]) == text_of(entries[keys_[i]]))
      report_twice(keys_[i - 1], keys_[i]);
}

void TapeBuilder::report_twice(std::uint32_t first, std::uint32_t second) {
  if (tape_->diagnostics->is_full()) return tape_->diagnostics->drop();
  const TapeEntry& again = tape_->entries[second];
  const Position before = position_of(*tape_, tape_->entries[first]);
  const SourceSpan where =
      tape_->source->span(position_of(*tape_, again), std::max<std::size_t>(1, again.length));
  tape_->diagnostics->add(
      invalid_input("key " + quote(text_of(again)) + " appears twice, first at " +
                        std::to_string(before.line) + ":" + std::to_string(before.column),
                    where, "remove one of the two"));
}

}  // namespace gedge::codec
