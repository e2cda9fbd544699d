// sim/nodes.hpp - kubelets, and the controllers that notice when one falls silent.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "sim/stage.hpp"

namespace gedge::sim {

class Nodes {
 public:
  explicit Nodes(Stage& stage) : stage_(stage) {}

  /// False where there is no such node, or it has failed already.
  bool fail(const std::string& name);
  bool recover(const std::string& name);
  /// When it did; empty for nodes that are well.
  std::optional<Nanos> failed_at(std::string_view name) const;

  /// A pod that runs is given time to stop; on a node that failed nobody says when it has.
  void remove(const PodName& name, std::string note);

  // What happened.
  void bound(const Pod& pod);
  void stopping(const Pod& pod);
  void changed(const Node& node);
  void gone(const std::string& name);

 private:
  bool is_well(std::string_view name) const { return !failed_.contains(std::string(name)); }
  void notice(const std::string& name, Nanos failed);
  void start(const Pod& pod);
  void stop(const Pod& pod);
  void evict_from(const Node& node, const Pod& pod);

  Stage& stage_;
  std::map<std::string, Nanos> failed_;
  std::map<std::string, Nanos> emptied_;  // nodes with a taint NoExecute, since when
};

}  // namespace gedge::sim
