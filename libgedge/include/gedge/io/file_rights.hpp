// gedge/io/file_rights.hpp - who may change a file.
#pragma once

#include <string>

#include "gedge/base/result.hpp"

namespace gedge {

/// Whether nobody but its owner may change it, who is the user of this process or root: what a file
/// that names programs to run has to be. Links are followed. Errors: kDenied with who else may;
/// those of looking at a file.
Status check_only_owner_writes(const std::string& path);

}  // namespace gedge
