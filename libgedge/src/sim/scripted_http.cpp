#include "gedge/sim/scripted_http.hpp"

namespace gedge {

Status ScriptedHttp::fetch(const std::vector<HttpCall>& wanted, const HttpTerms& asked,
                           const Done& done) {
  if (denies) return Error{Errc::kDenied, "cannot open libcurl.so.4", {}, {}};
  terms = asked;
  calls.insert(calls.end(), wanted.begin(), wanted.end());
  for (std::size_t i = wanted.size(); i-- > 0;) {
    const auto found = answers.find(wanted[i].url);
    if (found == answers.end())
      done(i, Error{Errc::kUnreachable, "connection refused", {}, {}});
    else if (found->second && found->second->body.size() > terms.most_body_bytes)
      done(i, invalid_input("the answer has more than " + std::to_string(terms.most_body_bytes) +
                            " bytes"));
    else
      done(i, found->second);
  }
  return {};
}

}  // namespace gedge
