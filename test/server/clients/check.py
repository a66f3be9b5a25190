"""Checks of the Python clients: lines that the server tests count."""


def check(name, expected, actual):
    if expected == actual:
        print(f"ok - {name}")
    else:
        print(f"not ok - {name}: expected {expected!r}, got {actual!r}")


class Charges:
    """Counts the charges since the last question."""

    def __init__(self, ask):
        self.ask, self.seen = ask, ask()

    def check(self, name, expected):
        now = self.ask()
        check(f"{name}: charges", expected, now - self.seen)
        self.seen = now
