"""What tests let another process do: little is imported here, since each such process begins anew."""

import errno
import os
import pickle
import resource
import signal
import time

from likewise.tables import _apart


def crash(path):
    os.kill(os.getpid(), signal.SIGSEGV)


def endless(path):
    while True:
        pass


def refuse(path):
    raise ValueError(f"{path} is wrong")


def square(path):
    return [0, 1, 4]


def process(path):
    return os.getpid(), os.getsid(0)


def wait(path):
    time.sleep(600)


def greedy(path):
    _apart.limit_memory(2**26)
    return len(bytearray(2**29))


def limit_of_time(path):
    return resource.getrlimit(resource.RLIMIT_CPU)[0], time.process_time()


class StubbornError(ValueError):
    """Cannot be sent to another process."""

    def __init__(self, message, why):
        super().__init__(message)
        self.why = why

    def __reduce__(self):
        raise self.why("not that")


def fail(path):
    name, _, words = path.name.partition(" ")
    raise {
        "denied": PermissionError(errno.EACCES, words),
        "absent": ImportError(words),
        "full": MemoryError(words),
        "wrong": ValueError(words),
        "pickling": StubbornError(words, pickle.PicklingError),
        "type": StubbornError(words, TypeError),
        "attribute": StubbornError(words, AttributeError),
    }[name]


def chatter(path):
    os.write(1, b"what libraries print")
    return path.name
