// gedge/codec/exec_credential.hpp - what is said to a program that says who we are, and its answer.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "gedge/base/result.hpp"
#include "gedge/base/units.hpp"
#include "gedge/port/api_credentials.hpp"
#include "gedge/port/api_endpoint.hpp"

namespace gedge {

/// KUBERNETES_EXEC_INFO: an ExecCredential without an answer; with the cluster, if it is wanted.
std::string write_exec_info(const CredentialHelper& helper, const ApiEndpoint& endpoint);

struct ExecCredential {
  ApiIdentity identity;
  std::optional<UnixSeconds> expires;  ///< empty: never
};

/// Reads what the program wrote. Errors: kInvalidInput where it is no ExecCredential of `version`,
/// or has neither a token nor a certificate with its key. None of them repeats a byte of it.
Result<ExecCredential> read_exec_credential(std::string_view output,
                                            CredentialHelper::Version version);

}  // namespace gedge
