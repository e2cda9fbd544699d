// gedge/port/api_credentials.hpp - where what shows who we are comes from, as it changes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gedge/port/api_endpoint.hpp"

namespace gedge {

/// Paths; empty: that part comes from no file.
struct CredentialFiles {
  std::string token, certificate, key, trusted;

  bool empty() const {
    return token.empty() && certificate.empty() && key.empty() && trusted.empty();
  }
};

/// A program that says who we are: `users[].user.exec` of a kubeconfig.
struct CredentialHelper {
  enum class Version : std::uint8_t { kV1Beta1, kV1 };  // of client.authentication.k8s.io

  Version version = Version::kV1;
  std::string command;  ///< found in PATH unless it has a slash; no shell sees it
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, Secret>> environment;  ///< beside our own
  std::string install_hint;                                 ///< fit for a terminal
  bool wants_cluster = false;
  std::string cluster_config;  ///< JSON, for the program alone; empty: none
  std::string named_by;        ///< the file that names it
};

struct CredentialSource {
  CredentialFiles files;
  std::optional<CredentialHelper> helper;

  bool empty() const { return files.empty() && !helper; }
};

}  // namespace gedge
