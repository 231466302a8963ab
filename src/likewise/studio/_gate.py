"""Access control: host, method, origin and token of a request are checked first, in this order."""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from ..tables._cells import whole_number_of
from ._refusal import Refusal

CODE_SECONDS = 600.0
"""How long a link is valid."""

MAX_BODY = 2**20

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
)

HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
}
"""Headers of every response."""


@dataclass
class Gate:
    """The tokens and codes of a running server; they are generated anew at each start.

    Attributes
    ----------
    port : int
    """

    port: int = 0
    _tokens: dict[str, str] = field(default_factory=dict)
    _codes: dict[str, tuple[str, float]] = field(default_factory=dict)
    _used: set[str] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def address(self) -> str:
        """The address of the page."""
        return f"http://127.0.0.1:{self.port}/"

    def link(self, who: str) -> str:
        """A one-time link for a person. Its code is in the URL fragment, which is never sent, logged or referred."""
        code = secrets.token_urlsafe(24)
        with self._lock:
            self._codes[code] = (who, time.monotonic() + CODE_SECONDS)
        return f"{self.address}#{code}"

    def enter(self, code: object) -> tuple[str, str]:
        """Exchange a one-time code for a token and the person."""
        with self._lock:
            if not isinstance(code, str) or len(code) > 100:
                raise Refusal(401, "code", "this is no link of the studio. Open the one that the terminal shows.")
            found = self._codes.pop(code, None)
            if found is None:
                used = code in self._used
                why = "this link was used already, and a link works once" if used else "this link is not known"
                raise Refusal(401, "code", f"{why}. Press Enter in the terminal for a new one.")
            self._used.add(code)
            who, until = found
            if time.monotonic() > until:
                raise Refusal(401, "code", "this link is too old. Press Enter in the terminal for a new one.")
            token = secrets.token_urlsafe(32)
            self._tokens[token] = who
            return token, who

    def person(self, authorization: str | None) -> str:
        """The person that the token of a request belongs to."""
        kind, _, given = (authorization or "").partition(" ")
        if kind == "Bearer":
            for token, who in list(self._tokens.items()):
                if hmac.compare_digest(token.encode(), given.strip().encode()):
                    return who
        raise Refusal(401, "token", "open the studio by the link that the terminal shows.")

    def check(self, method: str, path: str, headers: Mapping[str, str]) -> None:
        """Refuse requests that do not come from the studio's own page, or that it never sends.

        A page of another site can send requests to this address, also under its own host name if that resolves to this
        machine, which the Host header reveals. It has no token: only the page that was opened by the link has one.
        """
        hosts = (f"127.0.0.1:{self.port}", f"localhost:{self.port}")
        if headers.get("host", "") not in hosts:
            raise Refusal(403, "host", f"the studio is at {self.address} alone.")
        api = path.startswith("/api/")
        if method not in (("GET", "POST") if api else ("GET", "HEAD")):
            raise Refusal(405, "method", f"{method[:20]} is not used here.")
        site = headers.get("sec-fetch-site")
        if site is not None and site != "same-origin" and not (site == "none" and not api):
            raise Refusal(403, "origin", "this request comes from another page.")
        origin = headers.get("origin")
        if origin is not None and origin not in {f"http://{host}" for host in hosts}:
            raise Refusal(403, "origin", "this request comes from another page.")

    def body_length(self, headers: Mapping[str, str]) -> int:
        """The length of the request body, which must be declared and within the limit."""
        told = headers.get("content-length")
        if told is None or "transfer-encoding" in headers:
            raise Refusal(411, "length", "say how long the body is: Content-Length.")
        length = whole_number_of(told)
        if length is None:
            raise Refusal(400, "length", "Content-Length is not a number.")
        if length > MAX_BODY:
            raise Refusal(413, "size", f"a body has at most {MAX_BODY:,} bytes.")
        return length
