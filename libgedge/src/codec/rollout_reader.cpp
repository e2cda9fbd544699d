#include "codec/rollout_reader.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "codec/fields.hpp"
#include "gedge/base/saturated.hpp"

namespace gedge::codec {
namespace {

std::optional<Cursor> map_at(std::optional<Cursor> map, std::string_view key) {
  if (!map || !map->is_map()) return std::nullopt;
  const auto found = map->find(key);
  return found && found->is_map() ? found : std::nullopt;
}

std::int64_t number_at(std::optional<Cursor> map, std::string_view key) {
  const auto found = map ? map->find(key) : std::nullopt;
  std::int64_t number = 0;
  if (found && !found->is_null())
    if (const auto read = found->integer(0, INT64_MAX)) number = *read;
  return number;
}

// maxUnavailable or maxSurge, "25%" unless said; of a share the former is rounded down, the latter
// up, as the controller does.
std::int64_t amount_at(std::optional<Cursor> rolling, std::string_view key, std::int32_t replicas,
                       bool rounds_up) {
  constexpr std::int64_t kUnlessSaid = 25, kHundred = 100;
  const auto said = rolling ? rolling->find(key) : std::nullopt;
  const auto text = said && !said->is_null() ? said->text_or_number() : std::nullopt;
  std::int64_t number = kUnlessSaid;
  bool is_percent = true;
  if (text) {
    const std::string_view all = *text;
    const auto [end, failed] = std::from_chars(all.data(), all.data() + all.size(), number);
    is_percent = failed == std::errc{} && std::string_view(end, all.data() + all.size()) == "%";
    if (failed != std::errc{} || number < 0) number = 0;
  }
  if (!is_percent) return number;
  return saturated_sum(saturated_product(number, replicas), rounds_up ? kHundred - 1 : 0) /
         kHundred;
}

// Where neither one more may come nor one lack, one may lack all the same.
std::int32_t unavailable_of(std::optional<Cursor> rolling, std::int32_t replicas) {
  const std::int64_t number = amount_at(rolling, "maxUnavailable", replicas, false);
  const bool is_stuck = number == 0 && amount_at(rolling, "maxSurge", replicas, true) == 0;
  return static_cast<std::int32_t>(std::min<std::int64_t>(is_stuck ? 1 : number, replicas));
}

bool lags(Cursor object) {
  return number_at(map_at(object, "status"), "observedGeneration") <
         number_at(map_at(object, "metadata"), "generation");
}

RolloutRules::Progress progress_of(Cursor object) {
  const auto status = map_at(object, "status");
  return {number_at(map_at(object, "metadata"), "generation"), number_at(status, "updatedReplicas"),
          number_at(status, "replicas")};
}

// Its progressDeadlineSeconds have passed; and what keeps it from making pods.
void read_conditions(std::optional<Cursor> status, RolloutRules& rules) {
  const auto conditions = status ? status->find("conditions") : std::nullopt;
  if (!conditions) return;
  conditions->items([&](Cursor item) {
    if (!item.is_map()) return;
    const std::string type = text_at(item, "type"), is = text_at(item, "status");
    if (type == "Progressing" && is == "False") rules.is_stuck = true;
    if (type == "ReplicaFailure" && is == "True") rules.failure = text_at(item, "message");
  });
}

RolloutRules of_deployment(Cursor object, std::int32_t replicas) {
  RolloutRules rules;
  const auto spec = map_at(object, "spec"), status = map_at(object, "status");
  const auto strategy = map_at(spec, "strategy");
  const bool recreates = strategy && text_at(*strategy, "type") == "Recreate";
  rules.kind = recreates ? RolloutRules::Kind::kRecreate : RolloutRules::Kind::kRolling;
  rules.unavailable =
      recreates ? replicas : unavailable_of(map_at(strategy, "rollingUpdate"), replicas);
  const auto paused = spec ? spec->find("paused") : std::nullopt;
  if (paused) read_bool(*paused, rules.is_partial);
  rules.progress = progress_of(object);
  const bool has_old = rules.progress.updated < rules.progress.all;
  if (!lags(object)) read_conditions(status, rules);
  rules.is_under_way = lags(object) || (has_old && !rules.is_stuck && !rules.is_partial);
  return rules;
}

// Below its partition pods stay as they are.
RolloutRules of_stateful_set(Cursor object, std::int32_t replicas) {
  RolloutRules rules;
  const auto spec = map_at(object, "spec"), status = map_at(object, "status");
  const auto strategy = map_at(spec, "updateStrategy");
  if (strategy && text_at(*strategy, "type") == "OnDelete") return rules;
  rules.kind = RolloutRules::Kind::kRolling;
  rules.unavailable = 1;
  rules.is_ordered = !spec || text_at(*spec, "podManagementPolicy") != "Parallel";
  const std::int64_t partition = number_at(map_at(strategy, "rollingUpdate"), "partition");
  rules.is_partial = partition > 0;
  rules.progress = progress_of(object);
  const bool differ =
      status && text_at(*status, "currentRevision") != text_at(*status, "updateRevision");
  const bool lacks_some = !rules.is_partial || rules.progress.updated < replicas - partition;
  rules.is_under_way = lags(object) || (differ && lacks_some);
  return rules;
}

}  // namespace

RolloutRules read_rollout(const std::string& kind, Cursor object, std::int32_t replicas) {
  if (kind == "Deployment") return of_deployment(object, replicas);
  if (kind == "StatefulSet") return of_stateful_set(object, replicas);
  return {};
}

std::string read_grown(Cursor object) {
  const auto notes = map_at(map_at(object, "metadata"), "annotations");
  return notes ? text_at(*notes, kGrownAnnotation) : std::string();
}

}  // namespace gedge::codec
