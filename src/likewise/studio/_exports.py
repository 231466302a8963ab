"""Exports: requested here, written by the worker."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._export import FILES, Export
from ._refusal import Refusal

if TYPE_CHECKING:
    from ._studio import Studio


class Exports:
    """The exports since the studio was started.

    Parameters
    ----------
    studio : Studio
    """

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        self._exports: dict[int, dict[str, Any]] = {}
        self._n_exports = max((int(one.name) for one in (studio.folder / "exports").glob("[0-9]*")), default=0)

    def export(self, who: str, key: str) -> dict[str, Any]:
        """Request an export of all files from a new fit."""
        event = self._studio.before(key, "exported", who)
        new = event is None
        if event is None:
            number = self._n_exports + 1
            event, new, _ = self._studio.act("exported", {"number": number}, who, key)
        number = event.body["number"]
        if new:
            self._n_exports = number
            wanted = self._studio.knowledge.state.n_clusters
            folder = self._studio.folder / "exports" / f"{number:04d}"
            command = self._studio.repeat(wanted) if self._studio.repeat is not None else ""
            self._exports[number] = {
                "number": number,
                "status": "waiting",
                "files": [],
                "folder": str(folder.resolve()),
                "command": command,
                "message": "",
            }
            self._studio.worker.tell(
                Export(
                    number,
                    folder,
                    self._studio.knowledge.constraints(),
                    wanted,
                    self._studio.views.names(),
                    self._studio.name,
                    command,
                )
            )
        return self._studio.acts.reply(event, new, who, export=self.export_status(number))

    def _told_export(self, number: int, status: str, more: Any = None) -> None:
        export = self._exports.get(number)
        if export is None:
            return
        export["status"] = status
        if status == "done":
            export["files"] = [{"name": name, "bytes": size} for name, size in more]
        elif status == "failed":
            export["message"] = more
        self._studio.publish("export", export)
        if status in ("done", "failed"):
            waits = self._studio.results.newest is None
            self._studio.fit |= {"status": "fitting" if waits else "idle", "stage": "", "done": None, "total": None}
            self._studio.publish("state", None)

    def export_status(self, number: int) -> dict[str, Any]:
        """The status of an export."""
        found = self._exports.get(number)
        if found is None:
            raise Refusal(404, "unknown", f"there is no export {number} since the last start.")
        return found

    def exported_file(self, number: int, name: str) -> Path:
        """The path of a file of a finished export."""
        export = self.export_status(number)
        if export["status"] != "done" or name not in FILES:
            raise Refusal(404, "unknown", f"there is no file {name!r} of export {number}.")
        return Path(export["folder"]) / name
