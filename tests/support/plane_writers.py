"""Who writes what a scheduler writes, and whether the lease was his then: from the audit log of an
API server."""
import datetime
import json
import os

# Seconds for which a lease is its holder's since the last renewal. It may write for 10 of them;
# what it has written may be on its way for the other 5.
LEASE = 15
READS_ON = 5  # seconds in which a server that goes on has read what came while it stood still


def written(verb, *resources):
    return {"level": "Metadata", "verbs": [verb], "omitStages": ["RequestReceived"],
            "resources": [{"group": group, "resources": [name]} for group, name in resources]}


EVENTS = ("events.k8s.io", "events")
POLICY = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "rules": [
    written("create", ("", "pods/binding"), ("", "pods/eviction"), EVENTS),
    written("patch", ("", "pods/status"), ("", "persistentvolumes"),
            ("", "persistentvolumeclaims"), EVENTS),
    written("delete", ("", "pods")),
    {"level": "Request", "verbs": ["create", "update"],
     "resources": [{"group": "coordination.k8s.io", "resources": ["leases"]}]},
    {"level": "None"}]}
MOST_LOG = 10_000  # MB; of more the server would begin another one


def seconds(timestamp):
    """Since 1970, of "2026-11-22T01:00:00.000000Z"."""
    return datetime.datetime.fromisoformat(timestamp.replace("Z", "+00:00")).timestamp()


def what_of(event):
    thing = event["objectRef"]
    kind = "/".join(filter(None, (thing["resource"], thing.get("subresource"))))
    name = thing.get("name") or "one"
    return f"{event['verb']} of {kind} {name} at {event['requestReceivedTimestamp']}"


class Steps:
    """What the log tells, in any order: `all_of_them` has (when, what, who, detail). A call about
    the lease counts from when it came for who makes it, and from its answer for all others."""

    def __init__(self):
        self.all_of_them, self.binds = [], 0
        self.asked, self.answered = {}, set()

    def take(self, event):
        came = seconds(event["requestReceivedTimestamp"])
        is_lease = event["objectRef"]["resource"] == "leases"
        if is_lease and event["stage"] == "RequestReceived":
            self.asked[event["auditID"]] = came
        if event["stage"] != "ResponseComplete":
            return
        self.answered.add(event["auditID"])
        who = event.get("impersonatedUser", {}).get("username")
        is_done = event.get("responseStatus", {}).get("code") in (200, 201)
        if who is None:
            return  # the test itself
        if not is_lease:
            self.binds += is_done and event["objectRef"].get("subresource") == "binding"
            self.all_of_them.append((came, "writes", who, what_of(event)))
        elif is_done:
            done = seconds(event["stageTimestamp"])
            if event["requestObject"]["spec"].get("holderIdentity"):
                self.all_of_them += [(came, "renews", who, ""), (done, "holds", who, "")]
            else:
                self.all_of_them.append((done, "gives", who, ""))

    def unanswered(self):
        return [came for audit, came in self.asked.items() if audit not in self.answered]


class Writers:
    """Each is to have a user of its own, as which it acts."""

    def __init__(self, folder):
        self.policy, self.log = os.path.join(folder, "policy.json"), os.path.join(folder, "audit")
        with open(self.policy, "w") as file:
            json.dump(POLICY, file)

    def flags(self):
        """Of the API server."""
        return [f"--audit-policy-file={self.policy}", f"--audit-log-path={self.log}",
                f"--audit-log-maxsize={MOST_LOG}"]

    def events(self):
        with open(self.log) as file:
            for line in file:
                try:
                    yield json.loads(line)
                except ValueError:
                    pass  # the server was killed in it

    def judge(self, stood_still=()):
        """How many were bound, and what is wrong: writes that came when the lease was another's or
        nobody's, or longer after the last renewal than what was sent in time may take.

        Nobody is judged while that is not known. A server that was killed may have given the lease
        and not have said so here, nor to whom: as long as that lease would last. And what comes to
        a server that stands still is read when it goes on: `stood_still` has from when to when, in
        seconds since 1970."""
        steps = Steps()
        for event in self.events():
            steps.take(event)
        unknown = [(came, came + LEASE) for came in steps.unanswered()]
        unknown += [(begin, end + READS_ON) for begin, end in stood_still]
        wrong, holder, renewed, comes = [], None, {}, set()
        for when, step, who, what in sorted(steps.all_of_them, key=lambda one: one[0]):
            if step == "renews":
                renewed[who] = when
                comes.add(who)
            elif step == "holds":
                holder = who
                comes.discard(who)
            elif step == "gives":
                holder = None
            elif any(begin <= when <= end for begin, end in unknown):
                continue
            elif who != holder and who not in comes:
                wrong.append(f"{who}: {what}, and the lease was {holder or 'nobody'}'s")
            elif when > renewed[who] + LEASE:
                wrong.append(f"{who}: {what}, {when - renewed[who]:.3f} s after it had last "
                             "renewed the lease")
        return steps.binds, wrong
