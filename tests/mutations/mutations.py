"""Bugs that somebody could make, and who must catch each of them.

`breaks` names invariants of the scheduler (I-1: bound once; I-2: no node has too much; I-3: no
write without the lease; I-4: no bind against what is known; I-5: everybody is settled in the end;
I-6: what is known is what is there; I-8: bounded memory; I-9: bounded requests; I-10: the same
answer each time; I-11: no attempt is forgotten; I-12: no secret is told), and bugs that other
schedulers and controllers had, as owner/repository#number.
"""
from dataclasses import dataclass

SCHEDULER = "control/scheduler.cpp"
PAUSE = "control/scheduler_pause.cpp"
NEWS = "control/scheduler_news.cpp"
VOLUMES = "control/scheduler_volumes.cpp"
ELECTION = "control/leader_election.cpp"
REFLECTOR = "control/reflector.cpp"
REFLECTOR_HEAD = "../include/gedge/control/reflector.hpp"
OVERCOMMIT = "control/scheduler_overcommit.cpp"
LOOP = "drive/schedule_loop.cpp"
CALL = "io/api_call.cpp"
CLUSTER = "drive/api_cluster.cpp"
KIND = "drive/api_kind.cpp"
LIVE = "plan/live_cluster.cpp"
KEEPER = "io/credential_keeper.cpp"


@dataclass
class Mutation:
    bug: str
    breaks: tuple
    file: str  # below libgedge/src
    find: str  # there once
    put: str
    by: tuple  # commands of run.py, the likeliest first


MUTATIONS = [
    # Binding
    Mutation("a bind that may have been done loses its place",
             ("I-2", "kubernetes#100140", "kubernetes#108665"), SCHEDULER,
             "      ++counts_.unclear;\n",
             "      ++counts_.unclear;\n      release(entry.name);\n", ("simulate",)),
    Mutation("a bind that may have been done is sent again without a look",
             ("I-1", "kubernetes#96579"), SCHEDULER,
             "      ++counts_.unclear;\n      return ask(entry);",
             "      ++counts_.unclear;\n      return try_later(entry, now);", ("simulate",)),
    Mutation("a bind that was done is not known from what is read",
             ("I-1", "kubernetes#96579"), SCHEDULER,
             "if (is_there && reading.node == entry.node) {",
             "if (is_there && reading.node == entry.node && entry.is_gone) {",
             ("simulate", "control")),
    Mutation("a pod is in two states at once", ("I-11", "kubernetes#101877"), SCHEDULER,
             "  if (entry.state == State::kActive) active_.erase(entry.rank);\n", "",
             ("control", "simulate")),
    Mutation("a refused bind ends nowhere", ("I-11", "kubernetes#49314"), SCHEDULER,
             "counts_.unsent);\n      return try_later(entry, now);",
             "counts_.unsent);\n      return static_cast<void>(now);", ("simulate",)),
    Mutation("a pod that went before its bind came stays", ("I-11", "I-5"), SCHEDULER,
             "      release(entry.name);\n      return drop(key_of(entry.name));",
             "      return release(entry.name);", ("simulate", "control")),
    Mutation("a refused bind keeps its place", ("I-5", "I-6"), SCHEDULER,
             "  if (!holds) release(entry.name);\n", "", ("simulate", "control")),
    Mutation("an answer leaves its flight open", ("I-5", "I-8"), SCHEDULER,
             "  tickets_.erase(at);\n  flights_.erase(key);\n", "  tickets_.erase(at);\n",
             ("simulate",)),
    Mutation("any number of binds at once", ("I-8", "I-9"), PAUSE,
             "return options_.max_binds - std::min(options_.max_binds, flights_.size());",
             "return options_.max_binds + active_.size();", ("control", "faults", "drive")),
    Mutation("nobody notices that binds are not answered", ("I-9", "kubernetes#22669"), PAUSE,
             "  if (!is_paused()) return", "  if (binds_.empty() || !is_paused()) return",
             ("control",)),
    Mutation("the next pod of a name does not fear the bind of the one before", ("I-1", "I-2"),
             NEWS,
             "  if (!may_have_place) return enter_state(entry, State::kActive);\n  ++counts_.rep",
             "  if (!may_have_place || entry.attempts == 0) return enter_state(entry,"
             " State::kActive);\n  ++counts_.rep", ("faults", "simulate", "control")),
    Mutation("a pod that goes while it is bound gives its place back at once", ("I-2",), NEWS,
             "  if (!may_have_place) {\n    drop(key);",
             "  if (!may_have_place || entries_.contains(key)) {\n    drop(key);",
             ("control", "faults", "simulate")),
    # What is known
    Mutation("a relist forgets nobody", ("I-6", "kubernetes#55587", "kubernetes#51313"), KIND,
             "  listener.keep_only(path_.kind, std::exchange(listed_, {}));\n",
             "  static_cast<void>(listener);\n", ("drive",)),
    Mutation("a pod that a relist lacks stays", ("I-6", "kubernetes#85726"), NEWS,
             "    if (!std::binary_search(names.begin(), names.end(), known))\n",
             "    if (names.empty() && !known.name.empty())\n", ("simulate", "faults", "drive")),
    Mutation("nodes that go are not noticed", ("I-4", "kubernetes#94437"), NEWS,
             "  cluster_.remove(kind, namespace_name, name);\n}",
             "  if (kind != FactKind::kNode) cluster_.remove(kind, namespace_name, name);\n}",
             ("simulate",)),
    Mutation("volumes come to a node that went before its pods", ("I-4", "kubernetes#89552"),
             VOLUMES, "if (is_there && !cluster_.has_its_volumes(entry.name)) continue;",
             "if (!cluster_.has_its_volumes(entry.name)) continue;", ("control",)),
    Mutation("a late word of the end of a pod takes the next one of its name", ("I-6", "I-5"),
             NEWS, "if (known != nullptr && !uid.empty() && known->uid != uid) return;",
             "if (known != nullptr && uid == \"none\") return;", ("control", "simulate")),
    Mutation("a server with an old view is believed", ("I-6", "kubernetes#97294"), NEWS,
             "  if (known == nullptr || known->uid != pod.uid) return false;\n",
             "  if (known == nullptr || !pod.uid.empty()) return false;\n",
             ("simulate", "control", "faults")),
    Mutation("lists may come from any view, however old", ("I-6", "kubernetes#59848"),
             "codec/api_requests.cpp", "\"?limit=\" + std::to_string(page_size);",
             "\"?resourceVersion=0&limit=\" + std::to_string(page_size);", ("drive", "codec")),
    Mutation("a pod that is on its way out has left its node",
             ("I-2", "kubernetes#76772", "kubernetes#106884"), "snapshot/cluster_state.cpp",
             "return !pod.bound_node.empty() && !pod.is_finished(); }",
             "return !pod.bound_node.empty() && !pod.is_finished() && !pod.terminating; }",
             ("simulate", "plan", "policy", "faults")),
    Mutation("a node takes any number of pods", ("I-2", "kubernetes#136782"),
             "policy/node_resources_fit.cpp",
             "    state->checks.push_back({ResourceIndex::kPodsColumn, 1});\n", "",
             ("policy", "simulate")),
    Mutation("whoever has a promised node is thought to have it after its end",
             ("I-6", "kubernetes#85447", "kubernetes#102339"), LIVE,
             "if (pod.nominated_node.empty() && pod.uid == known.uid)",
             "if (pod.nominated_node.empty())", ("plan", "simulate", "control")),
    Mutation("one that cannot be read spoils all that came with it", ("I-6",), KIND,
             "    if (auto facts = load(text, 0, errors)) {\n      put",
             "    if (auto facts = load(text, 0, errors); facts && texts.size() == 1) {\n      put",
             ("drive",)),
    Mutation("a relist begins in the middle of the last one", ("I-6",), REFLECTOR,
             "  page_.clear();\n", "", ("control", "drive")),
    Mutation("a watch that is broken stops no decision", ("I-4", "kubernetes#107266"), LOOP,
             "  scheduler_.hold_back(!is_synced);\n", "", ("drive",)),
    Mutation("what is broken for long is still called known", ("I-4",), REFLECTOR_HEAD,
             "return is_synced_ && (is_open_ ||", "return is_synced_ && (is_synced_ ||",
             ("control", "drive")),
    Mutation("who decides does not ask what is silent", ("I-4", "kubernetes#107266"), LOOP,
             "  if (wants_to_decide) link_.refresh();\n",
             "  static_cast<void>(wants_to_decide);\n", ("drive",)),
    Mutation("what lay unread while the process stood still is news", ("I-4", "enhancements#65"),
             CLUSTER, "  if (now() - begin > most + kStoodStill) distrust(begin);\n", "",
             ("drive",)),
    Mutation("a bind that waited leaves after the lease", ("I-3", "kubernetes#65257"), CALL,
             "  own.is_late_ = Nanos(own.clock_.now()) >= own.request_.send_by;\n", "", ("io",)),
    Mutation("a repair asks one after the other without waiting", ("I-9", "descheduler#424"),
             OVERCOMMIT, "    repair.until = now + options_.repair_within;\n", "", ("control",)),
    Mutation("a repair takes pods that are not ours", ("I-4",), OVERCOMMIT,
             "  return is_ours && own != profiles.end()",
             "  return (is_ours || repair.ticket == 0) && own != profiles.end()",
             ("control",)),
    Mutation("a version that the server has forgotten is watched on", ("I-6", "I-5"), REFLECTOR,
             "  if (!is_passing(status) && (was_list || status != kOk)) list_again();\n",
             "  if (!is_passing(status) && status == kOk) list_again();\n",
             ("control", "drive")),
    # Queue
    Mutation("a node that changes wakes nobody", ("I-5", "kubernetes#72122", "kubernetes#87850"),
             NEWS, "differing_parts(*before, node) != 0) helped_ |= kNodeHelps;",
             "differing_parts(*before, node) == 0) helped_ |= kNodeHelps;",
             ("control", "simulate")),
    Mutation("a pod that goes wakes nobody", ("I-5", "kubernetes#72122"), NEWS,
             "if (known != nullptr && takes_place(*known)) helped_ |= kSpaceHelps;",
             "if (known == nullptr) helped_ |= kSpaceHelps;", ("simulate", "faults")),
    Mutation("whom nothing helps is never tried again", ("I-5", "kubernetes#87850"), SCHEDULER,
             "enter_state(entry, State::kUnschedulable, now + options_.flush_after);",
             "enter_state(entry, State::kUnschedulable);", ("control", "faults", "drive")),
    Mutation("a pod that is refused is tried again at once", ("I-9",), SCHEDULER,
             "enter_state(entry, State::kBackoff, now + backoff_of(entry));",
             "enter_state(entry, State::kBackoff, now);", ("control", "simulate")),
    Mutation("who has found no place is asked about no more", ("I-11",), SCHEDULER,
             "  enter_state(entry, State::kUnschedulable, now + options_.flush_after);\n",
             "  if (entry.attempts == 1)\n"
             "    enter_state(entry, State::kUnschedulable, now + options_.flush_after);\n",
             ("simulate", "faults")),
    Mutation("the same words are written after every attempt",
             ("I-9", "kubernetes#47366", "karpenter#2071"), SCHEDULER,
             "if (entry.message != decision.message) {", "if (!decision.message.empty()) {",
             ("control", "drive", "simulate")),
    Mutation("pods go before it is tried whether that helps",
             ("I-9", "descheduler#424"), "plan/preemption.cpp",
             "    return cluster_.pod(other).terminating &&",
             "    return cluster_.pod(other).is_finished() &&", ("plan", "conformance")),
    Mutation("a group starts with those who happened to be bound", ("I-5",), SCHEDULER,
             "const bool holds = !entry.group.empty() && entry.attempts < kMostHeld;",
             "const bool holds = entry.group.empty() && entry.attempts > kMostHeld;",
             ("control",)),
    Mutation("volumes that never come hold a place for ever", ("I-5", "I-8"), VOLUMES,
             "enter_state(entry, State::kAwaiting, now + options_.volumes_within);",
             "enter_state(entry, State::kAwaiting, now * 0);", ("control",)),
    Mutation("a place is not looked at again when its volumes have come", ("I-2", "I-4"), VOLUMES,
             "is_there ? cluster_.still_fits(entry.name) : Result<bool>(false);",
             "Result<bool>(is_there);", ("control",)),
    # Leading
    Mutation("a lease counts from its answer, not from its request", ("I-3",), ELECTION,
             "  renewed_ = begun_;\n", "  renewed_ = now;\n", ("control",)),
    Mutation("who was frozen renews as if nothing had been", ("I-3", "enhancements#65"), ELECTION,
             "  if (is_lost(now)) state_ = State::kLost;\n", "", ("control", "drive")),
    Mutation("a lease is taken from one who may lead", ("I-3", "kubernetes#65257"), ELECTION,
             "seen_.version.empty() || now >= seen_at_ + patience()) {",
             "seen_.version.empty() || now >= seen_at_) {", ("control",)),
    Mutation("another machine's clock says how old a lease is", ("I-3", "kubernetes#125761"),
             ELECTION, "found.version != seen_.version) seen_at_ = now;",
             "found.version != seen_.version) seen_at_ = Nanos{found.renewed * kNanosInSecond};",
             ("control", "drive")),
    Mutation("a write may end after the lease", ("I-3", "kubernetes#107262"), CLUSTER,
             "  request.timeout = std::min(request.timeout, left);\n", "", ("drive",)),
    Mutation("writes are sent by whoever does not lead", ("I-3",), CLUSTER,
             "  if (!is_leading() || left <= Nanos{0}) return false;\n", "", ("drive",)),
    Mutation("a stop waits for ever for what is not answered", ("I-3", "cilium#42920"),
             "drive/schedule_loop.cpp", "  if (give_up_ && now >= *give_up_) return true;\n", "",
             ("drive", "integration")),
    # Requests
    Mutation("a link that is half open is not noticed", ("I-6", "kubernetes#107266"), REFLECTOR,
             "now >= heard_ + options_.longest_silence;\n}",
             "now < heard_ + Nanos{0} * options_.most_watch_seconds;\n}", ("control", "drive")),
    Mutation("a server that fails is asked again at once", ("I-9", "kubernetes#22669"), REFLECTOR,
             "  until_ = now + std::max(wait, at_least);", "  until_ = now + at_least;",
             ("control",)),
    Mutation("all ask again at the same moment", ("I-9", "kubernetes#22669"), REFLECTOR,
             "  wait += Nanos{static_cast<std::int64_t>(jitter)};\n",
             "  wait += Nanos{static_cast<std::int64_t>(0 * jitter)};\n", ("control",)),
    Mutation("events pile up", ("I-8", "kubernetes#118059"), CLUSTER,
             "  if (queued_.size() == kMostQueued) {", "  if (queued_.size() == 0 * kMostQueued) {",
             ("drive",)),
    Mutation("any number of events is told at once", ("I-9",), CLUSTER,
             "!queued_.empty() && telling_ < kMostTelling;", "!queued_.empty();", ("drive",)),
    Mutation("a program for credentials is started as fast as it fails",
             ("I-9", "kubectl#1492"), KEEPER,
             "|| is_ready(moment) || moment.now < failures_.until) return;",
             "|| is_ready(moment)) return;", ("io",)),
    Mutation("aliases may grow without an end", ("I-8", "yaml-cpp#1040", "falco#3281"),
             "codec/yaml_anchors.cpp",
             "if (++uses_ > kMaxCount || expanded_ > kMaxEntries || expanded_text_ > kMaxText)",
             "if (++uses_ > kMaxCount || expanded_ > 100 * kMaxEntries)", ("codec",)),
    # Always
    Mutation("of equal nodes any one is taken", ("I-10",), "plan/winner_tree.cpp",
             "  return leaf_of_[x] < leaf_of_[y];", "  return leaf_of_[x] > leaf_of_[y];",
             ("plan", "integration")),
    Mutation("a token that cannot be one is shown", ("I-12",), KEEPER,
             "invalid_input(\"the token has characters that no token can have\");",
             "invalid_input(\"no token can be \" + std::string(token));", ("io",)),
]
