#include "codec/known_workloads.hpp"

#include <algorithm>
#include <array>

namespace gedge::codec {
namespace {

bool stands_in(std::uint32_t entry, std::optional<Cursor> value, const Tape& tape) {
  const std::uint32_t root = value ? value->index_on(tape) : 0;
  return root != 0 && entry > root && entry < tape.entries[root].next;
}

// Whether nothing differs but what read_workload_like() reads again.
bool differs_in_names(const Mould& mould, Cursor element) {
  const auto spec = element.find("spec");
  const auto pods = spec ? spec->find("template") : std::nullopt;
  if (!pods) return false;
  const std::array<std::optional<Cursor>, 3> names = {
      element.find("metadata"), spec->find("selector"), pods->find("metadata")};
  return std::all_of(mould.holes.begin(), mould.holes.end(), [&](const Mould::Hole& hole) {
    return std::any_of(names.begin(), names.end(), [&](const std::optional<Cursor>& name) {
      return stands_in(hole.entry, name, mould.tape);
    });
  });
}

}  // namespace

void KnownWorkloads::remember(const Mould& mould, Cursor element, const Workload& workload) {
  if (workload.kind == "CronJob" || !differs_in_names(mould, element)) return;
  if (known_.size() <= mould.number) known_.resize(mould.number + 1);
  known_[mould.number] = std::make_unique<Workload>(workload);
  Workload& known = *known_[mould.number];
  known.meta = {};
  known.selector = {};
  known.template_meta = {};
}

}  // namespace gedge::codec
