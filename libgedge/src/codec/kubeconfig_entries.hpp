// codec/kubeconfig_entries.hpp - one cluster and one user of a kubeconfig.
#pragma once

#include <string>

#include "codec/cursor.hpp"
#include "gedge/codec/kubeconfig.hpp"

namespace gedge::codec {

/// What is wrong is reported, and then some of it may be missing. `read` is asked for the files
/// that an entry names.
void read_kube_cluster(Cursor cluster, const ReadFile& read, KubeAccess& access);
void read_kube_user(Cursor user, const ReadFile& read, KubeAccess& access);

/// A path in a file: from its folder.
std::string from_folder_of(const std::string& file, std::string_view path);

/// Whether it looks like PEM; keys with a passphrase do not. What else it is, as an error.
Status check_pem(std::string_view text);

/// Without blanks and line ends around it. Errors: kInvalidInput for an empty one.
Result<Secret> token_of(std::string_view text);

}  // namespace gedge::codec
