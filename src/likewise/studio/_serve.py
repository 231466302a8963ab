"""The server: an ASGI application with the routes and event streams, on the loopback address only."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import socket
from collections.abc import AsyncIterator
from contextlib import suppress
from functools import partial
from importlib.resources import files
from itertools import takewhile
from typing import Any

import uvicorn
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from uvicorn.protocols.http.h11_impl import H11Protocol

from ..page import asset, asset_names
from ..tables._cells import whole_number_of
from ._gate import HEADERS, Gate
from ._refusal import Refusal
from ._routes import Says, answer, parse
from ._studio import Studio

HEARTBEAT = 15.0
REQUEST_SECONDS = 30.0
"""Maximum time for receiving a request."""

MAX_CONNECTIONS = 64
MAX_HEADERS = 100
MAX_HEADER_BYTES = 16 * 2**10
MAX_WAITING = 1_000
"""Maximum number of pending messages of a page; beyond it the stream is closed, and the page reconnects."""

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff2": "font/woff2",
}


class Assets:
    """The static files of the page; no other files are served."""

    def __init__(self) -> None:
        self._held: dict[str, tuple[str, bytes, bytes]] = {}
        for entry in files("likewise.studio").joinpath("web").iterdir():
            if os.path.splitext(entry.name)[1] in TYPES:
                self._hold(entry.name, entry.read_bytes())
        for name in asset_names():
            self._hold(name, asset(name).encode())

    def _hold(self, name: str, data: bytes) -> None:
        self._held[name] = (TYPES[os.path.splitext(name)[1]], data, gzip.compress(data, mtime=0))

    def get(self, path: str, encodings: str = "") -> Response:
        """The file at a path, compressed if the client accepts it, because a tunnel may be slow."""
        name = "index.html" if path == "/" else path.removeprefix("/web/") if path.startswith("/web/") else ""
        if name not in self._held:
            raise Refusal(404, "unknown", "there is nothing here.")
        kind, data, packed = self._held[name]
        if "gzip" in encodings.replace(" ", "").split(","):
            return Response(packed, media_type=kind, headers={"Content-Encoding": "gzip"})
        return Response(data, media_type=kind)


class Application:
    """The ASGI application.

    Parameters
    ----------
    studio : Studio
    gate : Gate
    """

    def __init__(self, studio: Studio, gate: Gate) -> None:
        self._studio = studio
        self._gate = gate
        self._assets = Assets()
        self._streams: set[asyncio.Queue[Any]] = set()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Handle a request; unexpected exceptions become an error response."""
        if scope["type"] != "http":
            return
        request = Request(scope, receive)
        try:
            response = await self._respond(request)
        except Refusal as refusal:
            response = JSONResponse({"error": refusal.error, "message": str(refusal)}, status_code=refusal.status)
        except (ClientDisconnect, asyncio.CancelledError):
            raise
        except Exception as error:
            # the traceback is printed in the terminal, and is not sent to the page
            import traceback

            traceback.print_exc()
            response = JSONResponse(
                {"error": "fault", "message": f"the studio failed: {type(error).__name__}. The terminal says more."},
                status_code=500,
            )
        for name, value in HEADERS.items():
            response.headers[name] = value
        with suppress(ClientDisconnect):
            await response(scope, receive, send)

    async def _respond(self, request: Request) -> Response:
        gate, path, method = self._gate, request.url.path, request.method
        listed = request.scope["headers"]
        if len(listed) > MAX_HEADERS or sum(len(name) + len(value) for name, value in listed) > MAX_HEADER_BYTES:
            raise Refusal(431, "size", "the request has more headers than a browser sends.")
        headers = dict(request.headers.items())
        gate.check(method, path, headers)
        if not path.startswith("/api/"):
            return self._assets.get(path, headers.get("accept-encoding", ""))
        who = "" if path == "/api/enter" else gate.person(headers.get("authorization"))
        body = await self._body(request, headers) if method == "POST" else {}
        if path == "/api/enter":
            if method != "POST":
                raise Refusal(405, "method", "GET is not used here.")
            token, who = gate.enter(body.get("code"))
            return JSONResponse({"token": token, "person": who})
        if path == "/api/live" and method == "GET":
            stream = self._stream(who, whole_number_of(headers.get("last-event-id", "")))
            return StreamingResponse(stream, media_type="text/event-stream")
        query = dict(request.query_params)
        said = await run_in_threadpool(answer, self._studio, gate, method, path, who, query, body)
        return await run_in_threadpool(_response, said)

    async def _body(self, request: Request, headers: dict[str, str]) -> dict[str, Any]:
        length = self._gate.body_length(headers)
        held = b""
        try:
            async with asyncio.timeout(REQUEST_SECONDS):
                async for part in request.stream():
                    held += part
                    if len(held) > length:
                        raise Refusal(400, "length", "the body is longer than it says.")
        except TimeoutError:
            raise Refusal(408, "length", "the body did not arrive in time.") from None
        return await run_in_threadpool(parse, held)

    # -- event streams -----------------------------------------------------------------------------------------------
    async def _stream(self, who: str, after: int | None) -> AsyncIterator[bytes]:
        """The stream of events, from now on or from the first event that the page has not seen."""
        studio = self._studio
        loop = asyncio.get_running_loop()
        waiting: asyncio.Queue[Any] = asyncio.Queue(MAX_WAITING)
        self._streams.add(waiting)

        def put(what: str, data: Any) -> None:
            if waiting.full():
                what = "full"
                with suppress(asyncio.QueueEmpty):
                    waiting.get_nowait()
            waiting.put_nowait((what, data))

        def callback(what: str, data: Any) -> None:  # from any thread
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(partial(put, what, data))

        end = await run_in_threadpool(studio.listen, callback)
        try:
            await run_in_threadpool(studio.arrive, who, 1)
            missed, seq, state = await run_in_threadpool(self._missed, who, after)
            for event in missed:
                yield _message("event", event, event["seq"])
            yield _message("state", state, seq)
            while True:
                try:
                    async with asyncio.timeout(HEARTBEAT):
                        batch = [await waiting.get()]
                except TimeoutError:
                    yield b": here\n\n"
                    continue
                while not waiting.empty():
                    batch.append(waiting.get_nowait())
                messages, open_ = await run_in_threadpool(self._messages, who, batch)
                for message in messages:
                    yield message
                if not open_:
                    return
        finally:
            self._streams.discard(waiting)
            end()
            studio.arrive(who, -1)

    def _missed(self, who: str, after: int | None) -> tuple[list[Any], int, Any]:
        with self._studio.lock:
            events = self._studio.knowledge.events
            seq = events[-1].seq
            missed = [] if after is None else list(takewhile(lambda event: event.seq > after, reversed(events)))
            return [self._studio.event_news(event) for event in reversed(missed)], seq, self._studio.views.state(who)

    def _messages(self, who: str, batch: list[tuple[str, Any]]) -> tuple[list[bytes], bool]:
        """The messages for a page; of its state and its cards only the latest."""
        found = []
        kinds = {what for what, _ in batch}
        with self._studio.lock:
            seq = self._studio.knowledge.events[-1].seq
            for what, data in batch:
                if what == "event":
                    found.append(_message(what, data, data["seq"]))
                elif what not in ("state", "questions", "fit", "full"):
                    found.append(_message(what, data, None))
            if "state" in kinds:
                found.append(_message("state", self._studio.views.state(who), seq))
            elif "fit" in kinds:
                found.append(_message("fit", self._studio.views.fit(), None))
            if "questions" in kinds:
                found.append(_message("questions", {"questions": self._studio.views.questions(who), "seq": seq}, None))
        return found, not kinds & {"closing", "full"}

    def end_streams(self) -> None:
        """Tell all pages that the server shuts down, and close their streams."""
        for waiting in self._streams:
            with suppress(asyncio.QueueFull):
                waiting.put_nowait(("closing", {"message": "The studio was closed. All answers are kept."}))


def _message(what: str, data: Any, id: int | None) -> bytes:
    head = "" if id is None else f"id: {id}\n"
    return f"{head}event: {what}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def _response(said: Says) -> Response:
    if said.download is not None:
        headers = {"Content-Disposition": f'attachment; filename="{said.download.name}"'}
        return Response(said.download.read_bytes(), media_type=said.type, headers=headers)
    if said.data is not None:
        return Response(said.data, media_type=said.type)
    return JSONResponse(said.content, status_code=said.status)


class Patient(H11Protocol):
    """HTTP connection that is closed if no request arrives within a time limit."""

    def connection_made(self, transport: Any) -> None:
        """Start the timeout."""
        super().connection_made(transport)
        self.loop.call_later(REQUEST_SECONDS, self._give_up)

    def _give_up(self) -> None:
        if self.cycle is None and not self.transport.is_closing():
            self.transport.close()


class Server(uvicorn.Server):
    """A server that closes its event streams on shutdown."""

    def __init__(self, application: Application) -> None:
        super().__init__(
            uvicorn.Config(
                application,
                http=Patient,
                ws="none",
                lifespan="off",
                log_level="warning",
                access_log=False,
                server_header=False,
                date_header=False,
                proxy_headers=False,
                limit_concurrency=MAX_CONNECTIONS,
                h11_max_incomplete_event_size=MAX_HEADER_BYTES,
                timeout_graceful_shutdown=1,
            )
        )
        self._application = application

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Notify the pages, then shut down."""
        self._application.end_streams()
        await asyncio.sleep(0.05)
        await super().shutdown(sockets)
        self._captured_signals.clear()  # the shutdown is complete, so the signals need not be raised again


def bind(port: int | None, preferred: int | None) -> socket.socket:
    """A socket on the loopback address, with the requested port, that of the last start, or a free one."""
    for wanted in [port] if port is not None else [preferred or 0, 0]:
        # with an explicit protocol, asyncio sets TCP_NODELAY, so that responses are sent without delay
        held = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        if os.name != "nt":
            held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            held.bind(("127.0.0.1", wanted))
            held.listen(MAX_CONNECTIONS)  # requests before the server runs are queued
            return held
        except OSError as error:
            held.close()
            if port is not None:
                raise ValueError(
                    f"--port {port} cannot be used: {error.strerror}. Leave it out for a free one."
                ) from None
    raise ValueError("no port is free.")
