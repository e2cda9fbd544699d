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

/// "autoscaling/v2", or what a server of this minor version has instead.
std::string autoscaling_version(int minor);
/// Where the objects lie that are watched; `namespace_name` empty: those of all namespaces.
std::string autoscalers_path(int minor, const std::string& namespace_name);
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

/// PATCH of the status of a HorizontalPodAutoscaler.
ApiRequest status_request(const ScaleReport& report, int minor);

}  // namespace gedge::codec
