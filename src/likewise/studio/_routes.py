"""Routing of requests to calls of the studio, independent of the network code."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..tables._cells import whole_number_of
from ._gate import Gate
from ._log import NotKeptError
from ._refusal import Refusal
from ._studio import Studio
from ._views import MAX_SHOWN

KEY = re.compile(r"[A-Za-z0-9_-]{8,64}")
MAX_DEPTH = 8
MAX_WORDS = 200
MAX_HISTORY = 200
MAX_LISTED = 200
MAX_SIDE = 512

TYPES = {
    ".csv": "text/csv; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".likewise": "application/octet-stream",
}


@dataclass(frozen=True)
class Asks:
    """A request that passed access control.

    Attributes
    ----------
    who : str
        The person.
    parts : tuple of str
        The values of the placeholders in the pattern of the route.
    query : mapping of str to str
    body : dict
    """

    who: str = ""
    parts: tuple[str, ...] = ()
    query: Mapping[str, str] = field(default_factory=dict)
    body: dict[str, Any] = field(default_factory=dict)

    def key(self) -> str:
        """The idempotency key of an action, which is the same if the request is sent again."""
        key = self.body.get("key")
        if not isinstance(key, str) or not KEY.fullmatch(key):
            raise Refusal(422, "value", "key should have 8 to 64 letters, digits, - or _: make one for each act.")
        return key

    def number(self, name: str, default: int | None, low: int, high: int) -> int | None:
        """An integer parameter of the query."""
        return _number(self.query[name], name, low, high) if name in self.query else default


@dataclass(frozen=True)
class Says:
    """A response: JSON, bytes with a content type, or a file to download."""

    content: Any = None
    data: bytes | None = None
    type: str = "application/json"
    download: Path | None = None
    status: int = 200


Handler = Callable[[Studio, Asks], Any]


def _number(text: str, name: str, low: int, high: int) -> int:
    number = whole_number_of(text)
    if number is None or not low <= number <= high:
        raise Refusal(422, "value", f"{name} is {text[:20]!r}: a number from {low} to {high}.")
    return number


# -- reading -----------------------------------------------------------------------------------------------------------
def _session(studio: Studio, asks: Asks) -> Any:
    return studio.views.session(asks.who)


def _questions(studio: Studio, asks: Asks) -> Any:
    return {"questions": studio.views.questions(asks.who), "state": studio.views.state(asks.who)}


def _question(studio: Studio, asks: Asks) -> Any:
    number = _number(asks.parts[0], "question", 0, 10**9)
    asked = studio.log.question(number)
    if asked is None:
        raise Refusal(404, "unknown", f"question {number} was never asked.")
    if min(studio.identity.row(id, asked.generation) for id in asked.body["rows"]) < 0:
        raise Refusal(409, "gone", "a row of this question is not in the data any more.")
    return {"question": studio.views.question(asked), "answered": studio.knowledge.answered.get(number)}


def _map(studio: Studio, asks: Asks) -> Any:
    data = studio.views.map_bytes(_number(asks.parts[0], "result", 0, 10**9))
    return Says(data=data, type="application/octet-stream")


def _clusters(studio: Studio, asks: Asks) -> Any:
    return studio.views.clusters(_number(asks.parts[0], "result", 0, 10**9))


def _rows(studio: Studio, asks: Asks) -> Any:
    full = asks.query.get("full") == "1"
    listed = [part for part in asks.query.get("rows", "").split(",") if part]
    if not 1 <= len(listed) <= (4 if full else MAX_SHOWN):
        raise Refusal(422, "value", f"rows should be 1 to {4 if full else MAX_SHOWN} row numbers, such as rows=3,8.")
    rows = [_number(part, "rows", 0, len(studio.rows) - 1) for part in listed]
    return studio.views.row_items(rows, together=asks.query.get("together") == "1", full=full)


def _find(studio: Studio, asks: Asks) -> Any:
    return studio.views.found(asks.query.get("words", "")[:MAX_WORDS])


def _neighbors(studio: Studio, asks: Asks) -> Any:
    row = _number(asks.parts[0], "row", 0, len(studio.rows) - 1)
    return studio.views.neighbors(row, asks.number("n", 12, 1, MAX_SHOWN) or 12)


def _doubtful(studio: Studio, asks: Asks) -> Any:
    return studio.views.doubtful(asks.number("n", 50, 1, MAX_LISTED) or 50, asks.number("cluster", None, 0, 10**6))


def _picture(studio: Studio, asks: Asks) -> Any:
    row = _number(asks.parts[0], "row", 0, len(studio.rows) - 1)
    side = asks.number("side", 96, 8, MAX_SIDE) or 96
    try:
        return Says(data=studio.view.picture(row, side), type="image/jpeg")
    except (ValueError, OSError) as error:
        raise Refusal(404, "picture", str(error)) from None
    except Exception as error:  # an invalid image file can raise any exception
        raise Refusal(404, "picture", f"{studio.rows.ids[row]} cannot be shown: {type(error).__name__}.") from None


def _history(studio: Studio, asks: Asks) -> Any:
    return studio.views.history(
        asks.who, asks.number("before", None, 0, 10**12), asks.number("n", 50, 1, MAX_HISTORY) or 50
    )


def _review(studio: Studio, asks: Asks) -> Any:
    return studio.views.review()


def _people(studio: Studio, asks: Asks) -> Any:
    return studio.views.agreements()


def _export_status(studio: Studio, asks: Asks) -> Any:
    return studio.exports.export_status(_number(asks.parts[0], "export", 0, 10**9))


def _export_file(studio: Studio, asks: Asks) -> Any:
    path = studio.exports.exported_file(_number(asks.parts[0], "export", 0, 10**9), asks.parts[1])
    return Says(download=path, type=TYPES[path.suffix])


# -- acting ------------------------------------------------------------------------------------------------------------
def _answer(studio: Studio, asks: Asks) -> Any:
    number, ms = asks.body.get("question"), asks.body.get("ms")
    if not isinstance(number, int) or isinstance(number, bool):
        raise Refusal(422, "value", "question should be the number of a question.")
    ms = float(ms) if isinstance(ms, int | float) and not isinstance(ms, bool) and 0 <= ms < 1e9 else None
    return studio.acts.answer(asks.who, asks.key(), number, asks.body.get("answer"), ms)


def _ask(studio: Studio, asks: Asks) -> Any:
    return studio.acts.prefer(asks.who, asks.key(), asks.body.get("kind"), asks.body.get("size", 4))


def _group_preview(studio: Studio, asks: Asks) -> Any:
    return studio.gestures.preview_group(asks.body.get("rows"), asks.body.get("result"))


def _apart_preview(studio: Studio, asks: Asks) -> Any:
    return studio.gestures.preview_group(asks.body.get("rows"), asks.body.get("result"), apart=True)


def _merge_preview(studio: Studio, asks: Asks) -> Any:
    return studio.gestures.preview_merge(asks.body.get("clusters"), asks.body.get("result"))


def _split_preview(studio: Studio, asks: Asks) -> Any:
    return studio.gestures.preview_split(asks.body.get("cluster"), asks.body.get("result"))


def _group(studio: Studio, asks: Asks) -> Any:
    return studio.gestures.group(asks.who, asks.key(), asks.body)


def _apart(studio: Studio, asks: Asks) -> Any:
    return studio.gestures.separate(asks.who, asks.key(), asks.body)


def _merge(studio: Studio, asks: Asks) -> Any:
    return studio.gestures.merge(asks.who, asks.key(), asks.body)


def _split(studio: Studio, asks: Asks) -> Any:
    return studio.gestures.split(asks.who, asks.key(), asks.body)


def _move(studio: Studio, asks: Asks) -> Any:
    return studio.gestures.move(asks.who, asks.key(), asks.body)


def _name(studio: Studio, asks: Asks) -> Any:
    return studio.gestures.give_name(asks.who, asks.key(), asks.body)


def _ids(studio: Studio, asks: Asks) -> Any:
    return {"ids": [studio.rows.ids[row] for row in studio.selection(asks.body.get("rows")).tolist()]}


def _n_clusters(studio: Studio, asks: Asks) -> Any:
    return studio.acts.set_n_clusters(asks.who, asks.key(), asks.body.get("n_clusters"))


def _event(asks: Asks) -> int | None:
    event = asks.body.get("event")
    if event is not None and (not isinstance(event, int) or isinstance(event, bool)):
        raise Refusal(422, "value", "event should be the number of an event.")
    return event


def _undo(studio: Studio, asks: Asks) -> Any:
    return studio.acts.undo(asks.who, asks.key(), _event(asks))


def _redo(studio: Studio, asks: Asks) -> Any:
    return studio.acts.redo(asks.who, asks.key(), _event(asks))


def _withdraw(studio: Studio, asks: Asks) -> Any:
    return studio.acts.withdraw(asks.who, asks.key(), asks.body.get("hint"))


def _confirm(studio: Studio, asks: Asks) -> Any:
    return studio.acts.withdraw(asks.who, asks.key(), asks.body.get("hint"), "confirmed")


def _export(studio: Studio, asks: Asks) -> Any:
    return Says(studio.exports.export(asks.who, asks.key()), status=202)


ROUTES: tuple[tuple[str, str, Handler, bool], ...] = (
    ("GET", "/api/session", _session, True),
    ("GET", "/api/questions", _questions, True),
    ("GET", "/api/questions/{}", _question, True),
    ("GET", "/api/map/{}", _map, True),
    ("GET", "/api/clusters/{}", _clusters, True),
    ("GET", "/api/rows", _rows, True),
    ("GET", "/api/pictures/{}", _picture, False),
    ("GET", "/api/find", _find, False),
    ("GET", "/api/neighbors/{}", _neighbors, False),
    ("GET", "/api/doubtful", _doubtful, True),
    ("GET", "/api/history", _history, True),
    ("GET", "/api/review", _review, True),
    ("GET", "/api/people", _people, True),
    ("GET", "/api/exports/{}", _export_status, True),
    ("GET", "/api/exports/{}/{}", _export_file, True),
    ("POST", "/api/answer", _answer, True),
    ("POST", "/api/ask", _ask, True),
    ("POST", "/api/ids", _ids, False),
    ("POST", "/api/group/preview", _group_preview, True),
    ("POST", "/api/group", _group, True),
    ("POST", "/api/apart/preview", _apart_preview, True),
    ("POST", "/api/apart", _apart, True),
    ("POST", "/api/merge/preview", _merge_preview, True),
    ("POST", "/api/merge", _merge, True),
    ("POST", "/api/split/preview", _split_preview, True),
    ("POST", "/api/split", _split, True),
    ("POST", "/api/move", _move, True),
    ("POST", "/api/name", _name, True),
    ("POST", "/api/clusters", _n_clusters, True),
    ("POST", "/api/undo", _undo, True),
    ("POST", "/api/redo", _redo, True),
    ("POST", "/api/withdraw", _withdraw, True),
    ("POST", "/api/confirm", _confirm, True),
    ("POST", "/api/exports", _export, True),
)
"""Method, pattern, handler, and whether it needs exclusive access to the state."""


def find_route(method: str, path: str) -> tuple[Handler, tuple[str, ...], bool]:
    """The handler of a request, the values of its placeholders, and whether it needs exclusive access."""
    parts = path.split("/")
    there = False
    for wanted, pattern, handler, alone in ROUTES:
        names = pattern.split("/")
        if len(names) == len(parts) and all(name in ("{}", part) for name, part in zip(names, parts, strict=True)):
            if wanted == method:
                held = tuple(part for name, part in zip(names, parts, strict=True) if name == "{}")
                return handler, held, alone
            there = True
    if there:
        raise Refusal(405, "method", f"{method} is not used for {path}.")
    raise Refusal(404, "unknown", "there is nothing here.")


def answer(studio: Studio, gate: Gate, method: str, path: str, who: str, query: Mapping[str, str], body: Any) -> Says:
    """Handle a request that passed access control and whose body was parsed."""
    if method == "POST" and path == "/api/link":
        return Says({"link": gate.link(_invited(studio, who, body))})
    handler, parts, alone = find_route(method, path)
    asks = Asks(who, parts, query, body)
    try:
        if alone:
            with studio.lock:
                said = handler(studio, asks)
        else:
            said = handler(studio, asks)
    except NotKeptError as error:
        raise Refusal(507, "not kept", f"this was not kept: {error}. Make room on the disk, and try again.") from None
    return said if isinstance(said, Says) else Says(said)


def _invited(studio: Studio, who: str, body: dict[str, Any]) -> str:
    """The person that a new link is for: the sender, or one of several people."""
    name = body.get("name", who)
    if not isinstance(name, str) or (name != who and name not in studio.people):
        raise Refusal(422, "value", "name should be one of the people that the studio was started for.")
    return name


def parse(data: bytes) -> dict[str, Any]:
    """Parse the body of a request: a JSON object of limited depth."""
    try:
        found = json.loads(data.decode("utf-8"))
    except (UnicodeDecodeError, ValueError, RecursionError):
        raise Refusal(400, "json", "the body is not JSON.") from None
    if not isinstance(found, dict) or _depth(found) > MAX_DEPTH:
        raise Refusal(400, "json", "the body should be a JSON object that is not nested deeply.")
    return found


def _depth(value: Any, at: int = 1) -> int:
    if at > MAX_DEPTH or not isinstance(value, dict | list):
        return at
    inside = value.values() if isinstance(value, dict) else value
    return max((_depth(each, at + 1) for each in inside), default=at)
