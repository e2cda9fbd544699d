// input.hpp - from flags to facts: which files are read, in which order, and what their bytes
// become.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gedge/codec/latency.hpp"
#include "gedge/codec/load.hpp"
#include "gedge/latency/matrix.hpp"
#include "gedge/latency/pair_stats.hpp"
#include "gedge/model/facts.hpp"
#include "io.hpp"
#include "live_source.hpp"
#include "options.hpp"
#include "term/progress.hpp"

namespace gedge::cli {

/// What the flags say of reading round-trip times, but those that name files.
RttOptions rtt_options(const InputOptions& options);

struct Input {
  Facts facts;  ///< with the warnings of the RTT readers too
  RttMatrix rtt;
  PairDetails details;             ///< of `rtt`, where the reader keeps them
  std::vector<RttFormat> formats;  ///< of the files of --rtt, in their order
};

/// Reads what an InputOptions names. Goes on after an error, so that all of them are reported at
/// once.
class InputReader {
 public:
  /// `keep_bytes`: read() will be called again, and must not read standard input twice.
  InputReader(Io& io, const InputOptions& options, Compat compat, ProgressLine& progress,
              bool keep_bytes = false);

  /// Empty if anything was wrong; `errors` says what. `added` are further manifests (--what-if
  /// add=FILE).
  std::optional<Input> read(const std::vector<std::string>& added = {});
  /// What went wrong so far; the reader forgets it.
  Errors take_errors() { return std::exchange(errors_, {}); }
  /// From now on, manifests are expanded as this version does.
  void use_compat(Compat compat) { compat_ = compat; }
  /// From now on, they are expanded as the version of a live cluster does.
  void follow_server() { follows_server_ = true; }
  /// From now on, facts without nodes are as good as any.
  void needs_no_nodes() { needs_nodes_ = false; }
  /// From now on, what files say of a pair beyond its RTT is read too.
  void keep_details() { keeps_details_ = true; }
  /// What `source` of --cluster was found to hold, for the next read().
  void give_live(const std::string& source, LiveReading live);
  /// What a path holds that is no file, for the next read().
  void give(const std::string& path, std::string bytes);
  /// The live cluster that was read; of several, the first one.
  const std::optional<LiveServer>& live() const { return live_; }
  /// Nothing named a node, and no --cluster was given: a question of usage, not of input.
  bool lacks_cluster() const { return lacks_cluster_; }

  /// Directories become the manifests in them.
  std::vector<std::string> expand(const std::vector<std::string>& paths);
  /// The bytes of one file; null after an error.
  const std::string* bytes_of(const std::string& path);

 private:
  std::optional<Input> read_from(const std::vector<std::string>& cluster,
                                 const std::vector<std::string>& added);
  std::string default_namespace() const;
  void list_live_sources(const std::vector<std::string>& cluster);
  void add_live(FactsLoader& loader, const std::string& source);
  void add_cluster(FactsLoader& loader, const std::vector<std::string>& cluster);
  void add_synthetic(FactsLoader& loader, const std::string& text);
  void add_cluster_file(FactsLoader& loader, const std::string& path);
  void add_manifests(FactsLoader& loader, const std::vector<std::string>& paths);
  void forget(const std::string& path);
  bool read_rtt(Input& input, const std::vector<LatencyObject>& objects);
  std::vector<RttSource> rtt_sources();
  void take_reading(RttReading reading, Input& input);

  Io& io_;
  const InputOptions& options_;
  Compat compat_;
  ProgressLine& progress_;
  bool keep_bytes_;
  Errors errors_;
  bool needs_nodes_ = true;
  bool keeps_details_ = false;
  bool lacks_cluster_ = false;
  bool follows_server_ = false;
  std::optional<LiveServer> live_;
  std::map<std::string, std::vector<ListedPage>> live_pages_;  // by source, until they are read
  std::vector<Warning> live_warnings_;
  RttMatrix synthetic_rtt_;
  std::map<std::string, std::string> bytes_;  // by path
};

}  // namespace gedge::cli
