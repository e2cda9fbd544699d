#include "drive/api_kind.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "gedge/model/fact_names.hpp"

namespace gedge {
namespace {

constexpr unsigned kForbidden = 403, kNotFound = 404, kUnreadable = 422;
constexpr std::size_t kPadding = 64, kMostInBatch = 4'096;

}  // namespace

ApiCluster::Kind::Kind(const ApiPath& path, const ApiClusterOptions& options, std::uint64_t seed)
    : path_(path), options_(options), reflector_(seed, options.reflector) {}

ApiRequest ApiCluster::Kind::request(const ReflectorCall& call) {
  if (call.is_list && call.next.empty()) listed_.clear();
  return codec::collection_request(path_.path, path_.field_selector, call, options_.page_size);
}

std::optional<Facts> ApiCluster::Kind::load(const std::vector<std::string_view>& texts,
                                            std::size_t padding, Errors& errors) const {
  FactsLoader loader(options_.load);
  for (const std::string_view text : texts) loader.add_cluster({path_.path, text, padding});
  LoadResult result = loader.finish();
  if (result.loaded) return std::move(result.loaded->facts);
  errors = std::move(result.errors);
  return std::nullopt;
}

// Namespaces that are known only because pods lie in them are those of the server, which says more.
void ApiCluster::Kind::put(Facts facts, ClusterListener& listener) {
  facts.warnings.clear();
  if (path_.kind != FactKind::kNamespace) facts.namespaces.clear();
  if (is_listing_) {
    std::vector<PodName> names = fact_names(facts, path_.kind);
    listed_.insert(listed_.end(), std::make_move_iterator(names.begin()),
                   std::make_move_iterator(names.end()));
  }
  listener.put(std::move(facts));
}

// One that cannot be read spoils no other.
void ApiCluster::Kind::load_alone(const std::vector<std::string>& texts,
                                  ClusterListener& listener) {
  for (const std::string& text : texts) {
    Errors errors;
    if (auto facts = load({text}, 0, errors)) {
      put(*std::move(facts), listener);
      continue;
    }
    ++unreadable_;
    for (const Error& error : errors) listener.failed(error);
  }
}

Status ApiCluster::Kind::take_page(std::string_view body, Nanos now, ClusterListener& listener) {
  const auto meta = reader_.read_list(body);
  if (!meta) return meta.error();
  is_listing_ = true;
  Errors errors;
  if (auto facts = load({body}, 0, errors)) {
    objects_ += facts->nodes.size() + facts->pods.size();
    put(*std::move(facts), listener);
  } else {
    auto items = reader_.read_items(body);
    if (!items) return std::move(items).error();
    for (std::string& item : *items)
      item = std::string("{\"apiVersion\":\"") + path_.version + "\",\"kind\":\"" + path_.list +
             "\",\"items\":[" + item + "]}";
    load_alone(*items, listener);
  }
  told_.clear();
  is_missing_ = false;
  if (!reflector_.take_page(*meta, now)) return {};
  listener.keep_only(path_.kind, std::exchange(listed_, {}));
  is_listing_ = false;
  return {};
}

bool ApiCluster::Kind::take_line(std::string_view line, Nanos now, ClusterListener& listener) {
  const auto read = reader_.read(line, kPadding);
  if (!read) {
    tell(read.error(), listener);
    reflector_.failed(kUnreadable, std::nullopt, now);
    return false;
  }
  if (!reflector_.take_line(*read, now)) return false;
  if (read->type == WatchType::kBookmark || read->type == WatchType::kOther) return true;
  ++objects_;
  told_.clear();
  std::string key = read->namespace_name + "/" + read->name;
  if (read->type == WatchType::kDeleted) {
    if (in_batch_.contains(key)) flush(listener);
    listener.remove(path_.kind, read->namespace_name, read->name, read->uid);
    return true;
  }
  if (in_batch_.contains(key) || batch_.size() >= kMostInBatch) flush(listener);
  in_batch_.insert(std::move(key));
  std::string& object = batch_.emplace_back();
  object.reserve(read->object.size() + kPadding);
  object = read->object;
  return true;
}

void ApiCluster::Kind::flush(ClusterListener& listener) {
  if (batch_.empty()) return;
  const std::vector<std::string> batch = std::exchange(batch_, {});
  in_batch_.clear();
  Errors errors;
  if (auto facts = load({batch.begin(), batch.end()}, 0, errors))
    return put(*std::move(facts), listener);
  load_alone(batch, listener);
}

void ApiCluster::Kind::failed(const ApiAnswer& answer, Nanos now, ClusterListener& listener) {
  reflector_.failed(answer.status, answer.retry_after, now);
  if (answer.status == 200) return;
  const bool is_absent = answer.status == kNotFound || answer.status == kForbidden;
  if (path_.may_be_missing && is_absent && !std::exchange(is_missing_, true))
    listener.keep_only(path_.kind, {});
  if (path_.may_be_missing && answer.status == kNotFound) return;
  tell(codec::refusal(answer, std::string("cannot read ") + path_.path), listener);
}

void ApiCluster::Kind::tell(const Error& error, ClusterListener& listener) {
  if (std::exchange(told_, error.what) != error.what) listener.failed(error);
}

}  // namespace gedge
