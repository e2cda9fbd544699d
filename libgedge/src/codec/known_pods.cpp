#include "codec/known_pods.hpp"

#include <algorithm>

namespace gedge::codec {
namespace {

bool has_hole(const Mould& mould, std::uint32_t entry) {
  const auto at = std::lower_bound(
      mould.holes.begin(), mould.holes.end(), entry,
      [](const Mould::Hole& hole, std::uint32_t wanted) { return hole.entry < wanted; });
  return at != mould.holes.end() && at->entry == entry;
}

// The entry of element.outer.inner, if its text may be another one in other elements.
std::uint32_t own_entry(const Mould& mould, Cursor element, std::string_view outer,
                        std::string_view inner) {
  const auto holder = element.find(outer);
  const auto value = holder ? holder->find(inner) : std::nullopt;
  const std::uint32_t entry = value ? value->index_on(mould.tape) : 0;
  return has_hole(mould, entry) ? entry : 0;
}

OwnTexts own_texts(const Mould& mould, Cursor element) {
  OwnTexts own;
  own.name = own_entry(mould, element, "metadata", "name");
  own.namespace_name = own_entry(mould, element, "metadata", "namespace");
  own.uid = own_entry(mould, element, "metadata", "uid");
  own.created = own_entry(mould, element, "metadata", "creationTimestamp");
  own.started = own_entry(mould, element, "status", "startTime");
  own.node = own_entry(mould, element, "spec", "nodeName");
  return own;
}

}  // namespace

KnownPods::State& KnownPods::state_of(const Mould& mould) {
  if (states_.size() <= mould.number) states_.resize(mould.number + 1);
  std::unique_ptr<State>& state = states_[mould.number];
  if (!state) state = std::make_unique<State>();
  return *state;
}

// Each with its length in front: different texts never meet.
void KnownPods::put_texts(const Mould& mould, const State& state) {
  texts_.clear();
  for (const std::uint32_t entry : state.others) {
    const std::string_view text = mould.text(entry);
    const auto size = static_cast<std::uint32_t>(text.size());
    texts_.append(reinterpret_cast<const char*>(&size), sizeof size).append(text);
  }
}

// Whether some of these texts are not those of the mould in some element so far.
bool KnownPods::differ(const Mould& mould, const std::vector<std::uint32_t>& entries) {
  return std::any_of(mould.open.begin(), mould.open.end(), [&](const Mould::Open& one) {
    return std::binary_search(entries.begin(), entries.end(), one.hole.entry);
  });
}

const KnownPods::Known* KnownPods::find(const Mould& mould) {
  State& state = state_of(mould);
  if (state.known.empty()) return nullptr;
  if (state.open != mould.open.size()) {
    state.open = mould.open.size();
    state.others_differ = differ(mould, state.others);
    state.last = nullptr;
  }
  if (state.last != nullptr && !state.others_differ) return state.last;
  put_texts(mould, state);
  if (state.last != nullptr && state.last_texts == texts_) return state.last;
  const auto found = state.known.find(texts_);
  if (found == state.known.end()) return nullptr;
  state.last = &found->second;
  state.last_texts = texts_;
  return state.last;
}

bool KnownPods::is_open(const Mould& mould) const {
  const State* state = mould.number < states_.size() ? states_[mould.number].get() : nullptr;
  return state == nullptr || (state->is_open && state->known.size() < kMaxKnown);
}

void KnownPods::remember(const Mould& mould, Cursor element, const PodEntry& entry,
                         std::vector<std::uint32_t> read) {
  if (entry.pod.name.empty()) return;  // named by generateName: nothing like those with names
  State& state = state_of(mould);
  const OwnTexts own = own_texts(mould, element);
  const bool is_elsewhere = !state.known.empty() && own != state.own;
  if (is_elsewhere) state.known.clear();
  // Where keys differ, they may name such a text in one element and not in another.
  if (own.name == 0 || is_elsewhere) return give_up(mould);
  state.own = own;
  // Keys are looked at without being written down.
  for (const Mould::Hole& hole : mould.holes)
    if (is_key(mould.tape, hole.entry)) read.push_back(hole.entry);
  const auto is_other = [&](std::uint32_t at) {
    return has_hole(mould, at) && at != own.name && at != own.namespace_name && at != own.uid &&
           at != own.created && at != own.started && at != own.node;
  };
  read.erase(std::remove_if(read.begin(), read.end(), [&](auto at) { return !is_other(at); }),
             read.end());
  read.insert(read.end(), state.others.begin(), state.others.end());
  std::sort(read.begin(), read.end());
  read.erase(std::unique(read.begin(), read.end()), read.end());
  if (read != state.others) {
    // Those that are known have keys of fewer texts: nothing finds them any more.
    state.known.clear();
    state.others = std::move(read);
  }
  put_texts(mould, state);
  Known known{entry, &state.own, !entry.pod.workload_name.empty()};
  Pod& pod = known.entry.pod;
  pod.name = {};
  if (known.is_its_own_workload) pod.workload_name = {};
  if (own.uid != 0) pod.uid = {};
  if (own.node != 0) known.entry.node_name = {};
  state.known.insert_or_assign(texts_, std::move(known));
  state.open = mould.open.size();
  state.others_differ = differ(mould, state.others);
  state.last = nullptr;
}

}  // namespace gedge::codec
