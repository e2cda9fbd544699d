#include "drive/latency_watch.hpp"

#include <algorithm>
#include <utility>

#include "gedge/codec/api_requests.hpp"
#include "gedge/codec/load.hpp"

namespace gedge {
namespace {

constexpr unsigned kOk = 200, kNotFound = 404, kUnreadable = 422;
constexpr std::size_t kPadding = 64;
constexpr std::uint32_t kPageSize = 100;  // an object of a thousand peers has 200 KB
constexpr Nanos kTogether{1'000'000'000};

// What is measured from that name is not known any more.
void forget_row(RttMatrix& matrix, const std::string& name) {
  const auto from = matrix.find(name);
  if (!from) return;
  for (std::uint32_t to = 0; to < matrix.size(); ++to)
    if (NameIndex{to} != *from) matrix.set(*from, NameIndex{to}, kUnmeasured);
}

// Lists are made anew now and then, and say mostly what is known.
bool are_same(const RttMatrix& a, const RttMatrix& b) {
  if (a.names() != b.names()) return false;
  for (std::uint32_t i = 0; i < a.size(); ++i) {
    const auto row = a.row(NameIndex{i}), other = b.row(NameIndex{i});
    if (!std::equal(row.begin(), row.end(), other.begin())) return false;
  }
  return true;
}

}  // namespace

LatencyWatch::LatencyWatch(RttOptions options, const ReflectorOptions& reflector,
                           std::uint64_t seed)
    : options_(std::move(options)),
      sources_{Source("/api/v1/namespaces/gedge-system/configmaps", "metadata.name=gedge-latency",
                      true, Reflector(seed, reflector)),
               Source("/apis/gedge.io/v1alpha1/nodelatencies", "", false,
                      Reflector(seed + 1, reflector))} {}

void LatencyWatch::advance(ApiTransport& transport, std::uint64_t& last_ticket, Nanos now) {
  for (Source& source : sources_) {
    if (source.reflector.is_vain(now)) source.resume(transport, now);
    const auto call = source.reflector.advance(now, transport.pings());
    if (!call) continue;
    if (call->is_list && call->next.empty()) source.listed.clear();
    source.ticket = ++last_ticket;
    transport.send(source.ticket,
                   codec::collection_request(source.path, source.field_selector, *call, kPageSize));
  }
}

std::optional<Nanos> LatencyWatch::next() const {
  std::optional<Nanos> next;
  if (is_pending() && is_synced()) next = not_before_;
  for (const Source& source : sources_)
    if (const auto at = source.reflector.next()) next = next ? std::min(*next, *at) : *at;
  return next;
}

LatencyWatch::Source* LatencyWatch::find(std::uint64_t ticket) {
  const auto at = std::find_if(sources_.begin(), sources_.end(),
                               [&](const Source& source) { return source.ticket == ticket; });
  return at == sources_.end() ? nullptr : &*at;
}

bool LatencyWatch::owns(std::uint64_t ticket) const {
  return ticket != 0 && std::any_of(sources_.begin(), sources_.end(),
                                    [&](const Source& source) { return source.ticket == ticket; });
}

bool LatencyWatch::take_line(std::uint64_t ticket, std::string_view line, Nanos now,
                             ClusterListener& listener) {
  Source& source = *find(ticket);
  const auto read = reader_.read(line, kPadding);
  if (!read) {
    listener.failed(read.error());
    source.ticket = 0;
    source.reflector.failed(kUnreadable, std::nullopt, now);
    return false;
  }
  if (!source.reflector.take_line(*read, now)) {
    source.ticket = 0;
    return false;
  }
  if (read->type == WatchType::kOther && unknown_changes_++ == 0)
    listener.failed(unknown_change(source.path, *read));
  if (read->type == WatchType::kBookmark || read->type == WatchType::kOther) return true;
  ++objects_;
  const bool is_gone = read->type == WatchType::kDeleted;
  source.changed[read->name] = is_gone ? std::string() : std::string(read->object);
  return true;
}

void LatencyWatch::take(std::uint64_t ticket, const ApiAnswer& answer, Nanos now,
                        ClusterListener& listener) {
  Source& source = *find(ticket);
  source.ticket = 0;
  const bool is_page = source.reflector.is_listing() && answer.status == kOk;
  if (!is_page || !take_page(source, answer.body, now, listener))
    take_failure(source, answer, now, listener);
}

// False: it is none.
bool LatencyWatch::take_page(Source& source, std::string_view body, Nanos now,
                             ClusterListener& listener) {
  const auto meta = reader_.read_list(body);
  if (!meta) {
    Error error = meta.error();
    error.what = std::string("cannot read ") + source.path + ": " + error.what;
    if (source.failure.note(error, now)) listener.failed(error);
    return false;
  }
  FactsLoader loader;
  loader.add_cluster({source.path, body, 0});
  LoadResult result = loader.finish();
  for (const Error& error : result.errors) listener.failed(error);
  if (result.loaded)
    for (LatencyObject& object : result.loaded->latency) source.listed.push_back(std::move(object));
  source.works(listener);
  if (!source.reflector.take_page(*meta, now)) return true;
  objects_ += source.listed.size();
  source.changed.clear();
  RttMatrix listed = read(std::exchange(source.listed, {}), listener);
  source.is_changed = source.is_changed || !are_same(source.matrix, listed);
  source.matrix = std::move(listed);
  return true;
}

void LatencyWatch::take_failure(Source& source, const ApiAnswer& answer, Nanos now,
                                ClusterListener& listener) {
  const bool was_list = source.reflector.is_listing();
  const unsigned status = was_list && answer.status == kOk ? kUnreadable : answer.status;
  source.reflector.failed(status, answer.retry_after, now);
  if (answer.status == kOk) return;
  if (source.reflector.is_absent()) {
    source.is_changed = source.is_changed || !source.matrix.empty();
    source.matrix = {};
    source.changed.clear();
    if (status == kNotFound) return;
  }
  const Error error = codec::refusal(answer, std::string("cannot read ") + source.path);
  if (source.failure.note(error, now)) listener.failed(error);
}

// One that cannot be read spoils no other.
RttMatrix LatencyWatch::read(const std::vector<LatencyObject>& objects,
                             ClusterListener& listener) const {
  if (objects.empty()) return {};
  RttReading reading = read_node_latency(objects, options_);
  if (reading.errors.empty()) return std::move(reading.matrix);
  if (objects.size() == 1) {
    for (const Error& error : reading.errors) listener.failed(error);
    return {};
  }
  RttMatrix all;
  for (const LatencyObject& object : objects) all.merge(read({object}, listener));
  return all;
}

void LatencyWatch::apply(Source& source, ClusterListener& listener) {
  if (source.changed.empty()) return;
  std::vector<LatencyObject> objects;
  for (auto& [name, json] : std::exchange(source.changed, {})) {
    forget_row(source.matrix, name);
    if (!json.empty()) objects.push_back({std::string(source.path) + "/" + name, json});
  }
  RttMatrix read = this->read(objects, listener);
  if (source.is_whole)
    source.matrix = std::move(read);
  else
    source.matrix.merge(read);
  source.is_changed = true;
}

bool LatencyWatch::is_pending() const {
  return std::any_of(sources_.begin(), sources_.end(), [](const Source& source) {
    return source.is_changed || !source.changed.empty();
  });
}

void LatencyWatch::flush(Nanos now, ClusterListener& listener) {
  if (now < not_before_ || !is_synced() || !is_pending()) return;
  RttMatrix all;
  for (Source& source : sources_) {
    apply(source, listener);
    source.is_changed = false;
    all.merge(source.matrix);
  }
  not_before_ = now + kTogether;
  listener.measured(std::move(all));
}

void LatencyWatch::cancel(ApiTransport& transport) {
  for (Source& source : sources_)
    if (source.ticket != 0) transport.cancel(std::exchange(source.ticket, 0));
}

bool LatencyWatch::is_synced() const {
  return std::all_of(sources_.begin(), sources_.end(),
                     [](const Source& source) { return source.is_synced(); });
}

bool LatencyWatch::is_current(Nanos now) const {
  return std::all_of(sources_.begin(), sources_.end(),
                     [now](const Source& source) { return source.is_current(now); });
}

void LatencyWatch::refresh(ApiTransport& transport, Nanos now) {
  for (Source& source : sources_)
    if (source.reflector.is_unheard(now)) source.resume(transport, now);
}

void LatencyWatch::distrust(ApiTransport& transport, Nanos since, Nanos now) {
  for (Source& source : sources_) {
    source.reflector.distrust(since);
    if (source.reflector.is_watching()) source.resume(transport, now);
  }
}

const Error* LatencyWatch::failing(Nanos now, Nanos at_least) const {
  for (const Source& source : sources_)
    if (!source.reflector.is_absent() && !source.is_current(now))
      if (const Error* const failure = source.failure.lasting(at_least)) return failure;
  return nullptr;
}

void LatencyWatch::add_unsynced(Nanos now, std::vector<std::string>& paths) const {
  for (const Source& source : sources_)
    if (!source.is_current(now)) paths.emplace_back(source.path);
}

std::uint64_t LatencyWatch::lists() const {
  return sources_[0].reflector.lists() + sources_[1].reflector.lists();
}

std::uint64_t LatencyWatch::watches() const {
  return sources_[0].reflector.watches() + sources_[1].reflector.watches();
}

}  // namespace gedge
