// gedge/codec/known_lines.hpp - lines of a watch of pods that differ from an earlier one in nothing
// but what each pod has for itself are known by their bytes.
//
// A server says the same of pods of one template, in the same order, but for their names, UIDs,
// times and nodes, and for what nobody reads. Such a line needs no parser and no reader of fields:
// its pod is a copy of one that both have made, with texts of its own.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "gedge/codec/load.hpp"
#include "gedge/port/watch.hpp"

namespace gedge {

/// Keeps the last few shapes of lines, and nothing of the pods that had them. Not for two threads
/// at once.
class KnownLines {
 public:
  static constexpr std::size_t kMostShapes = 32, kMostBytes = std::size_t{1} << 14;  // a line
  /// Behind a line as many bytes may be read, whatever they are.
  static constexpr std::size_t kPadding = 8;

  explicit KnownLines(LoadOptions options = {});
  ~KnownLines();
  KnownLines(KnownLines&&) noexcept;
  KnownLines& operator=(KnownLines&&) noexcept;

  /// What a WatchReader says of a line that is known, but for its object; else nothing. `line` is
  /// without its end, and stays where it is until add() or the next call.
  std::optional<WatchLine> find(std::string_view line);
  /// Adds the pod of the line that was found last.
  void add();
  /// How many were added.
  std::size_t size() const;
  /// The pods that were added, as a FactsLoader makes them of the objects in their lines, Places
  /// and warnings apart; and then there are none.
  Facts take();

  /// A line that was not found, and what a WatchReader says of it. Where lines that were learned
  /// are hardly ever found again, few are.
  void learn(std::string_view line, const WatchLine& read);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace gedge
