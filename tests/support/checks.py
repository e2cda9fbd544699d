"""Checks of a test: each is run, whatever the one before found, and all that is wrong is told."""


class Checks:
    """`need` notes what is wrong and goes on; a check that cannot go on raises AssertionError."""

    def __init__(self):
        self.failures = []

    def need(self, fact, what):
        if not fact:
            self.failures.append(what)

    def run(self, checks, *arguments, between=lambda: None):
        """Calls each with these arguments, and `between` two of them that."""
        for number, check in enumerate(checks):
            if number > 0:
                between()
            before = len(self.failures)
            try:
                check(*arguments)
            except AssertionError as wrong:
                self.failures.append(f"{check.__name__}: {wrong}")
            print(f"{check.__name__}: {'ok' if len(self.failures) == before else 'wrong'}",
                  flush=True)

    def report(self):
        """Prints what was wrong; the exit status."""
        for failure in self.failures:
            print("FAILED:", failure)
        return 1 if self.failures else 0
