// gedge/drive/site_desk.hpp - who tells an autoscaler what fits on the sites of a cluster.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "gedge/base/result.hpp"
#include "gedge/control/scaler.hpp"

namespace gedge {

/// What came of one ask() or mark().
struct SiteNews {
  std::uint64_t ticket = 0;
  std::optional<SiteAnswer> answer;  ///< of ask()
  /// Of mark(); errors: of the first pod that was not told; the others were.
  Status marked;
};

/// Until when may be written; whoever may says it anew.
using WriteBound = std::shared_ptr<const std::atomic<Nanos>>;

/// Nothing here waits: what takes seconds goes on elsewhere, one after the other as it was asked
/// for. When something is done, whoever waits is woken (ApiTransport::wake()).
class SiteDesk {
 public:
  virtual ~SiteDesk() = default;
  /// Begins to look at the whole cluster. The ticket is the question's.
  virtual void ask(SiteQuestion question) = 0;
  /// Begins to tell pods what their loss costs; each is over by `until`, a moment of Clock, as that
  /// is when its turn comes. `ticket` names no other call under way.
  virtual void mark(std::uint64_t ticket, std::vector<PodCost> costs, WriteBound until) = 0;
  /// What is done; empty: nothing more. The room of the one before is used no more.
  virtual std::optional<SiteNews> take() = 0;
};

}  // namespace gedge
