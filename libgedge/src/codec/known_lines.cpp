#include "gedge/codec/known_lines.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "codec/fields.hpp"
#include "codec/load_parsed.hpp"
#include "codec/moulds.hpp"
#include "codec/plain_text.hpp"
#include "codec/shared_texts.hpp"
#include "codec/stream_parsers.hpp"
#include "gedge/codec/timestamp.hpp"

namespace gedge {
namespace {

using namespace codec;

constexpr std::size_t kMostHoles = 256;
// To learn a line takes longer than to read it: what was found pays for it, or, by and by, what was
// not learned.
constexpr std::uint32_t kLesson = 32, kFound = 8, kMostCredit = 32 * kLesson;

/// Texts that each pod has for itself.
enum Own : std::size_t { kName, kNamespace, kUid, kVersion, kCreated, kStarted, kNode, kOwns };
struct OwnPath {
  std::string_view outer, inner;  // of the object
};
constexpr std::array<OwnPath, kOwns> kPaths{{{"metadata", "name"},
                                             {"metadata", "namespace"},
                                             {"metadata", "uid"},
                                             {"metadata", "resourceVersion"},
                                             {"metadata", "creationTimestamp"},
                                             {"status", "startTime"},
                                             {"spec", "nodeName"}}};

struct Hole {
  std::uint32_t begin = 0, end = 0;  // of the content, in the line that was learned
};

/// What lines have in common: their bytes, with holes for texts that may be others, and the pod.
struct LineShape {
  std::string bytes;
  std::vector<Hole> holes;
  std::array<std::uint32_t, kOwns> own{};  // which hole, from 1; 0: what the shape says
  WatchLine line;                          // as the pod: without what has a hole
  Pod pod;
  PodSpec spec;
  bool has_node = false;
  SpecIndex index{};        // of the spec, among those that were added
  std::uint64_t round = 0;  // in which it was; 0: never
};

std::uint32_t entry_of(const Tape& tape, Cursor object, OwnPath path) {
  const auto outer = object.find(path.outer);
  const auto inner = outer ? outer->find(path.inner) : std::nullopt;
  return inner ? inner->index_on(tape) : 0;
}

/// Opens holes for texts that nobody reads, and for those that are the pod's own.
bool open_holes(const Tape& tape, Cursor object, std::vector<std::uint32_t> reads,
                LineShape& shape) {
  std::array<std::uint32_t, kOwns> entries{};
  for (std::size_t i = 0; i < kOwns; ++i) entries[i] = entry_of(tape, object, kPaths[i]);
  std::sort(reads.begin(), reads.end());
  for (const Mould::Hole& hole : holes_of(tape)) {
    const auto own = std::find(entries.begin(), entries.end(), hole.entry);
    const bool is_read = std::binary_search(reads.begin(), reads.end(), hole.entry);
    if (own == entries.end() && is_read) continue;
    shape.holes.push_back({hole.begin, hole.end});
    if (own != entries.end())
      shape.own[static_cast<std::size_t>(own - entries.begin())] =
          static_cast<std::uint32_t>(shape.holes.size());
  }
  return shape.own[kName] != 0 && shape.holes.size() <= kMostHoles;
}

/// A pod of which all else follows from what is read of it.
bool is_plain(const Facts& facts) {
  if (facts.pods.size() != 1 || facts.specs.size() != 1 || !facts.claims.empty()) return false;
  if (!facts.specs.front().unread.empty()) return false;
  const auto& volumes = facts.specs.front().volumes.get();
  return facts.pods.front().controller.kind != "StatefulSet" &&  // its ordinal is in its name
         std::none_of(volumes.begin(), volumes.end(),
                      [](const PodVolume& volume) { return volume.ephemeral; });
}

void forget_own(LineShape& shape) {
  const auto forget = [&](Own own, auto&... texts) {
    if (shape.own[own] != 0) ((texts = {}), ...);
  };
  Pod& pod = shape.pod;
  shape.has_node = !pod.bound_node.empty();
  forget(kName, pod.name, shape.line.name);
  if (pod.controller.name.empty()) pod.workload_name = {};
  forget(kUid, pod.uid, shape.line.uid);
  forget(kVersion, shape.line.version);
  forget(kNode, pod.bound_node);
  pod.place = shape.spec.place = {};
  shape.line.object = shape.line.managed_fields = {};
}

}  // namespace

struct KnownLines::Parts {
  explicit Parts(LoadOptions load) : options(std::move(load)) {}

  bool matches(const LineShape& shape, std::string_view line);
  std::string_view own(const LineShape& shape, Own which) const;
  bool is_pod(const LineShape& shape);
  WatchLine line_of(const LineShape& shape) const;
  std::unique_ptr<LineShape> shape_of(std::string_view line, const WatchLine& read) const;

  LoadOptions options;
  std::vector<std::unique_ptr<LineShape>> shapes;  // the one that was found last first
  std::string_view text;                           // the line that was found last
  std::array<Hole, kMostHoles> found{};            // of it
  std::optional<UnixSeconds> created, started;
  std::uint32_t credit = kMostCredit;
  Facts facts;
  SharedTexts texts;  // of these
  std::uint64_t round = 1;
};

// Of each text whose content is plain only the end has to be found.
bool KnownLines::Parts::matches(const LineShape& shape, std::string_view line) {
  const char *at = line.data(), *const end = line.data() + line.size();
  std::uint32_t begin = 0;
  for (std::size_t i = 0; i < shape.holes.size(); ++i) {
    const std::size_t size = shape.holes[i].begin - begin;
    if (static_cast<std::size_t>(end - at) < size ||
        std::memcmp(at, shape.bytes.data() + begin, size) != 0)
      return false;
    at += size;
    found[i].begin = static_cast<std::uint32_t>(at - line.data());
    at = end_of_plain(at, end);
    if (at == nullptr) return false;
    found[i].end = static_cast<std::uint32_t>(at - line.data());
    begin = shape.holes[i].end;
  }
  text = line;
  return line.substr(static_cast<std::size_t>(at - line.data())) ==
         std::string_view(shape.bytes).substr(begin);
}

std::string_view KnownLines::Parts::own(const LineShape& shape, Own which) const {
  const Hole& hole = found[shape.own[which] - 1];
  return text.substr(hole.begin, hole.end - hole.begin);
}

// What readers would refuse, or read as something else, is left to them.
bool KnownLines::Parts::is_pod(const LineShape& shape) {
  if (!is_dns_subdomain(own(shape, kName))) return false;
  if (shape.own[kNamespace] != 0 && !is_dns_label(own(shape, kNamespace))) return false;
  if (shape.own[kNode] != 0 && own(shape, kNode).empty() == shape.has_node) return false;
  created = shape.own[kCreated] != 0 ? parse_timestamp(own(shape, kCreated)) : shape.pod.created;
  started = shape.own[kStarted] != 0 ? parse_timestamp(own(shape, kStarted)) : shape.pod.started;
  return created && started;
}

WatchLine KnownLines::Parts::line_of(const LineShape& shape) const {
  WatchLine line = shape.line;
  line.name = own(shape, kName);
  if (shape.own[kNamespace] != 0) line.namespace_name = own(shape, kNamespace);
  if (shape.own[kUid] != 0) line.uid = own(shape, kUid);
  if (shape.own[kVersion] != 0) line.version = own(shape, kVersion);
  return line;
}

std::optional<WatchLine> KnownLines::find(std::string_view line) {
  auto& shapes = parts_->shapes;
  const auto at = std::find_if(shapes.begin(), shapes.end(),
                               [&](const auto& shape) { return parts_->matches(*shape, line); });
  if (at == shapes.end() || !parts_->is_pod(**at)) return std::nullopt;
  parts_->credit = std::min(parts_->credit + kFound, kMostCredit);
  std::rotate(shapes.begin(), at, at + 1);
  return parts_->line_of(*shapes.front());
}

void KnownLines::add() {
  Parts& parts = *parts_;
  LineShape& shape = *parts.shapes.front();
  Facts& facts = parts.facts;
  if (std::exchange(shape.round, parts.round) != parts.round) {
    shape.index = SpecIndex{static_cast<std::uint32_t>(facts.specs.size())};
    facts.specs.push_back(shape.spec);
  }
  Pod& pod = facts.pods.emplace_back(shape.pod);
  pod.spec = shape.index;
  pod.name = parts.own(shape, kName);
  if (pod.controller.name.empty()) pod.workload_name = pod.name;
  if (shape.own[kNamespace] != 0 && pod.namespace_name != parts.own(shape, kNamespace))
    pod.namespace_name = parts.texts.of(parts.own(shape, kNamespace));
  if (shape.own[kUid] != 0) pod.uid = parts.own(shape, kUid);
  if (shape.own[kNode] != 0) pod.bound_node = parts.texts.of(parts.own(shape, kNode));
  pod.created = *parts.created;
  pod.started = *parts.started;
}

std::size_t KnownLines::size() const { return parts_->facts.pods.size(); }

Facts KnownLines::take() {
  Facts facts = std::exchange(parts_->facts, {});
  parts_->texts = {};
  ++parts_->round;
  facts.files.emplace_back();
  std::sort(facts.pods.begin(), facts.pods.end(), comes_before);
  return facts;
}

std::unique_ptr<LineShape> KnownLines::Parts::shape_of(std::string_view line,
                                                       const WatchLine& read) const {
  constexpr std::size_t kJsonPadding = 64;
  auto shape = std::make_unique<LineShape>();
  shape->bytes.reserve(line.size() + kJsonPadding);
  shape->bytes = line;
  const Source source("", shape->bytes, 0, kJsonPadding);
  Diagnostics diagnostics;
  Tape tape;
  tape.source = &source;
  tape.diagnostics = &diagnostics;
  if (!parse_json(source, tape) || !diagnostics.ok()) return nullptr;
  const auto object = Cursor(tape, 0).find("object"), type = Cursor(tape, 0).find("type");
  if (!object || !type) return nullptr;
  Mould mould;
  std::vector<std::uint32_t> reads{type->index_on(tape)};
  for (const std::string_view key : {"reason", "message"})
    if (const auto said = object->find(key)) reads.push_back(said->index_on(tape));
  mould.reads = &reads;
  tape.mould = &mould;
  LoadResult result = load_parsed(*object, options);
  if (!result.loaded || !diagnostics.ok() || !is_plain(result.loaded->facts)) return nullptr;
  if (read.name.empty() || read.name != result.loaded->facts.pods.front().name) return nullptr;
  shape->line = read;
  shape->pod = std::move(result.loaded->facts.pods.front());
  shape->spec = std::move(result.loaded->facts.specs.front());
  if (!open_holes(tape, *object, std::move(reads), *shape)) return nullptr;
  forget_own(*shape);
  return shape;
}

void KnownLines::learn(std::string_view line, const WatchLine& read) {
  Parts& parts = *parts_;
  const bool may_come_again = read.type == WatchType::kAdded || read.type == WatchType::kModified;
  if (!may_come_again || line.size() > kMostBytes) return;
  if (parts.credit < kLesson) {
    ++parts.credit;
    return;
  }
  parts.credit -= kLesson;
  auto shape = parts.shape_of(line, read);
  if (shape == nullptr) return;
  if (parts.shapes.size() == kMostShapes) parts.shapes.pop_back();
  parts.shapes.insert(parts.shapes.begin(), std::move(shape));
}

KnownLines::KnownLines(LoadOptions options) : parts_(std::make_unique<Parts>(std::move(options))) {}
KnownLines::~KnownLines() = default;
KnownLines::KnownLines(KnownLines&&) noexcept = default;
KnownLines& KnownLines::operator=(KnownLines&&) noexcept = default;

}  // namespace gedge
