#include "input.hpp"

#include <algorithm>
#include <array>

#include "gedge/codec/edge_scheduler.hpp"
#include "gedge/codec/latency.hpp"
#include "gedge/codec/synthetic.hpp"
#include "term/text.hpp"

namespace gedge::cli {
namespace {

constexpr std::size_t kPadding = 64;  // FileStore::read leaves that much room behind the end
constexpr std::array<std::string_view, 3> kManifestEndings{".yaml", ".yml", ".json"};

bool is_manifest(const std::string& path) {
  return std::any_of(kManifestEndings.begin(), kManifestEndings.end(),
                     [&](std::string_view ending) { return path.ends_with(ending); });
}

std::string shown_name(const std::string& path) {
  return path == "-" ? std::string(kStdinName) : path;
}

template <typename T>
void append(std::vector<T>& all, std::vector<T>&& more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

RttOptions rtt_options(const InputOptions& options) {
  RttOptions reading;
  reading.unit = options.rtt_unit.value_or(reading.unit);
  reading.unit_is_asked = options.rtt_unit.has_value();
  reading.zero_is_value = options.rtt_zero_is_value;
  reading.stat = options.rtt_stat;
  reading.max_age = options.max_age;
  reading.now = options.now;
  reading.rtt_by = options.rtt_by;
  reading.ping_source = options.ping_source;
  reading.cost_unit = options.cost_unit;
  return reading;
}

InputReader::InputReader(Io& io, const InputOptions& options, Compat compat, ProgressLine& progress,
                         bool keep_bytes)
    : io_(io), options_(options), compat_(compat), progress_(progress), keep_bytes_(keep_bytes) {}

const std::string* InputReader::bytes_of(const std::string& path) {
  const auto known = bytes_.find(path);
  if (known != bytes_.end()) return &known->second;
  progress_.show("reading " + shown_name(path), 0, 0);
  auto bytes = io_.files.read(path, options_.max_input);
  if (!bytes) {
    errors_.push_back(std::move(bytes).error());
    return nullptr;
  }
  return &bytes_.emplace(path, *std::move(bytes)).first->second;
}

void InputReader::give(const std::string& path, std::string bytes) {
  bytes.reserve(bytes.size() + kPadding);
  bytes_.insert_or_assign(path, std::move(bytes));
}

void InputReader::forget(const std::string& path) {
  const bool may_read_again = options_.cluster.empty() && path == "-";  // with a live cluster
  if (!keep_bytes_ && !may_read_again) bytes_.erase(path);
}

// Directories become the manifests in them.
std::vector<std::string> InputReader::expand(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    if (path == "-" || !io_.files.is_directory(path)) {
      files.push_back(path);
      continue;
    }
    auto listed = io_.files.list(path, options_.recursive);
    if (!listed) {
      errors_.push_back(std::move(listed).error());
      continue;
    }
    const std::size_t before = files.size();
    std::copy_if(listed->begin(), listed->end(), std::back_inserter(files), is_manifest);
    if (files.size() > before) continue;
    errors_.push_back(
        invalid_input("no .yaml, .yml or .json file in " + path, {},
                      options_.recursive ? "" : "`-R` looks into the directories below too"));
  }
  return files;
}

void InputReader::add_synthetic(FactsLoader& loader, const std::string& text) {
  auto site = read_synthetic(text);
  if (!site) return errors_.push_back(std::move(site).error());
  loader.add_nodes(std::move(site->nodes), text);
  synthetic_rtt_.merge(site->rtt);
}

void InputReader::add_cluster_file(FactsLoader& loader, const std::string& path) {
  const std::string* bytes = bytes_of(path);
  if (bytes == nullptr) return;
  const InputFile file{shown_name(path), *bytes, kPadding};
  if (is_edge_scheduler_nodes(*bytes)) {
    EdgeSchedulerNodes nodes = read_edge_scheduler_nodes(file);
    append(errors_, std::move(nodes.errors));
    loader.add_nodes(std::move(nodes.nodes), file.name);
  } else {
    loader.add_cluster(file);
  }
  forget(path);
}

// Before anything is expanded, for the version of the server may say how.
void InputReader::list_live_sources(const std::vector<std::string>& cluster) {
  for (const std::string& source : cluster) {
    if (!is_live(source) || live_pages_.contains(source)) continue;
    progress_.show("listing " + source, 0, 0);
    give_live(source, list_live(io_, options_.server, source));
  }
}

void InputReader::give_live(const std::string& source, LiveReading live) {
  if (!live.errors.empty()) return append(errors_, std::move(live.errors));
  live_pages_.emplace(source, std::move(live.pages));
  append(live_warnings_, std::move(live.warnings));
  if (live_) return;
  live_.emplace(LiveServer{std::move(live.url), live.minor, std::move(live.namespace_name)});
  if (follows_server_) compat_ = compat_of_server(live_->minor);
}

void InputReader::add_live(FactsLoader& loader, const std::string& source) {
  const auto listed = live_pages_.find(source);
  if (listed == live_pages_.end()) return;
  for (const ListedPage& page : listed->second)
    loader.add_cluster({page.name, page.json, kPadding});
  if (!keep_bytes_) live_pages_.erase(listed);
}

void InputReader::add_cluster(FactsLoader& loader, const std::vector<std::string>& cluster) {
  for (const std::string& source : cluster) {
    if (is_live(source)) {
      add_live(loader, source);
    } else if (is_synthetic(source)) {
      add_synthetic(loader, source);
    } else {
      for (const std::string& path : expand({source})) add_cluster_file(loader, path);
    }
  }
}

void InputReader::add_manifests(FactsLoader& loader, const std::vector<std::string>& paths) {
  for (const std::string& path : expand(paths)) {
    const std::string* bytes = bytes_of(path);
    if (bytes == nullptr) continue;
    loader.add_manifests({shown_name(path), *bytes, kPadding});
    forget(path);
  }
}

// One --rtt is one source: a file, or all files of a directory.
std::vector<RttSource> InputReader::rtt_sources() {
  std::vector<RttSource> sources;
  for (const std::string& path : options_.rtt) {
    std::vector<std::string> files{path};
    if (path != "-" && io_.files.is_directory(path)) {
      auto listed = io_.files.list(path, options_.recursive);
      if (!listed) {
        errors_.push_back(std::move(listed).error());
        continue;
      }
      files = *std::move(listed);
      if (files.empty()) errors_.push_back(invalid_input("no file in " + path));
    }
    RttSource source;
    for (const std::string& file : files)
      if (const std::string* bytes = bytes_of(file))
        source.push_back({shown_name(file), *bytes, kPadding});
    sources.push_back(std::move(source));
  }
  return sources;
}

void InputReader::take_reading(RttReading reading, Input& input) {
  append(errors_, std::move(reading.errors));
  append(input.facts.warnings, std::move(reading.warnings));
  input.details = std::move(reading.details);
  input.formats = std::move(reading.formats);
  if (input.rtt.empty()) {
    input.rtt = std::move(reading.matrix);
    return;
  }
  input.rtt.merge(reading.matrix);
  for (PairStats& pair :
       input.details.pairs) {  // both matrices are in name order, so these stay so
    pair.from = *input.rtt.find(reading.matrix.name(pair.from));
    pair.to = *input.rtt.find(reading.matrix.name(pair.to));
  }
}

// Without --rtt, what the cluster facts carry.
bool InputReader::read_rtt(Input& input, const std::vector<LatencyObject>& objects) {
  RttOptions options = rtt_options(options_);
  options.nodes = input.facts.nodes;
  options.keep_details = keeps_details_;
  if (!options_.rtt_names.empty()) {
    const std::string* bytes = bytes_of(options_.rtt_names);
    if (bytes == nullptr) return false;
    RttNames names = read_rtt_names({shown_name(options_.rtt_names), *bytes, kPadding});
    append(errors_, std::move(names.errors));
    options.names = std::move(names.names);
  }
  if (!options_.rtt.empty()) {
    const std::vector<RttSource> sources = rtt_sources();
    if (errors_.empty()) take_reading(gedge::read_rtt(sources, options), input);
  } else if (!objects.empty()) {
    take_reading(read_node_latency(objects, options), input);
  }
  return errors_.empty();
}

// Without --cluster: the nodes of the manifests, else those of the cluster that kubectl would ask.
std::optional<Input> InputReader::read(const std::vector<std::string>& added) {
  auto input = read_from(options_.cluster, added);
  if (!lacks_cluster_ || !may_be_live(io_, options_.server)) return input;
  lacks_cluster_ = false;
  return read_from({"live"}, added);
}

std::string InputReader::default_namespace() const {
  if (!options_.namespace_name.empty()) return options_.namespace_name;
  return live_ ? live_->namespace_name : options_.home;
}

std::optional<Input> InputReader::read_from(const std::vector<std::string>& cluster,
                                            const std::vector<std::string>& added) {
  list_live_sources(cluster);
  synthetic_rtt_ = {};
  FactsLoader loader({default_namespace(), compat_, options_.max_input});
  add_cluster(loader, cluster);
  add_manifests(loader, options_.files);
  add_manifests(loader, added);
  progress_.show("expanding workloads", 0, 0);
  LoadResult result = loader.finish();
  append(errors_, std::move(result.errors));
  if (!result.loaded || !errors_.empty()) return std::nullopt;

  Input input;
  input.facts = std::move(result.loaded->facts);
  append(input.facts.warnings, std::vector(live_warnings_));
  if (options_.rtt.empty()) input.rtt = std::move(synthetic_rtt_);
  const bool lacks_nodes = needs_nodes_ && input.facts.nodes.empty();
  lacks_cluster_ = lacks_nodes && cluster.empty();
  if (lacks_nodes && !lacks_cluster_) {
    errors_.push_back(invalid_input(
        "no nodes in " + join_words(cluster), {},
        "name a source that has some: `kubectl get nodes,pods -A -o json` prints one"));
    return std::nullopt;
  }
  if (lacks_cluster_ || !read_rtt(input, result.loaded->latency)) return std::nullopt;
  return input;
}

}  // namespace gedge::cli
