"""Reading a session file in Python."""

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
    """The content of a session file of the studio, which may be open in the studio.

    Parameters
    ----------
    path : path
        Session file, as printed by ``likewise studio`` when it ends.

    Attributes
    ----------
    name : str
        Name of the data.
    seed : int
    ids : list of str
        Ids of the rows at the last start.
    n_clusters : int or None
        Requested number of clusters; None: chosen from the data.
    names : dict of str to list of str
        Names of clusters, with the ids of their anchor rows.
    control : ControlCount
        Number of recent control answers that were predicted correctly: ``predicted`` of ``of``.
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
            Session file, as printed by ``likewise studio`` when it ends.

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
        """All active hints as constraints, with rows in the order of ``ids``."""
        return self._known.constraints()

    @property
    def hints(self) -> list[Hint]:
        """All active hints with person and time, including hints about rows that no longer exist."""
        return list(self._known.state.hints.values())

    @property
    def events(self) -> list[Event]:
        """All events in order, including undone ones."""
        return list(self._events)

    def history(self) -> list[dict[str, Any]]:
        """All actions, described in words.

        Returns
        -------
        list of dict
            With ``seq``, ``at``, ``who``, ``kind``, ``words`` and ``counts``, which is False for undone actions.
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
