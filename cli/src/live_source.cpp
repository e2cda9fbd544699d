#include "live_source.hpp"

#include <algorithm>
#include <utility>

#include "daemon_library.hpp"

namespace gedge::cli {
namespace {

constexpr std::string_view kLive = "live", kOfContext = "live:";

}  // namespace

bool is_live(std::string_view source) { return source == kLive || source.starts_with(kOfContext); }

Status choose_context(std::string_view source, KubeChoice& choice) {
  if (!source.starts_with(kOfContext)) return {};
  const std::string context(source.substr(kOfContext.size()));
  if (!choice.context.empty() && choice.context != context)
    return invalid_input(
        "'" + std::string(source) + "' and '--context " + choice.context + "' name two contexts",
        {}, "leave out one of them");
  choice.context = context;
  return {};
}

Status take_live(std::vector<std::string>& cluster, KubeChoice& choice) {
  const auto live = std::find_if(cluster.begin(), cluster.end(), is_live);
  if (live == cluster.end()) return {};
  if (cluster.size() > 1)
    return invalid_input("'" + *live + "' is a cluster of its own", {},
                         "leave out the other `--cluster`");
  GEDGE_TRY(choose_context(*live, choice));
  cluster.clear();
  return {};
}

LiveReading list_live(Io& io, const ServerOptions& options, std::string_view source) {
  LiveReading live;
  ServerOptions meant = options;
  const auto symbol = find_daemon_symbol(kListLive);
  if (Status chosen = choose_context(source, meant.choice); !chosen)
    live.errors.push_back(std::move(chosen).error());
  else if (!symbol)
    live.errors.push_back(symbol.error());
  else
    reinterpret_cast<ListLive> (*symbol)(meant, live, io);
  return live;
}

bool may_be_live(Io& io, const ServerOptions& options) {
  const auto symbol = find_daemon_symbol(kMayBeLive);
  return symbol && reinterpret_cast<MayBeLive>(*symbol)(options, io) != 0;
}

}  // namespace gedge::cli
