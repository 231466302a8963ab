"""A session file, read in Python."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ..constraints import Constraints
from ._identity import read_identity
from ._knowledge import Knowledge
from ._log import Event, EventLog, SessionFileError, damage_named
from ._state import ControlCount, Hint, control_count, in_words


class Session:
    """What people did in the studio, also while it is open.

    Parameters
    ----------
    path : path
        As ``likewise studio`` says it at the end.

    Attributes
    ----------
    name : str
        What the data was called.
    seed : int
    ids : list of str
        Of the rows at the last start.
    n_clusters : int or None
        How many clusters were asked for; None: chosen from the data.
    names : dict of str to list of str
        The names that were given to clusters, and the ids of the rows that carry them.
    control : ControlCount
        How many of the last control answers were predicted: ``predicted`` of ``of``.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        log = EventLog(self.path, read_only=True)
        try:
            with damage_named(self.path):
                if not log.generations():
                    raise SessionFileError(
                        f"{path} has no data yet. Open it with `likewise studio DATA --session {path}`."
                    )
                self._read(log)
                self._known.constraints()
        finally:
            log.close()

    def _read(self, log: EventLog) -> None:
        generation, about = log.generations()[-1]
        self.name: str = about["name"]
        self.seed = int(log.get("seed") or 0)
        identity = read_identity(log, generation)
        self.ids = identity.ids
        self._events = log.events()
        self._known = Knowledge(identity, self._events)
        state = self._known.state
        self.n_clusters = state.n_clusters
        self.names = {name.name: list(name.anchors) for name in state.names.values()}
        self.control: ControlCount = control_count(state.answers.values())

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Session:
        """Read a session file.

        Parameters
        ----------
        path : path
            As ``likewise studio`` says it at the end.

        Returns
        -------
        Session

        Examples
        --------
        >>> session = Session.read("wine.studio")  # doctest: +SKIP
        >>> likewise.Likewise(session.n_clusters).fit(X, constraints=session.constraints)  # doctest: +SKIP
        """
        return cls(path)

    @property
    def constraints(self) -> Constraints:
        """All hints that count, about the rows in the order of ``ids``."""
        return self._known.constraints()

    @property
    def hints(self) -> list[Hint]:
        """All hints that count, with who gave them when, those about rows that are gone among them."""
        return list(self._known.state.hints.values())

    @property
    def events(self) -> list[Event]:
        """All that was done, in order, undone acts among them."""
        return list(self._events)

    def history(self) -> list[dict[str, Any]]:
        """What was done, in words.

        Returns
        -------
        list of dict
            With ``seq``, ``at``, ``who``, ``kind``, ``words`` and ``counts``, which is False for what was undone.
        """
        counts = self._known.counts
        with damage_named(self.path):
            return [
                {
                    "seq": event.seq,
                    "at": event.at,
                    "who": event.who,
                    "kind": event.kind,
                    "words": in_words(event),
                    "counts": counts.get(event.seq, True),
                }
                for event in self._events
            ]

    def __repr__(self) -> str:
        return f"Session({self.name!r}: {len(self._known.state.answers)} answers, {len(self.hints)} hints)"
