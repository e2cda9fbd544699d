// site_source.hpp - what fits on the sites of a live cluster, as the planner says.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gedge/control/sites_room.hpp"
#include "gedge/drive/site_desk.hpp"
#include "input.hpp"
#include "io.hpp"
#include "options.hpp"
#include "rules.hpp"
#include "scale_command.hpp"
#include "server_access.hpp"

namespace gedge::cli {

/// Has a connection of its own: whoever listens on the other one is not disturbed.
class SiteSource final : public SiteDesk {
 public:
  SiteSource(const ScaleCommand& command, Io& io) : command_(command), io_(io) {}

  /// Errors: of the server, the profiles and the files of --rtt.
  Errors open();
  SiteAnswer ask(const SiteQuestion& question) override;
  Status mark(const std::vector<PodCost>& costs) override;

 private:
  Result<SiteAnswer> look(const SiteQuestion& question);
  Result<std::vector<SiteWorkload>> samples(const SiteQuestion& question, InputReader& reader,
                                            std::vector<std::string>& manifests);
  LiveReading list();

  const ScaleCommand& command_;
  Io& io_;
  Server server_;
  Rules rules_;
  std::map<std::string, std::int32_t> told_;  // costs, by UID
};

}  // namespace gedge::cli
