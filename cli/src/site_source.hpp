// site_source.hpp - what fits on the sites of a live cluster, as the planner says.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>
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

/// Has a connection and a thread of its own: whoever listens on the other one is not disturbed.
class SiteSource final : public SiteDesk {
 public:
  /// `wake` is called in another thread, when something is done. The others outlive it.
  SiteSource(const ScaleCommand& command, Io& io, EventLog& log, std::function<void()> wake)
      : command_(command), io_(io), log_(log), wake_(std::move(wake)) {}
  ~SiteSource() override;

  /// Errors: of the server, the profiles and the files of --rtt.
  Errors open();
  void ask(SiteQuestion question) override;
  void mark(std::uint64_t ticket, std::vector<PodCost> costs, WriteBound until) override;
  std::optional<SiteNews> take() override;

 private:
  struct Marks {
    std::uint64_t ticket = 0;
    std::vector<PodCost> costs;
    WriteBound until;
  };
  using Work = std::variant<SiteQuestion, Marks>;

  void begin();
  SiteNews carry_out(const Work& work);
  SiteAnswer answer(const SiteQuestion& question);
  Status tell(const std::vector<PodCost>& costs, const std::atomic<Nanos>& until);
  Result<SiteAnswer> look(const SiteQuestion& question);
  Result<std::vector<SiteWorkload>> samples(const SiteQuestion& question, InputReader& reader,
                                            std::vector<std::string>& manifests);
  Result<ScaleFacts> bounds_of(const SiteQuestion& question, const Facts& facts);
  LiveReading list();

  const ScaleCommand& command_;
  Io& io_;
  EventLog& log_;
  std::function<void()> wake_;
  std::deque<Work> waiting_;
  std::thread thread_;  // works on one, until that is taken
  std::mutex mutex_;    // of done_
  std::optional<SiteNews> done_;
  // Of that thread, while there is one.
  Server server_;
  Rules rules_;
  std::map<std::string, std::int32_t> told_;  // costs, by UID
};

}  // namespace gedge::cli
