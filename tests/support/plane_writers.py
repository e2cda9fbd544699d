"""Who binds pods, and whether the lease was his then: from the audit log of an API server."""
import json
import os

POLICY = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "rules": [
    {"level": "Metadata", "verbs": ["create"],
     "resources": [{"group": "", "resources": ["pods/binding"]}]},
    {"level": "Request", "verbs": ["create", "update"],
     "resources": [{"group": "coordination.k8s.io", "resources": ["leases"]}]},
    {"level": "None"}]}


class Writers:
    """Each is to have a user of its own, as which it acts."""

    def __init__(self, folder):
        self.policy, self.log = os.path.join(folder, "policy.json"), os.path.join(folder, "audit")
        with open(self.policy, "w") as file:
            json.dump(POLICY, file)

    def flags(self):
        """Of the API server."""
        return [f"--audit-policy-file={self.policy}", f"--audit-log-path={self.log}"]

    def events(self):
        with open(self.log) as file:
            for line in file:
                try:
                    yield json.loads(line)
                except ValueError:
                    pass  # the server was killed in it

    def judge(self):
        """How many were bound, and what is wrong: binds that were asked for when the lease was
        another's. When it was killed, a server may have given the lease and not have said so here:
        whoever asked for it then is not judged."""
        asked, answered, steps = {}, set(), []
        for event in self.events():
            who = event.get("impersonatedUser", {}).get("username")
            is_lease = event["objectRef"]["resource"] == "leases"
            if event["stage"] == "RequestReceived" and is_lease:
                asked[event["auditID"]] = who
            if event["stage"] != "ResponseComplete":
                continue
            answered.add(event["auditID"])
            if event["responseStatus"]["code"] not in (200, 201):
                continue
            if is_lease:
                holder = who if event["requestObject"]["spec"].get("holderIdentity") else None
                steps.append((event["stageTimestamp"], who, holder, None))
            else:
                steps.append((event["requestReceivedTimestamp"], who, None,
                              event["objectRef"]["name"]))
        unclear = {who for audit, who in asked.items() if audit not in answered}
        binds, wrong, leads = 0, [], None
        for when, who, holder, pod in sorted(steps, key=lambda step: step[0]):
            if pod is None:
                leads = holder
                continue
            binds += 1
            if who != leads and who not in unclear:
                wrong.append(f"{who} bound {pod} at {when}, and the lease was {leads}'s")
        return binds, wrong
