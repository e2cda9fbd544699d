// gedge/effect/resize.hpp - what pods request, changed: in a workload's template, or where they
// run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gedge/base/shared_text.hpp"
#include "gedge/model/resize_way.hpp"

namespace gedge {

/// cpu in thousandths of a core, memory in bytes.
struct ResourceResize {
  std::string resource;
  std::optional<std::int64_t> request_before, limit_before;  ///< as declared
  std::int64_t request = 0;
  std::optional<std::int64_t> limit;  ///< empty: none is declared from then on
  bool drops_limit = false;           ///< one is declared before
};

struct ContainerResize {
  std::string name;
  bool is_sidecar = false;  ///< an init container that goes on
  std::vector<ResourceResize> resources;
};

/// One object to be changed, if it is still as it was read.
struct ObjectResize {
  std::string kind;
  SharedText namespace_name, name;
  std::string uid, version;
  std::vector<ContainerResize> containers;
  std::optional<std::string> grown = {};  ///< kGrownAnnotation from then on; "": none
};

}  // namespace gedge
