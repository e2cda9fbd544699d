#include "gate.hpp"

#include <algorithm>
#include <utility>

#include "gedge/codec/agent_replies.hpp"

namespace gedge::cli {

Result<Gate> Gate::open(const AgentGuard& guard) {
  Gate gate;
  gate.by_certificate_ = !guard.clients.empty();
  gate.names_ = guard.client_names;
  if (guard.has_tokens()) {
    auto tokens = TokenFile::open(guard.tokens);
    if (!tokens) return std::move(tokens).error();
    gate.tokens_.emplace(*std::move(tokens));
  }
  return gate;
}

bool Gate::is_known_client(const HttpRequest& request) const {
  if (!by_certificate_ || !request.client_names) return false;
  const std::vector<std::string>& shown = *request.client_names;
  return names_.empty() || std::any_of(shown.begin(), shown.end(), [this](const std::string& name) {
           return std::find(names_.begin(), names_.end(), name) != names_.end();
         });
}

bool Gate::lets_in(const HttpRequest& request, const std::function<void(const Error&)>& tell) {
  if (!is_guarded() || !needs_token(request) || is_known_client(request)) return true;
  if (!tokens_) return false;
  if (const Status read = tokens_->refresh(); !read) tell(read.error());
  return tokens_->accepts(bearer_token(request));
}

}  // namespace gedge::cli
