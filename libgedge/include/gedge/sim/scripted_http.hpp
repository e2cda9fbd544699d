// gedge/sim/scripted_http.hpp - a web whose every answer was written before.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gedge/port/http_client.hpp"

namespace gedge {

/// HttpClient without a wire. Calls end in the reverse of their order: nobody may rely on any.
class ScriptedHttp final : public HttpClient {
 public:
  std::map<std::string, Result<HttpAnswer>> answers;  ///< by URL; others cannot be reached
  bool denies = false;                                ///< fetch() fails as without libcurl
  std::vector<HttpCall> calls;                        ///< every one that was made
  HttpTerms terms;                                    ///< of the last fetch()

  Status fetch(const std::vector<HttpCall>& wanted, const HttpTerms& asked,
               const Done& done) override;
};

}  // namespace gedge
