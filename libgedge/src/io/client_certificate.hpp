// io/client_certificate.hpp - whether a certificate can be shown to a server.
#pragma once

#include <string>

#include "gedge/base/result.hpp"
#include "gedge/base/units.hpp"

namespace gedge {

/// Errors: kDenied where it has expired, with the date; kInvalidInput where one of them cannot be
/// read, or the key is another one's.
Status check_client_certificate(const std::string& certificate, const std::string& key,
                                UnixSeconds date);

}  // namespace gedge
