// talk_options.cpp - the flags that every command has, and what they need: no more than that is
// linked into the library for `pin run`.
#include <charconv>
#include <string>

#include "choices.hpp"
#include "options.hpp"

namespace gedge::cli {

FlagSet::Take number_into(std::uint64_t& target, std::uint64_t max, std::uint64_t least) {
  return [&target, max, least](const std::string& text) -> Status {
    std::uint64_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc{} || end != text.data() + text.size() || value > max || value < least)
      return invalid_input("'" + text + "' is not a whole number from " + std::to_string(least) +
                           " to " + std::to_string(max));
    target = value;
    return {};
  };
}

void add_talk_flags(FlagSet& flags, OutputOptions& options) {
  constexpr std::uint64_t kMaxVerbosity = 9;  // kubectl's
  // process.cpp settles colour before it parses; here the word is checked.
  flags.add({.name = "color",
             .value = "WHEN",
             .help = "auto, always or never",
             .fallback = "auto",
             .words = {"auto", "always", "never"}},
            [](const std::string&) { return Status{}; });
  flags.add({.name = "quiet", .letter = 'q', .help = "No progress, warnings or summary"},
            options.quiet);
  flags.add({.name = "v",
             .letter = 'v',
             .value = "LEVEL",
             .help = "1 lists every warning and skipped object",
             .fallback = "0"},
            number_into(options.verbosity, kMaxVerbosity));
}

void add_daemon_talk_flags(FlagSet& flags, OutputOptions& options) {
  static constexpr Words<LogLevel, 3> kLevels{
      {{"info", LogLevel::kInfo}, {"warn", LogLevel::kWarn}, {"error", LogLevel::kError}}};
  flags.add({.name = "log-level",
             .value = "LEVEL",
             .help = "Write events of this level and above",
             .fallback = "info",
             .words = list_of(kLevels)},
            word_into(kLevels, options.log_level));
  add_talk_flags(flags, options);
}

}  // namespace gedge::cli
