// codec/known_workloads.hpp - workloads of one mould whose pods have the same spec are copies of
// the first, with names, labels and selectors of their own.
#pragma once

#include <memory>
#include <vector>

#include "codec/moulds.hpp"
#include "codec/object_readers.hpp"

namespace gedge::codec {

/// The workloads of one text.
class KnownWorkloads {
 public:
  /// What was read of the first of a mould, names and labels left out; null where more than these
  /// may differ, or nothing was read yet.
  const Workload* find(const Mould& mould) const {
    return mould.number < known_.size() ? known_[mould.number].get() : nullptr;
  }
  /// What was made of an element that has nothing wrong with it.
  void remember(const Mould& mould, Cursor element, const Workload& workload);
  void clear() { known_.clear(); }

 private:
  std::vector<std::unique_ptr<Workload>> known_;  // by number of the mould
};

}  // namespace gedge::codec
