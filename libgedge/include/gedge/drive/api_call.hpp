// gedge/drive/api_call.hpp - one request to an API server, waited for.
#pragma once

#include "gedge/base/result.hpp"
#include "gedge/port/api_transport.hpp"

namespace gedge {

/// For a transport with no other call under way. The answer may be that there is none. Errors:
/// those of ApiTransport::wait.
Result<ApiAnswer> call(ApiTransport& transport, ApiRequest request);

}  // namespace gedge
