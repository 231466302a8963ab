"""The studio's page beside pages of others, and a page that asks for what it should not."""

import socket
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from studio_process import answer, looking

SECRETS = ("r017", "north", "blobs")
"""Of the data, what must not get to strangers."""

ASK = """async ([address, options]) => {
    try {
        const answer = await fetch(address, options);
        return [answer.status, await answer.text()];
    } catch (reason) { return [0, String(reason)]; }
}"""

TRIES = """async address => {
    const bearer = { Authorization: "Bearer a-token" }, json = { "Content-Type": "application/json" };
    const body = JSON.stringify({ key: "from-another-page" }), all = [];
    const read = async (path, options) => {
        try { all.push(await (await fetch(address + path, options)).text()); } catch (reason) { all.push(""); }
    };
    const load = (tag, name, path) => new Promise((done) => {
        const made = document.createElement(tag);
        made.onload = made.onerror = () => done(made);
        made[name] = address + path;
        document.body.append(made);
    });
    await read("api/session");
    await read("api/session", { mode: "no-cors" });
    await read("api/session", { headers: bearer });  // which the browser asks about first
    await read("api/undo", { method: "POST", headers: { ...bearer, ...json }, body });
    await read("api/undo", { method: "POST", mode: "no-cors", body });
    await read("api/undo", { method: "DELETE" });
    await load("script", "src", "web/studio.js");
    const picture = await load("img", "src", "api/pictures/0"), frame = await load("iframe", "src", "");
    let inside = "";
    try { inside = frame.contentDocument?.body.innerText ?? ""; } catch { }
    return { read: all, inside, width: picture.naturalWidth, script: "likewise" in window };
}"""


def ask(page, address, **options):
    """The status and the text that a page gets; 0 where its browser or the connection refuses."""
    return page.evaluate(ASK, [address, options])


def refused(answer, *statuses):
    status, text = answer
    assert status in statuses
    assert not any(secret in text for secret in SECRETS)
    return True


class Theirs(BaseHTTPRequestHandler):
    """A server of somebody else, on another port of this machine."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<body>a page</body>")

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def port():
    with HTTPServer(("127.0.0.1", 0), Theirs) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("host", ["127.0.0.1", "evil.localhost"])
def test_check_19_pages_of_others_get_nothing(browser, page, studio, port, host):
    before = studio.state()["seq"]
    with looking(browser) as opened:
        stranger = opened(f"http://{host}:{port}/", wait="body")
        answers = []
        stranger.on("response", lambda answer: answers.append((answer.url, answer.status)))
        got = stranger.evaluate(TRIES, studio.address)
        assert got == {"read": [""] * 6, "inside": "", "width": 0, "script": False}
        statuses = {status for address, status in answers if address.startswith(studio.address)}
        assert statuses
        assert statuses <= {403, 405}
    assert studio.state()["seq"] == before


def test_check_19_other_names_of_the_host_and_wrong_tokens(browser, page, studio):
    before = studio.state()["seq"]
    token = page.evaluate("sessionStorage.getItem('likewise.token')")
    with looking(browser) as opened:
        # a name of somebody else that leads here: Chromium finds all names below localhost at this machine
        rebound = opened("about:blank", wait=None)
        for path in ("", "api/session", "web/studio.js"):
            answer = rebound.goto(studio.address.replace("127.0.0.1", "evil.localhost") + path)
            assert refused((answer.status, answer.text()), 403)
        own = opened(studio.address, wait="#pane .card")  # without the link
        assert refused((200, own.content()), 200)
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": f"Basic {token}"}):
            for path in ("/api/session", "/api/live", "/api/questions", "/api/map/1"):
                assert refused(ask(own, path, headers=headers), 401)
            assert refused(ask(own, "/api/undo", method="POST", body="{}", headers=headers), 401)
        for method in ("OPTIONS", "PUT", "DELETE", "PATCH", "HEAD"):
            assert refused(ask(own, "/api/session", method=method, headers={"Authorization": f"Bearer {token}"}), 405)
        assert refused(ask(own, "/api/session", method="TRACE"), 0)  # no page can send it
        assert ask(own, "/api/session", headers={"Authorization": f"Bearer {token}"})[0] == 200, "with the token it can"
    assert studio.state()["seq"] == before


def test_check_20_odd_requests_and_the_page_goes_on(browser, asked, studio):
    token = asked.evaluate("sessionStorage.getItem('likewise.token')")
    bearer = {"Authorization": f"Bearer {token}"}
    port = int(studio.address.rstrip("/").rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=120) as slow, looking(browser) as opened:
        slow.sendall(b"GET /api/session HTTP/1.1\r\nHost: 127.0.0.1")  # and no more
        odd = opened(studio.address, wait="#pane .card")
        before = studio.state()["seq"]
        for path in ("web/../x", "web/%2e%2e/_gate.py", "web/..%2f_gate.py", "/web/base.css", "web/base.css%00",
                     "web//base.css", "web/..%5c_gate.py", "api/%2e%2e/%2e%2e/etc/passwd"):  # fmt: skip
            assert refused(ask(odd, studio.address + path, headers=bearer), 404, 400)
        act = {"method": "POST", "headers": {**bearer, "Content-Type": "application/json"}}
        assert refused(ask(odd, "/api/undo", **act, body=" " * 2**21), 413, 0)  # the browser may still be sending
        assert refused(ask(odd, "/api/undo", **act, body="[" * 5000), 400)
        many = bearer | {f"X-{number}": "x" for number in range(10_000)}
        assert refused(ask(odd, "/api/session", headers=many), 431, 400, 0)
        without = """async headers => {
            const body = new ReadableStream({ start: (one) => { one.enqueue(new Uint8Array(3)); one.close(); } });
            try { return (await fetch("/api/undo", { method: "POST", duplex: "half", body, headers })).status; }
            catch { return 0; }
        }"""
        assert odd.evaluate(without, bearer) in (411, 0), "without a length"
        assert studio.state()["seq"] == before
        answer(asked, "u")
        assert studio.state()["seq"] == before + 1
    assert asked.errors == []
