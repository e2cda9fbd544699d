#include "gedge/drive/publish_latency.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "gedge/codec/api_requests.hpp"
#include "gedge/codec/latency.hpp"
#include "gedge/codec/load.hpp"
#include "gedge/codec/node_latency.hpp"
#include "gedge/drive/api_call.hpp"
#include "gedge/drive/list_kind.hpp"

namespace gedge {
namespace {

constexpr unsigned kTooMany = 429;
constexpr Nanos kPause{1'000'000'000}, kMostPause{60'000'000'000};

bool begins_pairs(const RttMatrix& matrix, const PairDetails& details, NameIndex from) {
  for (std::uint32_t i = 0; i < matrix.size(); ++i) {
    const NameIndex to{i};
    if (to != from && (matrix.at(from, to) != kUnmeasured || details.find(from, to) != nullptr))
      return true;
  }
  return false;
}

// What cannot be read is as if it were not there: it is written anew.
Result<RttReading> read_published(ApiTransport& transport, const Clock& clock,
                                  const ClusterListOptions& options) {
  auto listing = list_kind(transport, clock, codec::kNodeLatencies, options);
  if (!listing) return std::move(listing).error();
  RttOptions how;
  how.keep_details = true;
  std::vector<LatencyObject> objects;
  for (const ListedPage& page : listing->pages) {
    FactsLoader loader;
    loader.add_cluster({page.name, page.json, 0});
    LoadResult result = loader.finish();
    if (!result.loaded) continue;
    for (LatencyObject& object : result.loaded->latency) objects.push_back(std::move(object));
  }
  RttReading reading;
  if (!objects.empty()) reading = read_node_latency(objects, how);
  if (!reading.errors.empty()) reading = {};
  return reading;
}

// An apply may be sent again, whatever became of it.
Status apply(ApiTransport& transport, const std::string& name, const std::string& body,
             int most_tries) {
  const ApiListener nobody{[](std::uint64_t, std::string_view) {},
                           [](std::uint64_t, const ApiAnswer&) {}};
  for (int tries = 1;; ++tries) {
    const auto answer = call(transport, codec::apply_node_latency_request(name, body));
    if (!answer) return answer.error();
    if (answer->status >= 200 && answer->status < 300) return {};
    const bool may_pass = answer->status == 0 || answer->status == kTooMany ||
                          answer->status == 409 || answer->status >= 500;
    if (!may_pass || tries >= most_tries)
      return codec::refusal(*answer, "cannot write NodeLatency " + name);
    GEDGE_TRY(transport.wait(std::min(answer->retry_after.value_or(kPause), kMostPause), nobody));
  }
}

}  // namespace

Result<Publication> publish_latency(ApiTransport& transport, const Clock& clock,
                                    const RttMatrix& matrix, const PairDetails& details,
                                    const PublishOptions& options) {
  auto published = read_published(transport, clock, options.listing);
  if (!published) return std::move(published).error();
  Publication publication;
  for (std::uint32_t i = 0; i < matrix.size(); ++i) {
    const NameIndex from{i};
    if (!begins_pairs(matrix, details, from)) continue;
    if (!is_material(from, matrix, details, published->matrix, published->details,
                     options.material)) {
      ++publication.unchanged;
      continue;
    }
    Status applied = apply(transport, matrix.name(from),
                           codec::write_node_latency(matrix, details, from), options.most_tries);
    if (applied)
      ++publication.written;
    else
      publication.failures.push_back(std::move(applied).error());
  }
  return publication;
}

}  // namespace gedge
