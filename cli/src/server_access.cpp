#include "server_access.hpp"

#include <utility>

#include "gedge/codec/api_requests.hpp"
#include "gedge/drive/api_call.hpp"
#include "gedge/io/api_client.hpp"
#include "gedge/version.hpp"
#include "report.hpp"

namespace gedge::cli {
namespace {

constexpr std::uint64_t kMostFile = 16 << 20;  // of a kubeconfig, or what it names

std::string user_agent(std::string_view component) {
  return "gedge/" + std::string(version()) + " (linux) " + std::string(component);
}

}  // namespace

void add_server_flags(FlagSet& flags, ServerOptions& options) {
  KubeChoice& choice = options.choice;
  flags.heading("Which API server");
  flags.add({.name = "kubeconfig",
             .value = "FILE",
             .help = "Find the API server in this file alone",
             .live = Live::kFiles},
            choice.kubeconfig);
  flags.add({.name = "context", .value = "NAME", .help = "Context of the kubeconfig"},
            choice.context);
  flags.add({.name = "as", .value = "USER", .help = "Act as this user"}, choice.as.user);
  flags.add(
      {.name = "as-group", .value = "GROUP", .help = "Act as a member of it", .repeats = true},
      choice.as.groups);
  flags.add({.name = "insecure-skip-tls-verify", .help = "Believe whoever answers; not safe"},
            options.insecure);
}

std::optional<Exit> open_server(Io& io, const ServerOptions& options, const OutputOptions& output,
                                std::string_view component, Server& server) {
  KubeAccessReading reading =
      find_api_server(options.choice, io.kube,
                      [&io](const std::string& path) { return io.files.read(path, kMostFile); });
  if (!reading.access) return fail(io, reading.errors, output);
  report_input(io, reading.warnings, {}, output);
  ApiEndpoint endpoint = std::move(reading.access->endpoint);
  endpoint.user_agent = user_agent(component);
  if (options.insecure) endpoint.verify = false;
  const std::string where = endpoint.server;
  auto client = ApiClient::open(std::move(endpoint));
  if (!client) return fail(io, client.error());
  server.transport = *std::move(client);
  const auto answer = call(*server.transport, codec::version_request());
  if (!answer) return fail(io, answer.error());
  const auto minor = codec::server_minor(*answer);
  if (!minor) {
    Error error = minor.error();
    error.what = "cannot use " + where + ": " + error.what;
    return fail(io, error);
  }
  server.minor = *minor;
  return std::nullopt;
}

}  // namespace gedge::cli
