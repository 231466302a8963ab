"""A clock that only tests move."""


class Clock:
    """Stands still while anything but what is slowed down happens."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now

    def slowed(self, work, seconds):
        """A function that does the same work, and moves the clock."""

        def slow(*args, **kwargs):
            self.now += seconds
            return work(*args, **kwargs)

        return slow
