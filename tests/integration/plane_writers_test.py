#!/usr/bin/env python3
"""Who is told to have written without the lease, and who is not: logs that an API server could
have written."""
import datetime
import json
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(os.environ["GEDGE_SOURCE_DIR"]) / "tests/support"))
from plane_writers import LEASE, POLICY, READS_ON, Writers  # noqa: E402

START = datetime.datetime(2026, 11, 22, 1, tzinfo=datetime.timezone.utc)
# Group, resource, subresource, verb.
WRITES = [("", "pods", "binding", "create"), ("", "pods", "eviction", "create"),
          ("", "pods", "status", "patch"), ("", "pods", "", "delete"),
          ("", "persistentvolumes", "", "patch"), ("", "persistentvolumeclaims", "", "patch"),
          ("events.k8s.io", "events", "", "create"), ("events.k8s.io", "events", "", "patch")]


def stamp(second):
    moment = START + datetime.timedelta(seconds=second)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


class Log:
    """Events of users "a" and "b" at seconds since the start, told in the order of the calls."""

    def __init__(self):
        self.lines = []

    def lease(self, who, came, took=0.01, code=200, gives=False, is_answered=True):
        """As a server does it: at first it does not know for whom somebody else acts."""
        event = self._event(came, "update", {"resource": "leases", "name": "gedge-scheduler"})
        self._add(event, "RequestReceived", came)
        if is_answered:
            event |= {"responseStatus": {"code": code}, "impersonatedUser": {"username": who},
                      "requestObject": {"spec": {"holderIdentity": "" if gives else who + "-1"}}}
            self._add(event, "ResponseComplete", came + took)
        return self

    def write(self, who, came, kind=WRITES[0], code=201):
        group, resource, subresource, verb = kind
        thing = {"resource": resource, "apiGroup": group, "namespace": "default"}
        if subresource:
            thing |= {"subresource": subresource, "name": "p1"}
        event = self._event(came, verb, thing)
        event["responseStatus"] = {"code": code}
        if who:
            event["impersonatedUser"] = {"username": who}
        self._add(event, "ResponseComplete", came + 0.5)
        return self

    def _event(self, came, verb, thing):
        return {"auditID": str(len(self.lines)), "verb": verb, "objectRef": thing,
                "user": {"username": "admin"}, "requestReceivedTimestamp": stamp(came)}

    def _add(self, event, stage, when):
        self.lines.append(json.dumps({**event, "stage": stage, "stageTimestamp": stamp(when)}))

    def judge(self, *stood_still):
        with tempfile.TemporaryDirectory() as folder:
            writers = Writers(folder)
            with open(writers.log, "w") as file:
                file.write("\n".join(self.lines))
            return writers.judge([(START.timestamp() + begin, START.timestamp() + end)
                                  for begin, end in stood_still])


def test_who_holds_the_lease_writes():
    for kind in WRITES:
        binds, wrong = Log().lease("a", 0).write("a", 1, kind).judge()
        assert (binds, wrong) == (int(kind == WRITES[0]), []), (kind, binds, wrong)


def test_nobody_else_writes_anything():
    for kind in WRITES:
        _, wrong = Log().lease("a", 0).write("b", 1, kind).judge()
        assert len(wrong) == 1 and wrong[0].startswith("b: "), wrong
        assert wrong[0].endswith("and the lease was a's"), wrong
    assert len(Log().write("a", 1).judge()[1]) == 1


def test_what_was_refused_was_written_all_the_same():
    binds, wrong = Log().lease("a", 0).write("b", 1, code=409).judge()
    assert binds == 0 and len(wrong) == 1, wrong


def test_who_acts_for_nobody_is_the_test():
    assert Log().write("", 1, WRITES[3]).judge() == (0, [])


def test_the_lease_lasts_since_it_was_renewed():
    late = Log().lease("a", 0).write("a", LEASE).write("a", LEASE + 0.25)
    binds, wrong = late.judge()
    assert binds == 2 and len(wrong) == 1, wrong
    assert "15.250 s after it had last renewed the lease" in wrong[0], wrong
    assert Log().lease("a", 0).lease("a", 2).write("a", LEASE + 2).judge()[1] == []
    assert len(Log().lease("a", 0).lease("a", 2, code=409).write("a", LEASE + 2).judge()[1]) == 1
    assert len(Log().lease("a", 0, took=3).write("a", LEASE + 1).judge()[1]) == 1


def test_the_lease_goes_from_one_to_the_next():
    log = Log().lease("a", 0).write("a", 19.9, code=500)
    assert len(log.judge()[1]) == 1
    taken = Log().lease("a", 0).lease("b", 20).write("b", 21).write("a", 22)
    assert [line[0] for line in taken.judge()[1]] == ["a"]
    given = Log().lease("a", 0).lease("a", 3, gives=True).write("a", 4)
    assert given.judge()[1][0].endswith("and the lease was nobody's")


def test_whose_call_is_answered_soon_may_have_heard_it():
    assert Log().lease("a", 0, took=2).write("a", 1).judge()[1] == []


def test_after_a_call_without_an_answer_nobody_is_judged_until_that_lease_is_over():
    for who in "ab":
        log = Log().lease("a", 0).lease(who, 10, is_answered=False)
        assert len(log.write("b", 9.5).judge()[1]) == 1
        assert len(log.write("b", 12).write("b", 25).judge()[1]) == 1
        assert len(log.write("b", 25.5).judge()[1]) == 2


def test_what_came_while_the_server_stood_still_is_not_late():
    log = Log().lease("a", 0).write("a", 61)
    assert len(log.judge()[1]) == 1
    assert log.judge((5, 60))[1] == []
    assert len(log.judge((5, 61 - READS_ON - 0.5))[1]) == 1


def test_half_a_line_is_none():
    log = Log().lease("a", 0).write("a", 1)
    log.lines.append(log.lines[-1][:40])
    assert log.judge() == (1, [])


def test_all_that_is_judged_is_asked_for():
    for group, resource, subresource, verb in WRITES:
        name = "/".join(filter(None, (resource, subresource)))
        rules = [rule for rule in POLICY["rules"] if verb in rule.get("verbs", [])
                 and {"group": group, "resources": [name]} in rule.get("resources", [])]
        assert [rule["level"] for rule in rules] == ["Metadata"], name


def main():
    tests = [test for name, test in sorted(globals().items()) if name.startswith("test_")]
    for test in tests:
        test()
        print("ok", test.__name__)
    return 0 if len(tests) >= 11 else 1


if __name__ == "__main__":
    sys.exit(main())
