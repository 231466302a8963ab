"""A real browser, driven over its debugging pipe: what is on the page is what a reader sees.

Messages are JSON with a zero byte after each; the browser reads them from file 3 and answers on file 4.
"""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

CHROMIUM = shutil.which("chromium")
QUIET = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage", "--disable-default-apps", "--mute-audio", "--hide-scrollbars",
    "--force-color-profile=srgb", "--remote-debugging-pipe",
)  # fmt: skip
PATIENCE = 60.0


class BrowserError(RuntimeError):
    """The browser does not answer, or says that something is wrong."""


class Browser:
    """One page in one browser, with a profile of its own that is thrown away."""

    def __init__(self):
        self.profile = tempfile.TemporaryDirectory(prefix="likewise-browser-", ignore_cleanup_errors=True)
        theirs_in, self._to = os.pipe()
        self._from, theirs_out = os.pipe()
        command = f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}'
        flags = [*QUIET, f"--user-data-dir={self.profile.name}", "about:blank"]
        self.process = subprocess.Popen(
            ["bash", "-c", command, "bash", CHROMIUM, *flags],
            pass_fds=(theirs_in, theirs_out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(theirs_in)
        os.close(theirs_out)
        os.set_blocking(self._from, False)
        self.events, self._buffer, self._number, self._session = [], b"", 0, None
        page = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method, **params):
        """Ask for something and wait for the answer; events on the way are kept."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        return self._until(lambda said: said.get("id") == self._number, method)

    def _until(self, wanted, what):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            while b"\0" in self._buffer:
                one, self._buffer = self._buffer.split(b"\0", 1)
                said = json.loads(one)
                if "id" not in said:
                    self.events.append(said)
                if wanted(said):
                    if "error" in said:
                        raise BrowserError(f"{what}: {said['error']['message']}")
                    return said.get("result", said)
            try:
                self._buffer += os.read(self._from, 1 << 20)
            except BlockingIOError:
                time.sleep(0.005)
        raise BrowserError(f"{what}: no answer within {PATIENCE:.0f} s")

    def size(self, width, height, *, phone=False, scale=1):
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=phone
        )
        self.call("Emulation.setTouchEmulationEnabled", enabled=phone)

    def media(self, *, scheme="light", kind="", motion="reduce"):
        features = [
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": motion},
        ]
        self.call("Emulation.setEmulatedMedia", media=kind, features=features)

    def open(self, path, *, draw=True):
        """Open a file and wait until it is loaded and drawn."""
        self.events.clear()
        self.call("Page.navigate", url=Path(path).resolve().as_uri())
        loaded = "Page.loadEventFired"
        if not any(event["method"] == loaded for event in self.events):
            self._until(lambda said: said.get("method") == loaded, "loading the page")
        if draw:
            self.frames()

    def frames(self, count=3):
        """Let the page draw a few times."""
        step = "new Promise(done => { let n = %d; const go = () => n-- ? requestAnimationFrame(go) : done(1); go(); })"
        self.ask(step % count)

    def ask(self, expression):
        """The value of some JavaScript on the page; a promise is waited for."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            detail = found["exceptionDetails"]
            raise BrowserError(detail.get("exception", {}).get("description") or detail["text"])
        return found["result"].get("value")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y, count=1):
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=count)

    def drag(self, start, end, steps=5):
        self.mouse("mousePressed", *start, button="left", clickCount=1)
        for step in range(1, steps + 1):
            at = [a + (b - a) * step / steps for a, b in zip(start, end, strict=True)]
            self.mouse("mouseMoved", *at, button="left", buttons=1)
        self.mouse("mouseReleased", *end, button="left", clickCount=1)

    def touch(self, kind, *points):
        self.call("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y} for x, y in points])

    def screenshot(self, path, *, whole=False):
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        Path(path).write_bytes(base64.b64decode(shot["data"]))

    @property
    def requests(self):
        """Addresses that the page asked for since it was opened."""
        asked = (event for event in self.events if event["method"] == "Network.requestWillBeSent")
        return [event["params"]["request"]["url"] for event in asked]

    @property
    def complaints(self):
        """Errors that the page threw or the browser logged."""
        found = []
        for event in self.events:
            if event["method"] == "Runtime.exceptionThrown":
                found.append(event["params"]["exceptionDetails"].get("exception", {}).get("description", "exception"))
            if event["method"] == "Log.entryAdded" and event["params"]["entry"]["level"] == "error":
                found.append(event["params"]["entry"]["text"])
        return found

    def close(self):
        try:
            self._session = None
            self.call("Browser.close")
        except (BrowserError, OSError):
            self.process.kill()
        self.process.wait(timeout=20)
        os.close(self._to)
        os.close(self._from)
        self.profile.cleanup()
