#include "measure_import.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "choices.hpp"
#include "gedge/drive/collect.hpp"
#include "gedge/io/system_http.hpp"
#include "input.hpp"
#include "report.hpp"
#include "term/progress.hpp"
#include "term/text.hpp"

namespace gedge::cli {
namespace {

constexpr Words<ImportKind, 3> kKinds{{{"goldpinger", ImportKind::kGoldpinger},
                                       {"ping", ImportKind::kPing},
                                       {"any", ImportKind::kAny}}};
constexpr std::string_view kScheme = "://", kCheckAll = "check_all";

bool is_url(const std::string& source) { return source.find(kScheme) != std::string::npos; }

std::optional<RttFormat> format_of(ImportKind kind) {
  if (kind == ImportKind::kGoldpinger) return RttFormat::kGoldpinger;
  if (kind == ImportKind::kPing) return RttFormat::kPing;
  return std::nullopt;
}

/// The URL that is asked for: Goldpinger's path is known.
Result<std::string> url_of(const std::string& source, ImportKind kind) {
  auto parts = take_url_apart(source);
  if (!parts) return std::move(parts).error();
  if (parts->bare && kind == ImportKind::kGoldpinger) parts->url += kCheckAll;
  return std::move(parts->url);
}

Error about(const std::string& source, Error error) {
  error.what = source + ": " + error.what;
  return error;
}

// What is a URL is fetched and given to the reader; the others it reads itself.
Errors fetch_urls(Io& io, const ImportCommand& command, const WebOptions& web,
                  InputReader& reader) {
  std::vector<HttpCall> calls;
  std::vector<std::string> sources;
  Errors errors;
  const auto access = open_web(io.files, web);
  if (!access) return {access.error()};
  for (const std::string& source : command.sources) {
    if (!is_url(source)) continue;
    auto url = url_of(source, command.kind);
    if (!url) {
      errors.push_back(std::move(url).error());
      continue;
    }
    calls.push_back({*std::move(url), access->token});
    sources.push_back(source);
  }
  if (calls.empty() || !errors.empty()) return errors;
  HttpTerms terms = access->terms;
  terms.most_body_bytes = std::size_t{256} << 20;  // every pair of a thousand pods
  terms.most_at_once = 4;
  const Status fetched =
      io.http->fetch(calls, terms, [&](std::size_t call, Result<HttpAnswer> answer) {
        if (!answer) return errors.push_back(about(calls[call].url, std::move(answer).error()));
        if (auto refusal = refusal_in(*answer))
          return errors.push_back(about(calls[call].url, *std::move(refusal)));
        reader.give(sources[call], std::move(answer->body));
      });
  if (!fetched) errors.push_back(fetched.error());
  return errors;
}

Errors check_formats(const ImportCommand& command, const std::vector<RttFormat>& formats) {
  const auto wanted = format_of(command.kind);
  for (const RttFormat format : formats)
    if (wanted && format != *wanted)
      return {invalid_input("what was read is " + std::string(to_string(format)) + ", not " +
                                std::string(to_string(*wanted)),
                            {}, "`--import any` takes every format")};
  return {};
}

}  // namespace

Exit run_import(Io& io, const ImportCommand& command, const WebOptions& web,
                const InputOptions& input, MeasureFormat format, const PublishCommand& publication,
                const OutputOptions& output) {
  ProgressLine progress(io.err, output.quiet, io.clock);
  InputOptions options = input;
  options.rtt = command.sources;
  InputReader reader(io, options, Compat::k1_36, progress);
  reader.needs_no_nodes();
  reader.keep_details();
  progress.show("asking", 0, 0);
  Errors errors = fetch_urls(io, command, web, reader);
  std::optional<Input> read;
  if (errors.empty()) {
    read = reader.read();
    errors = read ? check_formats(command, read->formats) : reader.take_errors();
  }
  progress.erase();
  warn_unchecked(io, web, output);
  if (!errors.empty()) return fail(io, errors, output);
  AgentMatrix merged;
  merged.matrix = std::move(read->rtt);
  merged.details = std::move(read->details);
  merged.is_agent.assign(merged.matrix.size(), true);
  merged.pairs = count_known_pairs(merged.matrix, merged.is_agent);
  const Exit exit = show_matrix(io, merged, std::move(read->facts.warnings), format, output);
  if (exit != Exit::kYes) return exit;
  return publish(io, publication, merged.matrix, merged.details, output,
                 merged.pairs.unknown == 0 ? Exit::kYes : Exit::kNo);
}

void add_import_flags(FlagSet& flags, ImportCommand& command, InputOptions& input) {
  const std::vector<std::string> kinds = list_of(kKinds);
  flags.add({.name = "import",
             .value = "KIND",
             .help = "Read FILE or URL operands: " + join_words(kinds, ", ", " or "),
             .words = kinds},
            word_into(kKinds, command.kind));
  add_zero_flag(flags, input);
}

}  // namespace gedge::cli
