// The documents Verification and PolicyList.
#include <algorithm>

#include "codec/document_sink.hpp"
#include "codec/write_parts.hpp"
#include "gedge/codec/write_verification.hpp"

namespace gedge {
namespace {

using codec::DocumentSink;
using codec::Json;
using codec::or_null;

Json violation_json(const Violation& v) {
  return Json{{"namespace", v.namespace_name},
              {"pod", v.pod},
              {"node", v.node},
              {"rule", v.rule},
              {"message", v.text}};
}

Json policy_json(const PolicyRow& row) {
  Json versions = Json::array();
  if (row.info.in_1_20) versions.push_back(to_string(Compat::k1_20));
  if (row.info.in_1_36) versions.push_back(to_string(Compat::k1_36));
  Json json{{"name", row.info.name}, {"filter", row.info.filter}, {"score", row.info.score}};
  json["filters"] = row.filters;
  json["weight"] = or_null(row.weight);
  json["formula"] = row.info.formula;
  json["range"] = row.info.range;
  json["source"] = row.info.source;
  json["compat"] = std::move(versions);
  json["module"] = row.module.empty() ? Json(nullptr) : Json(row.module);
  return json;
}

}  // namespace

std::string write(const Verification& verification, TextFormat format) {
  return write(verification, {}, format);
}

std::string write(const Verification& verification, const std::vector<UnplacedPod>& unplaced,
                  TextFormat format) {
  const std::vector<Violation>& all = verification.violations;
  return codec::write_document(format, [&](DocumentSink& sink) {
    put_head(sink, "Verification");
    sink.field("holds", all.empty());
    sink.list("violations", all.size(), [&](std::size_t i) { return violation_json(all[i]); });
    sink.list("unplaced", unplaced.size(), [&](std::size_t i) {
      return Json{{"namespace", unplaced[i].namespace_name}, {"pod", unplaced[i].pod}};
    });
    sink.field("summary", Json{{"placements", verification.placements},
                               {"violations", all.size()},
                               {"unplaced", unplaced.size()}});
  });
}

PolicyList policy_list(const Profile& profile) {
  PolicyList list{profile.name, profile.compat, {}};
  for (const PolicyInfo& info : policy_catalogue()) {
    PolicyRow row{info, "", false, std::nullopt};
    const auto is_it = [&](const ProfileEntry& entry) { return entry.policy == info.name; };
    row.filters = std::any_of(profile.filters.begin(), profile.filters.end(), is_it);
    const auto score = std::find_if(profile.scores.begin(), profile.scores.end(), is_it);
    if (score != profile.scores.end()) row.weight = score->weight;
    list.policies.push_back(std::move(row));
  }
  return list;
}

std::string write(const PolicyList& list, TextFormat format) {
  return codec::write_document(format, [&](DocumentSink& sink) {
    put_head(sink, "PolicyList");
    sink.field("profile", list.profile);
    sink.field("compat", to_string(list.compat));
    sink.list("policies", list.policies.size(),
              [&](std::size_t i) { return policy_json(list.policies[i]); });
  });
}

}  // namespace gedge
