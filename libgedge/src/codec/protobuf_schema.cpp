#include "codec/protobuf_schema.hpp"

namespace gedge::codec {
namespace {

using enum ProtobufForm;
using Field = ProtobufField;
using Message = ProtobufMessage;

// Parts of all kinds.

constexpr Field kListMetaFields[] = {{2, "resourceVersion"}, {3, "continue"}};
constexpr Message kListMeta{kListMetaFields};

constexpr Field kOwnerFields[] = {{1, "kind"}, {3, "name"}, {4, "uid"}, {6, "controller", kBool}};
constexpr Message kOwner{kOwnerFields};

constexpr Field kObjectMetaFields[] = {
    {1, "name"},
    {2, "generateName"},
    {3, "namespace"},
    {5, "uid"},
    {6, "resourceVersion"},
    {8, "creationTimestamp", kTime},
    {9, "deletionTimestamp", kTime},
    {11, "labels", kTexts},
    {12, "annotations", kTexts},
    {13, "ownerReferences", kMessage, true, &kOwner},
};
constexpr Message kObjectMeta{kObjectMetaFields};

constexpr Field kLabelExpressionFields[] = {
    {1, "key"}, {2, "operator"}, {3, "values", kText, true}};
constexpr Message kLabelExpression{kLabelExpressionFields};

constexpr Field kLabelSelectorFields[] = {
    {1, "matchLabels", kTexts}, {2, "matchExpressions", kMessage, true, &kLabelExpression}};
constexpr Message kLabelSelector{kLabelSelectorFields};

constexpr Field kConditionFields[] = {{1, "type"}, {2, "status"}, {5, "reason"}, {6, "message"}};
constexpr Message kCondition{kConditionFields};

constexpr Field kResourcesFields[] = {{1, "limits", kQuantities}, {2, "requests", kQuantities}};
constexpr Message kResources{kResourcesFields};

// Nodes.

constexpr Field kTaintFields[] = {{1, "key"}, {2, "value"}, {3, "effect"}};
constexpr Message kTaint{kTaintFields};

constexpr Field kNodeSpecFields[] = {{4, "unschedulable", kBool},
                                     {5, "taints", kMessage, true, &kTaint}};
constexpr Message kNodeSpec{kNodeSpecFields};

constexpr Field kAddressFields[] = {{1, "type"}, {2, "address"}};
constexpr Message kAddress{kAddressFields};

constexpr Field kImageFields[] = {{1, "names", kText, true}, {2, "sizeBytes", kNumber}};
constexpr Message kImage{kImageFields};

constexpr Field kNodeStatusFields[] = {
    {1, "capacity", kQuantities},
    {2, "allocatable", kQuantities},
    {4, "conditions", kMessage, true, &kCondition},
    {5, "addresses", kMessage, true, &kAddress},
    {8, "images", kMessage, true, &kImage},
};
constexpr Message kNodeStatus{kNodeStatusFields};

constexpr Field kNodeFields[] = {{1, "metadata", kMessage, false, &kObjectMeta},
                                 {2, "spec", kMessage, false, &kNodeSpec},
                                 {3, "status", kMessage, false, &kNodeStatus}};
constexpr Message kNode{kNodeFields};

// What pods ask of nodes and of each other.

constexpr Field kNodeTermFields[] = {
    {1, "matchExpressions", kMessage, true, &kLabelExpression},
    {2, "matchFields", kMessage, true, &kLabelExpression},
};
constexpr Message kNodeTerm{kNodeTermFields};

constexpr Field kNodeSelectorFields[] = {{1, "nodeSelectorTerms", kMessage, true, &kNodeTerm}};
constexpr Message kNodeSelector{kNodeSelectorFields};

constexpr Field kPreferredNodeTermFields[] = {{1, "weight", kNumber},
                                              {2, "preference", kMessage, false, &kNodeTerm}};
constexpr Message kPreferredNodeTerm{kPreferredNodeTermFields};

constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution",
                           kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";

constexpr Field kNodeAffinityFields[] = {
    {1, kRequired, kMessage, false, &kNodeSelector},
    {2, kPreferred, kMessage, true, &kPreferredNodeTerm},
};
constexpr Message kNodeAffinity{kNodeAffinityFields};

constexpr Field kPodTermFields[] = {
    {1, "labelSelector", kMessage, false, &kLabelSelector},
    {2, "namespaces", kText, true},
    {3, "topologyKey"},
    {4, "namespaceSelector", kMessage, false, &kLabelSelector},
    {5, "matchLabelKeys", kText, true},
    {6, "mismatchLabelKeys", kText, true},
};
constexpr Message kPodTerm{kPodTermFields};

constexpr Field kPreferredPodTermFields[] = {{1, "weight", kNumber},
                                             {2, "podAffinityTerm", kMessage, false, &kPodTerm}};
constexpr Message kPreferredPodTerm{kPreferredPodTermFields};

constexpr Field kPodAffinityFields[] = {
    {1, kRequired, kMessage, true, &kPodTerm},
    {2, kPreferred, kMessage, true, &kPreferredPodTerm},
};
constexpr Message kPodAffinity{kPodAffinityFields};

constexpr Field kAffinityFields[] = {
    {1, "nodeAffinity", kMessage, false, &kNodeAffinity},
    {2, "podAffinity", kMessage, false, &kPodAffinity},
    {3, "podAntiAffinity", kMessage, false, &kPodAffinity},
};
constexpr Message kAffinity{kAffinityFields};

constexpr Field kTolerationFields[] = {{1, "key"}, {2, "operator"}, {3, "value"}, {4, "effect"}};
constexpr Message kToleration{kTolerationFields};

constexpr Field kSpreadFields[] = {
    {1, "maxSkew", kNumber},    {2, "topologyKey"},
    {3, "whenUnsatisfiable"},   {4, "labelSelector", kMessage, false, &kLabelSelector},
    {5, "minDomains", kNumber}, {6, "nodeAffinityPolicy"},
    {7, "nodeTaintsPolicy"},    {8, "matchLabelKeys", kText, true},
};
constexpr Message kSpread{kSpreadFields};

// What pods are made of.

constexpr Field kPortFields[] = {
    {2, "hostPort", kNumber}, {3, "containerPort", kNumber}, {4, "protocol"}, {5, "hostIP"}};
constexpr Message kPort{kPortFields};

constexpr Field kVariableFields[] = {{1, "name"}, {2, "value"}};
constexpr Message kVariable{kVariableFields};

constexpr Field kContainerFields[] = {
    {1, "name"},
    {2, "image"},
    {6, "ports", kMessage, true, &kPort},
    {7, "env", kMessage, true, &kVariable},
    {8, "resources", kMessage, false, &kResources},
    {24, "restartPolicy"},
};
constexpr Message kContainer{kContainerFields};

constexpr Field kClaimSpecFields[] = {
    {1, "accessModes", kText, true},
    {2, "resources", kMessage, false, &kResources},
    {3, "volumeName"},
    {4, "selector", kMessage, false, &kLabelSelector},
    {5, "storageClassName", kAnyText},
    {6, "volumeMode"},
};
constexpr Message kClaimSpec{kClaimSpecFields};

constexpr Field kClaimTemplateFields[] = {{2, "spec", kMessage, false, &kClaimSpec}};
constexpr Message kClaimTemplate{kClaimTemplateFields};

constexpr Field kEphemeralFields[] = {{1, "volumeClaimTemplate", kMessage, false, &kClaimTemplate}};
constexpr Message kEphemeral{kEphemeralFields};

constexpr Field kClaimSourceFields[] = {{1, "claimName"}};
constexpr Message kClaimSource{kClaimSourceFields};

constexpr Field kVolumeSourceFields[] = {
    {10, "persistentVolumeClaim", kMessage, false, &kClaimSource},
    {29, "ephemeral", kMessage, false, &kEphemeral},
};
constexpr Message kVolumeSource{kVolumeSourceFields};

constexpr Field kVolumeFields[] = {{1, "name"}, {2, "", kInline, false, &kVolumeSource}};
constexpr Message kVolume{kVolumeFields};

constexpr Field kGateFields[] = {{1, "name"}};
constexpr Message kGate{kGateFields};

constexpr Field kPodSpecFields[] = {
    {1, "volumes", kMessage, true, &kVolume},
    {2, "containers", kMessage, true, &kContainer},
    {7, "nodeSelector", kTexts},
    {10, "nodeName"},
    {11, "hostNetwork", kBool},
    {18, "affinity", kMessage, false, &kAffinity},
    {19, "schedulerName"},
    {20, "initContainers", kMessage, true, &kContainer},
    {22, "tolerations", kMessage, true, &kToleration},
    {24, "priorityClassName"},
    {25, "priority", kNumber},
    {29, "runtimeClassName"},
    {31, "preemptionPolicy"},
    {32, "overhead", kQuantities},
    {33, "topologySpreadConstraints", kMessage, true, &kSpread},
    {38, "schedulingGates", kMessage, true, &kGate},
    {40, "resources", kMessage, false, &kResources},
};
constexpr Message kPodSpec{kPodSpecFields};

constexpr Field kPodStatusFields[] = {
    {1, "phase"},
    {2, "conditions", kMessage, true, &kCondition},
    {7, "startTime", kTime},
    {11, "nominatedNodeName"},
};
constexpr Message kPodStatus{kPodStatusFields};

constexpr Field kPodFields[] = {{1, "metadata", kMessage, false, &kObjectMeta},
                                {2, "spec", kMessage, false, &kPodSpec},
                                {3, "status", kMessage, false, &kPodStatus}};
constexpr Message kPod{kPodFields};

// What a server answers with.

constexpr Field kNodeListFields[] = {{1, "metadata", kMessage, false, &kListMeta},
                                     {2, "items", kMessage, true, &kNode}};
constexpr Message kNodeList{kNodeListFields};

constexpr Field kPodListFields[] = {{1, "metadata", kMessage, false, &kListMeta},
                                    {2, "items", kMessage, true, &kPod}};
constexpr Message kPodList{kPodListFields};

constexpr Field kStatusFields[] = {{3, "message"}, {4, "reason"}, {6, "code", kNumber}};
constexpr Message kStatus{kStatusFields};

}  // namespace

const ProtobufMessage* protobuf_message(std::string_view kind) {
  if (kind == "NodeList") return &kNodeList;
  if (kind == "PodList") return &kPodList;
  if (kind == "Status") return &kStatus;
  return nullptr;
}

}  // namespace gedge::codec
