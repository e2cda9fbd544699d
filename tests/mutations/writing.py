"""Bugs that somebody could make in what a scheduler writes, and when it may."""
from mutation import Mutation

CLUSTER = "drive/api_cluster.cpp"
TELLING = "drive/api_telling.cpp"
REQUESTS = "codec/api_requests.cpp"
LEDGER = "control/event_ledger.cpp"
WATCHDOG = "../../cli/src/watchdog.cpp"
SCHEDULE_RUN = "../../cli/src/schedule_run.cpp"

WRITING = [
    # Without the lease
    Mutation("who does not lead binds", ("I-3",), CLUSTER,
             "  send_write(codec::bind_request(request)", "  send(codec::bind_request(request)",
             ("drive",)),
    Mutation("who does not lead asks pods to go", ("I-3",), CLUSTER,
             "  send_write(tells ? codec::victim_request(", "  send(tells ? codec::victim_request(",
             ("drive",)),
    Mutation("who was told to go in time goes later", ("I-3",), CLUSTER,
             "  send_write(std::move(request), std::move(call));",
             "  send(std::move(request), std::move(call));", ("drive",)),
    Mutation("who does not lead claims volumes", ("I-3",), CLUSTER,
             "  send_write(codec::claim_request(request)", "  send(codec::claim_request(request)",
             ("drive",)),
    Mutation("who does not lead promises nodes", ("I-3",), CLUSTER,
             "  send_write(codec::nomination_request(nomination)",
             "  send(codec::nomination_request(nomination)", ("drive",)),
    Mutation("who does not lead says why pods wait", ("I-3",), TELLING,
             "    if (!may_write(request)) return conditions_->clear();\n",
             "    static_cast<void>(may_write(request));\n", ("drive",)),
    Mutation("who does not lead tells Events", ("I-3",), TELLING,
             "    if (!may_write(event.request)) return queued_.clear();\n",
             "    static_cast<void>(may_write(event.request));\n", ("drive",)),
    Mutation("an autoscaler writes for as long as it likes", ("I-3",), "drive/scale_calls.cpp",
             "  return !lease_ || lease_->bounds(request, now());\n",
             "  static_cast<void>(request);\n  return true;\n", ("drive",)),
    # Who hangs
    Mutation("a watchdog knows of no moment", ("I-3", "cilium#42920"), WATCHDOG,
             "  moment_ = moment;\n", "  static_cast<void>(moment);\n", ("cli",)),
    Mutation("a loop that hangs outlives its lease", ("I-3", "cilium#42920"), SCHEDULE_RUN,
             "std::optional(*deadline + kLoopMayEnd)",
             "std::optional(*deadline + 1'000 * kLoopMayEnd)", ("cli",)),
    Mutation("an end that hangs never ends", ("I-3", "cilium#42920"), SCHEDULE_RUN,
             "Nanos(io_.clock.now()) + kEndMayTake", "Nanos(io_.clock.now()) + 1'000 * kEndMayTake",
             ("cli",)),
    # What is written
    Mutation("a claim is given no node that anybody reads", ("I-5",), REQUESTS,
             "volume.kubernetes.io/selected-node", "volume.kubernetes.io/selected_node",
             ("drive",)),
    Mutation("an Event is as long as what it tells", ("I-8", "karpenter#2071"), REQUESTS,
             "cut(event.note, kMostNote)", "cut(event.note, 64 * kMostNote)", ("drive",)),
    Mutation("no Event is held back, however many there are about one object",
             ("I-9", "kubernetes#47366"), LEDGER,
             "  if (!pay(about, now)) return", "  if (!pay(about, now) && note.empty()) return",
             ("control", "drive")),
    Mutation("an Event that was told is told anew", ("I-9", "kubernetes#47366"), LEDGER,
             "  if (known != about.said.end()) {\n    known->last",
             "  if (known != about.said.end() && known->times == 0) {\n    known->last",
             ("control", "drive")),
    Mutation("similar Events are told one by one", ("I-9", "kubernetes#47366"), LEDGER,
             ">= limits_.most_similar)", ">= 1'000 * limits_.most_similar)", ("control",)),
]
