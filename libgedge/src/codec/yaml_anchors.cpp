#include "codec/yaml_anchors.hpp"

#include <algorithm>

namespace gedge::codec {
namespace {

constexpr std::string_view kSpellOut = "write the values out instead of naming them";

std::string place_text(const Tape& tape, Mark at) {
  const Position position = tape.source->at_mark(at.position, at.column);
  return std::to_string(position.line) + ":" + std::to_string(position.column);
}

int height_of(const std::vector<TapeEntry>& entries, std::size_t from) {
  int most = 0, open = 0;
  std::vector<std::uint32_t> ends;
  for (std::size_t i = from; i < entries.size(); ++i) {
    while (!ends.empty() && ends.back() <= i) {
      ends.pop_back();
      --open;
    }
    if (static_cast<Shape>(entries[i].shape) == Shape::kScalar) continue;
    ends.push_back(entries[i].next);
    most = std::max(most, ++open);
  }
  return most;
}

}  // namespace

bool YamlAnchors::refuse(const Tape& tape, Mark at, std::string what, std::string hint) const {
  const Source& source = *tape.source;
  const SourceSpan where = source.span(source.at_mark(at.position, at.column));
  tape.diagnostics->add(invalid_input(std::move(what), where, std::move(hint)));
  return false;
}

void YamlAnchors::clear() {
  anchors_.clear();
  waiting_.clear();
  arena_.clear();
  declared_ = kept_ = text_ = uses_ = expanded_ = expanded_text_ = 0;
}

bool YamlAnchors::declare(std::string name, Tape& tape, std::uint32_t index, int open, Mark at) {
  if (++declared_ > kMaxCount)
    return refuse(tape, at, "more than 10000 anchors in one document", std::string(kSpellOut));
  Anchor& anchor = anchors_[name];
  anchor = {};
  anchor.at = at;
  waiting_.push_back({std::move(name), index, open});
  return true;
}

bool YamlAnchors::complete(Tape& tape, int open) {
  while (!waiting_.empty() && waiting_.back().open == open) {
    const Waiting waiting = std::move(waiting_.back());
    waiting_.pop_back();
    if (!keep(tape, waiting)) return false;
  }
  return true;
}

bool YamlAnchors::keep(Tape& tape, const Waiting& waiting) {
  Anchor& anchor = anchors_[waiting.name];
  const std::vector<TapeEntry>& from = tape.entries;
  anchor.height = height_of(from, waiting.index);
  kept_ += from.size() - waiting.index;
  if (kept_ > kMaxEntries)
    return refuse(tape, anchor.at, "anchors hold more than a million values",
                  std::string(kSpellOut));
  anchor.entries.assign(from.begin() + waiting.index, from.end());
  for (TapeEntry& entry : anchor.entries) {
    entry.next -= waiting.index;
    if (static_cast<Shape>(entry.shape) != Shape::kScalar) continue;
    text_ += entry.length;
    anchor.text += entry.length;
    if (text_ > kMaxText)
      return refuse(tape, anchor.at, "anchors hold more than 16 MiB of text",
                    std::string(kSpellOut));
    entry.text = arena_.copy({entry.text, entry.length}).data();
  }
  anchor.complete = true;
  return true;
}

bool YamlAnchors::expand(const std::string& name, Tape& tape, TapeBuilder& builder, Mark at) {
  const auto found = anchors_.find(name);
  const bool hides = tape.source->hides_values();
  const auto alias = [&] { return hides ? "an alias" : "alias '*" + name + "'"; };
  if (found == anchors_.end())
    return refuse(tape, at, alias() + " has no anchor before it",
                  hides ? "quote text that begins with '*'"
                        : "write `&" + name + "` at the value that is meant");
  const Anchor& anchor = found->second;
  const auto from = [&] { return " (anchor at " + place_text(tape, anchor.at) + ")"; };
  if (!anchor.complete)
    return refuse(tape, at, alias() + " stands inside its own anchor" + from(),
                  std::string(kSpellOut));
  expanded_ += anchor.entries.size();
  expanded_text_ += anchor.text;
  if (++uses_ > kMaxCount || expanded_ > kMaxEntries || expanded_text_ > kMaxText)
    return refuse(tape, at, "aliases expand to too much" + from(), std::string(kSpellOut));
  builder.splice(anchor.entries, anchor.height, at);
  return !builder.failed();
}

}  // namespace gedge::codec
