// A cluster that does nothing of what is asked of it, for tests to say what it does.
#pragma once

#include "gedge/port/cluster_link.hpp"

namespace gedge::test {

class QuietLink : public ClusterLink {
 public:
  void bind(const BindRequest&) override {}
  void read(const ReadRequest&) override {}
  void evict(const EvictRequest&) override {}
  void claim(const ClaimRequest&) override {}
  void nominate(const Nomination&) override {}
  void tell(const Unschedulable&) override {}
  void tell(const Overcommit&) override {}
  void tell(const Misplaced&) override {}
  std::size_t untold() const override { return 0; }
  void leave(bool /*is_told_back*/) override {}
  void wake() override {}
};

}  // namespace gedge::test
