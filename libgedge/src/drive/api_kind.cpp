#include "drive/api_kind.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "drive/condition_queue.hpp"
#include "gedge/codec/protobuf.hpp"
#include "gedge/model/fact_names.hpp"

namespace gedge {
namespace {

constexpr unsigned kNotFound = 404, kUnreadable = 422;
constexpr std::size_t kPadding = 64;
constexpr std::size_t kMostInBatch = std::size_t{256} << 10;  // bytes

// Nodes are asked for the most often while a server does not answer.
ReflectorOptions options_for(FactKind kind, ReflectorOptions options) {
  if (kind == FactKind::kNode)
    options.max_backoff = std::min(options.max_backoff, options.scout_backoff);
  return options;
}

// What parsers may read behind a text: nobody looks at its value.
std::size_t room_behind(const std::string& text) { return text.capacity() - text.size(); }

}  // namespace

ApiCluster::Kind::Kind(const ApiPath& path, const ApiClusterOptions& options, std::uint64_t seed,
                       ConditionQueue& conditions)
    : path_(path),
      options_(options),
      reflector_(seed, options_for(path.kind, options.reflector)),
      conditions_(conditions) {
  if (path.kind == FactKind::kPod) known_lines_.emplace(options.load);
}

std::string ApiCluster::Kind::list_head() const {
  return std::string("{\"apiVersion\":\"") + path_.version + "\",\"kind\":\"" + path_.list +
         "\",\"items\":[";
}

ApiRequest ApiCluster::Kind::request(const ReflectorCall& call) {
  if (call.next.empty()) {
    listed_.clear();
    is_listing_ = false;
  }
  ApiRequest request =
      codec::collection_request(path_.path, path_.field_selector, call, options_.page_size);
  const bool is_bulk = path_.kind == FactKind::kNode || path_.kind == FactKind::kPod;
  request.takes_protobuf = call.is_list && is_bulk && reads_protobuf_;
  return request;
}

std::optional<Facts> ApiCluster::Kind::load(std::string_view text, std::size_t padding,
                                            Errors& errors) const {
  FactsLoader loader(options_.load);
  loader.add_cluster({path_.path, text, padding});
  LoadResult result = loader.finish();
  if (result.loaded) return std::move(result.loaded->facts);
  errors = std::move(result.errors);
  return std::nullopt;
}

// Namespaces that are known only because pods lie in them are those of the server, which says more.
void ApiCluster::Kind::put(Facts facts, ClusterListener& listener) {
  facts.warnings.clear();
  tell_unread(facts, listener);
  if (path_.kind != FactKind::kNamespace) facts.namespaces.clear();
  if (is_listing_) {
    std::vector<PodName> names = fact_names(facts, path_.kind);
    listed_.insert(listed_.end(), std::make_move_iterator(names.begin()),
                   std::make_move_iterator(names.end()));
  }
  if (is_listing_)
    listener.put_listed(std::move(facts));
  else
    listener.put(std::move(facts));
}

// Replicas have what is wrong in common: it is told once of all that came together.
void ApiCluster::Kind::tell_unread(const Facts& facts, ClusterListener& listener) {
  for (const Node& node : facts.nodes) {
    if (node.unread.empty()) continue;
    ++unreadable_;
    listener.failed(invalid_input("not all of node " + node.name +
                                  " can be read, and no pod comes to it: " + node.unread));
  }
  std::map<std::string, std::vector<const Pod*>> unread;  // by why
  for (const Pod& pod : facts.pods)
    if (const std::string& why = facts.spec_of(pod).unread; !why.empty())
      unread[why].push_back(&pod);
  for (const auto& [why, pods] : unread) {
    unreadable_ += pods.size();
    const Pod& first = *pods.front();
    std::string what = "not all of pod " + first.namespace_name + "/" + first.name;
    if (pods.size() > 1) what += " and of " + std::to_string(pods.size() - 1) + " more";
    listener.failed(invalid_input(what + " can be read: " + why));
  }
}

void ApiCluster::Kind::remove(const WatchLine& line, ClusterListener& listener) {
  if (path_.kind == FactKind::kPod) conditions_.forget({line.namespace_name, line.name});
  listener.remove(path_.kind, line.namespace_name, line.name, line.uid);
}

void ApiCluster::Kind::keep_only(std::vector<PodName> names, ClusterListener& listener) {
  if (path_.kind == FactKind::kPod) conditions_.keep_only(names);
  listener.keep_only(path_.kind, std::move(names));
}

// One that cannot be read spoils no other. It is there nevertheless, as it was when it could be.
void ApiCluster::Kind::load_alone(const std::vector<std::string>& texts,
                                  ClusterListener& listener) {
  for (const std::string& text : texts) {
    Errors errors;
    if (auto facts = load(list_head() + text + "]}", 0, errors)) {
      put(*std::move(facts), listener);
      continue;
    }
    ++unreadable_;
    if (is_listing_)
      if (const auto named = reader_.read("{\"type\":\"ADDED\",\"object\":" + text + "}"))
        listed_.push_back({named->namespace_name, named->name});
    for (const Error& error : errors) listener.failed(error);
  }
}

// After protobuf that cannot be read, JSON alone is asked for.
template <typename Read>
auto ApiCluster::Kind::of_protobuf(const std::string& body, Read read) {
  auto out = read(body, path_.list);
  if (!out) reads_protobuf_ = false;
  return out;
}

Result<ListMeta> ApiCluster::Kind::read_page(const std::string& body, WatchReader& reader) {
  return codec::is_protobuf(body) ? of_protobuf(body, codec::meta_of_protobuf)
                                  : reader.read_list(body, room_behind(body));
}

Status ApiCluster::Kind::take_page(const std::string& body, ClusterListener& listener) {
  if (codec::is_protobuf(body)) {
    const auto json = of_protobuf(body, codec::json_of_protobuf);
    return json ? take_page(*json, listener) : Status(json.error());
  }
  is_listing_ = true;
  Errors errors;
  if (auto facts = load(body, room_behind(body), errors)) {
    objects_ += facts->nodes.size() + facts->pods.size();
    put(*std::move(facts), listener);
  } else {
    auto items = WatchReader().read_items(body, room_behind(body));
    if (!items) return std::move(items).error();
    load_alone(*items, listener);
  }
  works(listener);
  return {};
}

void ApiCluster::Kind::end_list(ClusterListener& listener) {
  keep_only(std::exchange(listed_, {}), listener);
  is_listing_ = false;
}

bool ApiCluster::Kind::take_line(std::string_view line, Nanos now, ClusterListener& listener) {
  if (const auto known = known_lines_ ? known_lines_->find(line) : std::nullopt) {
    if (!reflector_.take_line(*known, now)) return false;
    begin_object(*known, line.size(), listener);
    known_lines_->add();
    return true;
  }
  const auto read = reader_.read(line, kPadding);
  if (!read) {
    tell(read.error(), now, listener);
    reflector_.failed(kUnreadable, std::nullopt, now);
    return false;
  }
  if (!reflector_.take_line(*read, now)) return false;
  if (read->type == WatchType::kOther && unknown_changes_++ == 0)
    listener.failed(unknown_change(path_.path, *read));
  if (read->type == WatchType::kBookmark || read->type == WatchType::kOther) return true;
  if (!begin_object(*read, line.size(), listener)) {
    remove(*read, listener);
    return true;
  }
  add_to_batch(*read);
  if (known_lines_) known_lines_->learn(line, *read);
  return true;
}

// False: the object is gone. In a batch there is nothing else of one that comes again.
bool ApiCluster::Kind::begin_object(const WatchLine& line, std::size_t bytes,
                                    ClusterListener& listener) {
  ++objects_;
  works(listener);
  std::string key = line.namespace_name + "/" + line.name;
  const bool is_gone = line.type == WatchType::kDeleted;
  if (in_batch_.contains(key) || (!is_gone && batched_ >= kMostInBatch)) flush(listener);
  if (is_gone) return false;
  in_batch_.insert(std::move(key));
  batched_ += bytes;
  return true;
}

void ApiCluster::Kind::add_to_batch(const WatchLine& line) {
  const std::string_view object = line.object, unread = line.managed_fields;
  const bool is_whole = unread.empty();
  const auto cut =
      is_whole ? object.size() : static_cast<std::size_t>(unread.data() - object.data());
  if (in_text_.empty())
    batch_ = list_head();
  else
    batch_ += ',';
  const std::size_t begin = batch_.size();
  batch_.append(object.substr(0, cut));
  if (!is_whole) batch_.append("[]").append(object.substr(cut + unread.size()));
  in_text_.emplace_back(begin, batch_.size() - begin);
}

void ApiCluster::Kind::flush(ClusterListener& listener) {
  if (in_batch_.empty()) return;
  in_batch_.clear();
  batched_ = 0;
  if (!in_text_.empty()) load_batch(listener);
  if (known_lines_ && known_lines_->size() > 0) put(known_lines_->take(), listener);
}

void ApiCluster::Kind::load_batch(ClusterListener& listener) {
  const auto parts = std::exchange(in_text_, {});
  batch_ += "]}";
  batch_.reserve(batch_.size() + kPadding);
  const std::string_view all(batch_), one = all.substr(parts.front().first, parts.front().second);
  Errors errors;
  if (auto facts = load(parts.size() == 1 ? one : all, kPadding, errors)) {
    put(*std::move(facts), listener);
  } else {
    std::vector<std::string> texts;
    for (const auto& [begin, size] : parts) texts.emplace_back(all.substr(begin, size));
    load_alone(texts, listener);
  }
  if (batch_.capacity() > kMostInBatch) batch_ = {};
}

void ApiCluster::Kind::failed(const ApiAnswer& answer, Nanos now, ClusterListener& listener) {
  const bool was_missing = is_missing(), was_listed = reflector_.is_synced();
  const std::string path = path_.path;
  if (answer.status == kNotFound) try_other_version();
  reflector_.failed(answer.status, answer.retry_after, now);
  if (answer.status == 200) return;
  if (is_missing() && !was_missing) {
    keep_only({}, listener);
    if (was_listed)
      tell({Errc::kNotFound,
            "the server has lost " + path + ": what it had there counts no more",
            {},
            "see what it has, and what we may read of it: `kubectl api-resources`"},
           now, listener);
  }
  if (is_missing() && answer.status == kNotFound) return;
  const std::string what = "cannot read " + path;
  if (!codec::is_protobuf(answer.body)) return tell(codec::refusal(answer, what), now, listener);
  ApiAnswer told;
  told.status = answer.status;
  if (auto json = of_protobuf(answer.body, codec::json_of_protobuf)) told.body = *std::move(json);
  tell(codec::refusal(told, what), now, listener);
}

void ApiCluster::Kind::try_other_version() {
  if (path_.kind != FactKind::kDisruptionBudget) return;
  const bool is_old = std::string_view(path_.version) == kBudgetPaths[0].version;
  path_ = kBudgetPaths[is_old ? 1 : 0];
}

void ApiCluster::Kind::failed(Error error, Nanos now, ClusterListener& listener) {
  reflector_.failed(kUnreadable, std::nullopt, now);
  error.what = std::string("cannot read ") + path_.path + ": " + error.what;
  tell(error, now, listener);
}

void ApiCluster::Kind::opened(Nanos now, ClusterListener& listener) {
  reflector_.opened(now);
  works(listener);
}

void ApiCluster::Kind::works(ClusterListener& listener) {
  if (failure_.clear()) listener.recovered();
}

void ApiCluster::Kind::tell(const Error& error, Nanos now, ClusterListener& listener) {
  if (failure_.note(error, now)) listener.failed(error);
}

}  // namespace gedge
