// io/client_certificate.hpp - whether certificates can be used: ours, and those to be trusted.
#pragma once

#include <string>

#include "gedge/base/result.hpp"
#include "gedge/base/units.hpp"

namespace gedge {

/// Errors: kDenied where it has expired, with the date; kInvalidInput where one of them cannot be
/// read, or the key is another one's.
Status check_client_certificate(const std::string& certificate, const std::string& key,
                                UnixSeconds date);

/// Errors: kInvalidInput where no certificate can be read.
Status check_trusted(const std::string& certificates);

}  // namespace gedge
