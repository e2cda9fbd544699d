// gedge/drive/site_desk.hpp - who tells an autoscaler what fits on the sites of a cluster.
#pragma once

#include <vector>

#include "gedge/base/result.hpp"
#include "gedge/control/scaler.hpp"

namespace gedge {

class SiteDesk {
 public:
  virtual ~SiteDesk() = default;
  /// Looks at the whole cluster; may take seconds.
  virtual SiteAnswer ask(const SiteQuestion& question) = 0;
  /// Tells pods what their loss costs. Errors: of the first that was not told; the others were.
  virtual Status mark(const std::vector<PodCost>& costs) = 0;
};

}  // namespace gedge
