// gedge/codec/kubeconfig.hpp - kubeconfig files, YAML or JSON, or the mounted account of a pod, to
// an API server and who we are there.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gedge/base/error.hpp"
#include "gedge/base/result.hpp"
#include "gedge/port/api_credentials.hpp"
#include "gedge/port/api_endpoint.hpp"

namespace gedge {

/// What the user asks for; empty: what the files say.
struct KubeChoice {
  std::string kubeconfig;  ///< this file only
  std::string context, cluster, user, namespace_name;
  Impersonation as;  ///< whole instead of what a file says, if it names a user
};

/// Of the process.
struct KubeEnvironment {
  std::string kubeconfig;                  ///< $KUBECONFIG: files, colons between
  std::string home;                        ///< $HOME
  std::string service_host, service_port;  ///< $KUBERNETES_SERVICE_HOST and _PORT
};

/// The bytes of a file. Errors: kNotFound where there is none, and others.
using ReadFile = std::function<Result<std::string>(const std::string& path)>;

struct KubeAccess {
  ApiEndpoint endpoint;          ///< with what the files hold now
  CredentialSource credentials;  ///< where that may change
  std::string namespace_name = "default";
  std::string context;  ///< empty: none was chosen, or the account of a pod
};

/// `access` is empty if and only if there are errors.
struct KubeAccessReading {
  std::optional<KubeAccess> access;
  std::vector<Warning> warnings;  ///< CredentialsNotSent, InsecureServer, MissingKubeconfig
  Errors errors;                  ///< with places; no content of a file is repeated in them
};

/// Finds the files as kubectl does: the one that is asked for; else those of $KUBECONFIG, of which
/// the first to name an entry wins it whole; else .kube/config at home; else the account that is
/// mounted into a pod. Paths in a file start at its folder, `*-data` beats them, and unknown fields
/// mean nothing.
///
/// Errors: kNotFound where nothing is configured, or a name is in no file; kInvalidInput for what
/// cannot be read or contradicts itself: two ways to say who we are, a certificate without its key,
/// certificates to be trusted for a server that is not checked, passwords, and the plugins that
/// kubectl dropped for `exec`.
KubeAccessReading find_api_server(const KubeChoice& choice, const KubeEnvironment& environment,
                                  const ReadFile& read);

}  // namespace gedge
