"""What lets two autoscalers be compared that look when they like: each is given the values of a
turn in one look, and finds no metric in all others. So a turn is one decision on each side, however
long it takes. Without metrics both keep what they have, and remember nothing."""

import threading

PATIENCE = 120  # seconds, until every autoscaler has looked again on the slowest machine
SOON = 5  # seconds, between the first and the last question of one look


class Looks:
    """At one autoscaler, by one side."""

    def __init__(self, keys):
        self.keys = keys
        self.count = 0                           # of looks
        self.answered = dict.fromkeys(keys, 0)   # the last look that asked for each
        self.turn = 0                            # whose values the look under way is given; 0: none
        self.given = 0                           # the last turn that was given
        self.since = 0                           # looks since then, or since rest()


class Turns:
    """`keys`: by name of the autoscaler, what tells its metrics apart. Every look asks for each of
    them once, for the first one first or soon: that decides about the look. (A server keeps cpu
    utilization behind all other metrics, whatever the order that was written.)"""

    def __init__(self, sides, keys):
        self.turn = 0
        self.changed = threading.Condition()
        self.looks = {(side, name): Looks(own) for side in sides for name, own in keys.items()}

    def ask(self, side, name, key):
        """The turn whose value may be told; 0: none."""
        looks = self.looks[side, name]
        with self.changed:
            if key == looks.keys[0]:
                self.begin(looks)
            elif not self.changed.wait_for(lambda: looks.answered[key] < looks.count, SOON):
                return 0  # the first one was not asked for: that look had failed before
            looks.answered[key] = looks.count
            return looks.turn

    def begin(self, looks):
        looks.count += 1
        looks.turn = self.turn if self.turn > looks.given else 0
        looks.since = 0 if looks.turn else looks.since + 1
        looks.given = looks.turn or looks.given
        self.changed.notify_all()

    def open(self, turn):
        with self.changed:
            self.turn = turn

    def finish(self):
        """Until everybody was given this turn, and what followed from it is done: the same one has
        begun to look again."""
        self.wait(lambda looks: looks.given == self.turn and looks.since >= 1)

    def rest(self, looks=2):
        """Lets everybody look in vain so often from now on: meanwhile news of pods arrive."""
        with self.changed:
            for one in self.looks.values():
                one.since = 0
        self.wait(lambda one: one.since >= looks)

    def wait(self, is_so):
        def missing():
            return [name for name, looks in self.looks.items() if not is_so(looks)]
        with self.changed:
            if not self.changed.wait_for(lambda: not missing(), PATIENCE):
                raise AssertionError(f"nobody looks at {missing()[:4]}")
