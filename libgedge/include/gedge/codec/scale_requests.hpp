// gedge/codec/scale_requests.hpp - what an autoscaler asks of an API server and of Prometheus, and
// what it is answered, as the bytes that they are.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gedge/base/error.hpp"
#include "gedge/control/scaler.hpp"
#include "gedge/port/api_transport.hpp"
#include "gedge/port/scaling.hpp"

namespace gedge::codec {

/// How a kind is called in paths: "apps" and "deployments".
struct KindName {
  std::string group, version, plural;  ///< `group` empty: the first one, without a name
};
/// Of kinds that every cluster has. Empty: whoever asks looks into the group.
std::optional<KindName> kind_name(const ObjectName& object);
/// GET of the kinds of a group; and of one of them in its answer. Errors: why there is none.
ApiRequest kinds_request(const std::string& api_version);
Result<KindName> read_kind_name(const ApiAnswer& answer, const ObjectName& object);

inline constexpr std::string_view kAutoscalingV2 = "autoscaling/v2",
                                  kAutoscalingV2beta2 = "autoscaling/v2beta2",
                                  kAutoscalingV1 = "autoscaling/v1";
/// GET of the versions that a server has; and the first of the above among them. Errors: kNotFound,
/// where there is none of them; those of a server that does not say.
ApiRequest autoscaling_request();
Result<std::string> autoscaling_version(const ApiAnswer& answer);
/// Where the objects lie that are watched; `namespace_name` empty: those of all namespaces.
std::string autoscalers_path(const std::string& version, const std::string& namespace_name);
std::string pods_path(const std::string& namespace_name);

/// GET of the subresource scale.
ApiRequest scale_request(const ScaleRead& read, const KindName& kind);
ScaleReading scale_reading(const ApiAnswer& answer, const ObjectName& target);
/// PUT of it, with the version that was read.
ApiRequest scale_write_request(const ScaleWrite& write, const KindName& kind);
ScaleAnswer scale_answer(const ApiAnswer& answer);

/// GET of values from a metrics API. `object`: the kind of what they describe, for kObject.
ApiRequest metric_request(const MetricRead& read, const KindName& object);
MetricReading metric_reading(const ApiAnswer& answer, const MetricRead& read);

/// GET of an instant query.
ApiRequest query_request(const MetricRead& read);
/// One value for each series. Not a number, infinite or below zero: nothing is read.
MetricReading query_reading(const ApiAnswer& answer, const MetricRead& read);

/// PATCH of the status of a HorizontalPodAutoscaler. In autoscaling/v1, conditions and metrics are
/// annotations, from which the server makes those of other versions.
ApiRequest status_request(const ScaleReport& report, const std::string& version);

}  // namespace gedge::codec
