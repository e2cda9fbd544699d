// codec/manifest_parts.hpp - what the manifests of several modes are made of.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "codec/document_sink.hpp"
#include "gedge/codec/manifests.hpp"

namespace gedge::codec {

using Words = std::initializer_list<std::string_view>;

/// A rule of a role: these verbs on these resources of one API group; `names` empty: all of them.
Json rule(std::string_view group, Words resources, Words verbs, Words names = {});

/// Whom objects belong to: "gedge-scheduler", part "scheduler".
struct Component {
  std::string name, part, namespace_name;
  Json labels() const;
  Json meta() const;          ///< of an object of the namespace
  Json cluster_meta() const;  ///< of one without any
};

// Modes with a file of their own; `options` as for write_manifests().
void add_autoscaler(const ManifestOptions& options, std::vector<Json>& out);
void add_custom_metrics(const ManifestOptions& options, std::vector<Json>& out);

/// An account, and what it may do in the whole cluster.
void add_account(const Component& who, std::vector<Json>& out);
void add_cluster_role(const Component& who, const std::string& role, Json rules,
                      std::vector<Json>& out);
/// In its own namespace alone.
/// `space`: where it counts; empty: where the component runs.
void add_role(const Component& who, const std::string& role, Json rules, std::vector<Json>& out,
              const std::string& space = {});

/// A container without rights: no root, no capability, nothing to write to.
struct ContainerDraft {
  std::string image;
  std::vector<std::string> arguments;
  std::uint16_t port = 0;
  std::string probe_scheme = "HTTPS";
  std::string probe_host;  ///< empty: the pod's address
  std::string cpu = "100m", memory = "64Mi", memory_limit = "512Mi";
  Json env = Json::array();
  bool has_web_files = true;              ///< certificate, key and token of the Secret gedge-web
  std::string config_map, config_folder;  ///< where its files lie; empty: there is none
};
/// spec of a pod; `more` is added to it.
Json pod_spec(const Component& who, const ContainerDraft& draft, const Json& more = Json::object());
Json pod_template(const Component& who, const ContainerDraft& draft,
                  const Json& more = Json::object());

/// Objects by which a server, of this version of its API for them, serves its requests among those
/// that matter most, and what it `elects` by before them; version empty: none.
void add_flow_schemas(const Component& who, const std::string& version, bool elects,
                      std::vector<Json>& out);

/// A Service of its port, and, where they are asked for, whom Prometheus asks.
void add_monitoring(const Component& who, std::uint16_t port, bool has_monitor,
                    std::vector<Json>& out);

/// The arguments that name the files of the Secret gedge-web.
std::vector<std::string> web_arguments();

}  // namespace gedge::codec
