#include "server_access.hpp"

#include <utility>

#include "event_log.hpp"
#include "gedge/codec/api_requests.hpp"
#include "gedge/drive/api_call.hpp"
#include "gedge/io/api_client.hpp"
#include "gedge/io/file_rights.hpp"
#include "report.hpp"
#include "term/diagnostics.hpp"
#include "user_agent.hpp"

namespace gedge::cli {
namespace {

constexpr std::uint64_t kMostFile = 16 << 20;  // of a kubeconfig, or what it names

// Who may write the file that names a program decides what runs.
Status check_helper(const ServerOptions& options, const KubeAccess& access) {
  const auto& helper = access.credentials.helper;
  if (!helper) return {};
  if (!options.refuses_helpers) return check_only_owner_writes(helper->named_by);
  SourceSpan where;
  where.origin = helper->named_by;
  return invalid_input("the kubeconfig names a program that says who we are", std::move(where),
                       "leave out `--no-exec-credentials`, or use a token");
}

}  // namespace

std::function<void(const Error&)> credential_notice(Io& io, EventLog* log) {
  if (log == nullptr) return [&io](const Error& error) { print_error(io.err, error); };
  return [log](Error error) {
    if (!error.where.origin.empty()) error.what = error.where.origin + ": " + error.what;
    log->failed(error);
  };
}

Errors find_server(Io& io, const ServerOptions& options, std::string_view component, Server& server,
                   std::vector<Warning>& warnings, EventLog* log) {
  KubeAccessReading reading =
      find_api_server(options.choice, io.kube, [&io](const std::string& path) {
        auto bytes = io.files.read(path, kMostFile);
        if (bytes || bytes.error().code != Errc::kInvalidInput) return bytes;
        Error error = std::move(bytes).error();
        error.hint = "is it a kubeconfig, or a file that one names?";
        return Result<std::string>(std::move(error));
      });
  warnings = std::move(reading.warnings);
  if (!reading.access) return std::move(reading.errors);
  KubeAccess& access = *reading.access;
  if (Status allowed = check_helper(options, access); !allowed) return {std::move(allowed).error()};
  ApiEndpoint endpoint = std::move(access.endpoint);
  endpoint.user_agent = user_agent(component);
  if (options.insecure && std::exchange(endpoint.verify, false))
    warnings.push_back({"InsecureServer",
                        "whoever answers is taken for the API server: "
                        "--insecure-skip-tls-verify is set",
                        {}});
  server.url = endpoint.server;
  server.namespace_name = access.namespace_name;
  auto client = ApiClient::open(std::move(endpoint), {}, std::move(access.credentials),
                                credential_notice(io, log));
  if (!client) return {std::move(client).error()};
  server.transport = *std::move(client);
  ApiRequest version = codec::version_request();
  version.timeout = options.request_timeout;
  const auto answer = call(*server.transport, std::move(version));
  if (!answer) return {answer.error()};
  auto minor = codec::server_minor(*answer);
  if (!minor) {
    Error error = std::move(minor).error();
    error.what = "cannot use " + server.url + ": " + error.what;
    if (answer->status == 0 && error.code != Errc::kDenied && error.hint.empty())
      error.hint = "is it up, and the one that is meant? `--kubeconfig` and `--context` choose";
    return {std::move(error)};
  }
  server.minor = *minor;
  return {};
}

std::optional<Exit> open_server(Io& io, const ServerOptions& options, const OutputOptions& output,
                                std::string_view component, Server& server, EventLog* log) {
  std::vector<Warning> warnings;
  const Errors errors = find_server(io, options, component, server, warnings, log);
  if (!errors.empty()) return fail(io, errors, output);
  report_input(io, warnings, {}, output);
  return std::nullopt;
}

LiveReading list_server(Io& io, const ServerOptions& options, Server& server) {
  LiveReading live;
  live.url = server.url;
  live.minor = server.minor;
  live.namespace_name = server.namespace_name;
  ClusterListOptions how;
  how.timeout = options.request_timeout;
  how.minor = server.minor;
  how.seed = io.network->random_key();
  auto listing = list_cluster(*server.transport, io.clock, how);
  if (listing) {
    live.pages = std::move(listing->pages);
    live.warnings = std::move(listing->warnings);
  } else {
    live.errors.push_back(std::move(listing).error());
  }
  return live;
}

}  // namespace gedge::cli
