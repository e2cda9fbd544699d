// options.hpp - the flags that mean the same in every command, as plain structs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flags.hpp"
#include "gedge/base/nanos.hpp"
#include "gedge/base/units.hpp"
#include "gedge/codec/latency.hpp"
#include "gedge/codec/write.hpp"
#include "server_options.hpp"

namespace gedge::cli {

/// What to place, and the cluster to place it in.
struct InputOptions {
  std::vector<std::string> files;  ///< -f
  bool recursive = false;
  std::vector<std::string> cluster;
  ServerOptions server;  ///< of --cluster live
  std::vector<std::string> rtt;
  std::string rtt_names, rtt_by;
  std::string ping_source;           ///< where pings in logs come from; "": the name of the log
  std::optional<TimeUnit> rtt_unit;  ///< --rtt-unit, if it was given
  std::optional<TimeUnit> cost_unit;
  bool rtt_zero_is_value = false;
  RttStat rtt_stat = RttStat::kP95;
  std::optional<Micros> max_age;
  std::optional<UnixSeconds> now;
  std::string namespace_name;                        ///< of -n; "": `home`
  std::string home = "default";                      ///< of the context of a live cluster
  std::uint64_t max_input = std::uint64_t{1} << 30;  ///< bytes a file
  std::uint64_t threads = 0;                         ///< 0: as many as there are cores
};
/// Ages count to a moment that somebody has to say.
Status check_ages(const InputOptions& options);

/// Whose rules decide.
struct RuleOptions {
  std::string profile = "edge";
  std::optional<Compat> asked_compat;  ///< --compat, if it was given
  Compat compat() const { return asked_compat.value_or(Compat::k1_36); }
  std::vector<std::string> plugins;
  std::uint64_t seed = 0;
};

enum class Format : std::uint8_t { kTable, kWide, kJson, kYaml, kName };
/// How a document of -o json or -o yaml is written.
inline TextFormat text_format(Format format) {
  return format == Format::kYaml ? TextFormat::kYaml : TextFormat::kJson;
}

/// How the answer is shown, and how much is said beside it.
/// Of the lines of a daemon: from here on up they are written.
enum class LogLevel : std::uint8_t { kInfo, kWarn, kError, kNone };

struct OutputOptions {
  Format format = Format::kTable;
  bool no_headers = false;
  std::string sort_by;
  bool quiet = false;
  std::uint64_t verbosity = 0;
  LogLevel log_level = LogLevel::kInfo;
};

/// Which pods of the answer are shown.
struct ShowOptions {
  bool all_namespaces = false;
  std::string selector;
};

void add_file_flags(FlagSet& flags, InputOptions& options);
void add_cluster_flags(FlagSet& flags, InputOptions& options);
/// How --cluster live finds its server, under a heading of their own.
void add_live_flags(FlagSet& flags, InputOptions& options);
void add_rtt_flags(FlagSet& flags, InputOptions& options);
/// The same without --rtt: how to read files that are named otherwise.
void add_rtt_meaning_flags(FlagSet& flags, InputOptions& options);
/// --max-age, with the help that it has here, and --now.
void add_age_flags(FlagSet& flags, InputOptions& options, std::string help);
/// --rtt-zero alone.
void add_zero_flag(FlagSet& flags, InputOptions& options);
/// --profile, --compat, --plugin.
void add_profile_flags(FlagSet& flags, RuleOptions& options);
/// These and --seed.
void add_rule_flags(FlagSet& flags, RuleOptions& options);
/// --compat alone, for commands that decide nothing.
void add_compat_flag(FlagSet& flags, RuleOptions& options);
/// `formats` are the words of -o that the command knows, the default first; --no-headers where the
/// table is one of them, and --sort-by where it `sorts`.
void add_output_flags(FlagSet& flags, OutputOptions& options, std::vector<std::string> formats,
                      bool sorts = true);
/// -o json|yaml; `text` is the word for the text that is printed without it, empty: YAML is.
void add_document_flag(FlagSet& flags, OutputOptions& options, const std::string& text = {});
/// --threads, --max-input.
void add_limit_flags(FlagSet& flags, InputOptions& options);
/// --color, -q, -v.
void add_talk_flags(FlagSet& flags, OutputOptions& options);
/// Those and --log-level, for what writes an EventLog.
void add_daemon_talk_flags(FlagSet& flags, OutputOptions& options);
/// -n.
void add_namespace_flag(FlagSet& flags, InputOptions& options);
/// -A, -l.
void add_show_flags(FlagSet& flags, ShowOptions& options);

/// For a Take: a whole number up to `max`.
FlagSet::Take number_into(std::uint64_t& target, std::uint64_t max, std::uint64_t least = 0);
/// For a Take: a duration with its unit, us, ms or s; `flag` names it in errors.
FlagSet::Take duration_into(Micros& target, std::string flag);
/// For a Take: a duration up to an hour, in minutes too; 0 only where it `may_be_zero`.
FlagSet::Take span_into(Nanos& target, bool may_be_zero);

}  // namespace gedge::cli
