"""The server: who may ask, what is refused, streams, and that nothing leaves but what should."""

import base64
import gzip
import http.client
import json
import socket
import threading
import time

import numpy as np
import pytest

from likewise.studio._gate import Gate
from likewise.studio._log import NotKeptError
from likewise.studio._refusal import Refusal
from likewise.studio._routes import ROUTES, find_route, parse
from likewise.studio._serve import Assets, bind
from studio_parts import Learning, Seat, open_studio, serving, write_blobs


class Client:
    """What a page does, and what a page of somebody else would try."""

    def __init__(self, gate, who=""):
        self.port = gate.port
        self.token = None
        self.token = self.post("/api/enter", code=gate.link(who).partition("#")[2])["token"]
        self._count = 0

    def ask(self, method, path, body=None, **headers):
        """Status, headers and bytes of an answer; a header that is None is left out."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        sent = {"Host": f"127.0.0.1:{self.port}", "Authorization": f"Bearer {self.token}"}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        if isinstance(body, bytes):
            sent["Content-Length"] = str(len(body))
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in sent.items():
            if value is not None:
                connection.putheader(name, value)
        connection.endheaders(body)
        answer = connection.getresponse()
        found = answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        connection.close()
        return found

    def get(self, path):
        status, _, data = self.ask("GET", path)
        assert status == 200, data
        return json.loads(data)

    def post(self, path, **body):
        status, _, data = self.ask("POST", path, json.dumps(body).encode())
        assert status < 300, data
        return json.loads(data)

    def act(self, path, **body):
        self._count += 1
        return self.post(path, key=f"client-key-{self._count}", **body)


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    folder = tmp_path_factory.mktemp("server")
    groups = write_blobs(folder / "blobs.csv")
    studio = open_studio(folder / "s.studio", folder / "blobs.csv")
    studio.groups = groups
    learning = Learning(studio)
    learning.before()
    learning.fit()
    with serving(studio) as gate:
        studio.gate = gate
        yield studio
    studio.close()


@pytest.fixture(scope="module")
def client(running):
    return Client(running.gate)


SECRETS = (b"r17", b"north", b"blobs")
"""Of the data, what must not get to strangers."""


def refused(answer, *statuses):
    status, headers, data = answer
    assert status in statuses
    assert not any(secret in data for secret in SECRETS)
    assert "set-cookie" not in headers
    assert "access-control-allow-origin" not in headers
    return True


def test_scripts_and_styles_are_small_where_the_page_takes_them_packed(client):
    total = 0
    for name in Assets()._held:
        path = "/" if name == "index.html" else f"/web/{name}"
        _, headers, plain = client.ask("GET", path)
        assert "content-encoding" not in headers
        _, headers, packed = client.ask("GET", path, Accept_Encoding="gzip, deflate, br")
        assert headers["content-encoding"] == "gzip"
        assert gzip.decompress(packed) == plain
        total += len(packed)
    assert total <= 150_000


def test_the_ids_of_a_selection(client):
    mask = base64.b64encode(np.packbits(np.arange(60) % 20 == 7, bitorder="little").tobytes()).decode()
    assert client.post("/api/ids", rows={"bits": mask}) == {"ids": ["r7", "r27", "r47"]}
    assert client.ask("POST", "/api/ids", b'{"rows": {"bits": "AA=="}}')[0] == 422


# -- who may ask -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1", "localhost", "", None, "[::1]:{}"])
@pytest.mark.parametrize("path", ["/", "/api/session", "/web/base.css", "/nothing"])
def test_check_19_another_host_is_refused_first_of_all(client, host, path):
    host = host.format(client.port) if host else host
    assert refused(client.ask("GET", path, Host=host), 403, 400)


def test_both_names_of_the_loopback_address_are_the_host(client):
    for host in (f"127.0.0.1:{client.port}", f"localhost:{client.port}"):
        assert client.ask("GET", "/api/session", Host=host)[0] == 200


@pytest.mark.parametrize(
    "authorization", [None, "", "Bearer ", "Bearer wrong", "Basic dXNlcjpwYXNz", "Bearer \xe4", "bearer {}", "{}"]
)
def test_check_19_without_the_token_nothing_is_said(client, authorization):
    given = authorization.format(client.token) if authorization else authorization
    for _, pattern, _, _ in ROUTES:
        method = "POST" if pattern in ("/api/answer", "/api/undo") else "GET"
        assert refused(client.ask(method, pattern.replace("{}", "1"), b"{}", Authorization=given), 401, 405)
        break
    assert refused(client.ask("GET", "/api/session", Authorization=given), 401)
    assert refused(client.ask("GET", "/api/live", Authorization=given), 401)
    assert refused(client.ask("POST", "/api/undo", b'{"key":"12345678"}', Authorization=given), 401)


def test_every_route_wants_the_token(client):
    for method, pattern, _, _ in ROUTES:
        assert refused(client.ask(method, pattern.replace("{}", "1"), b"{}", Authorization=None), 401)


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "null"},
        {"Origin": "https://127.0.0.1:{}"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
        {"Sec_Fetch_Site": "none"},
        {"Sec_Fetch_Site": "no-cors"},
    ],
)
def test_check_19_requests_of_other_pages_are_refused(client, headers):
    headers = {name: value.format(client.port) for name, value in headers.items()}
    assert refused(client.ask("GET", "/api/session", **headers), 403)
    assert refused(client.ask("POST", "/api/undo", b'{"key":"12345678"}', **headers), 403)


def test_its_own_page_is_let_in(client):
    own = {"Origin": f"http://127.0.0.1:{client.port}", "Sec_Fetch_Site": "same-origin"}
    assert client.ask("GET", "/api/session", **own)[0] == 200
    assert client.ask("GET", "/web/base.css", Sec_Fetch_Site="none")[0] == 200


@pytest.mark.parametrize("method", ["OPTIONS", "TRACE", "PUT", "DELETE", "PATCH", "HEAD", "CONNECT", "BREW"])
def test_check_19_other_methods_are_refused(client, method):
    assert refused(client.ask(method, "/api/session"), 405)
    assert refused(client.ask("OPTIONS", "/web/base.css"), 405)


def test_check_21_a_link_works_once(running):
    code = running.gate.link("").partition("#")[2]
    status, _, data = Client.ask(anyone(running), "POST", "/api/enter", json.dumps({"code": code}).encode())
    assert status == 200
    for wrong, word in ((code, "used already"), ("x" * 32, "not known"), (3, "no link"), ("y" * 101, "no link")):
        status, _, data = anyone(running).ask("POST", "/api/enter", json.dumps({"code": wrong}).encode())
        assert status == 401
        assert word in json.loads(data)["message"]
    assert anyone(running).ask("GET", "/api/enter")[0] == 405


def anyone(running):
    """Somebody without a token."""
    client = Client.__new__(Client)
    client.port, client.token = running.gate.port, ""
    return client


def test_a_link_is_not_good_for_ever(monkeypatch):
    gate = Gate(1)
    code = gate.link("Anna").partition("#")[2]
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + 601)
    with pytest.raises(Refusal, match="too old"):
        gate.enter(code)


def test_every_answer_has_the_headers(client):
    for answer in (client.ask("GET", "/"), client.ask("GET", "/api/session"), client.ask("GET", "/no"),
                   client.ask("GET", "/api/session", Host="evil")):  # fmt: skip
        headers = answer[1]
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert headers["cache-control"] == "no-store"
        assert "server" not in headers


# -- what is refused ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "path",
    ["/web/../_gate.py", "/web/%2e%2e/_gate.py", "/web//base.css", "//web/base.css", "/web/base.css%00", "/web/",
     "/web/_gate.py", "/../../etc/passwd", "/web/..%5c_gate.py", "/api", "/api/", "/web/BASE.css", "/index.html",
     "/api/../web/base.css"],
)  # fmt: skip
def test_check_20_paths_lead_nowhere(client, path):
    assert refused(client.ask("GET", path), 404, 400)


@pytest.mark.parametrize(
    "path",
    ["/api/rows", "/api/rows?rows=60", "/api/rows?rows=-1", "/api/rows?rows=a", "/api/rows?rows=1e3",
     "/api/rows?rows=" + ",".join("1" * 65), "/api/rows?rows=1,2,3,4,5&full=1", "/api/neighbors/60",
     "/api/doubtful?n=0", "/api/doubtful?cluster=99", "/api/history?n=x", "/api/neighbors/%F0%9D%9F%A2"],
)  # fmt: skip
def test_check_20_values_that_make_no_sense(client, path):
    assert client.ask("GET", path)[0] == 422


@pytest.mark.parametrize("path", ["/api/pictures/3", "/api/questions/99999", "/api/exports/7", "/api/nothing"])
def test_what_is_not_there(client, path):
    assert client.ask("GET", path)[0] == 404


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"3", b"\xff", b'"a"', b'{"a":' + b"[" * 5000 + b"]" * 5000 + b"}"])
def test_check_20_bodies_that_are_no_json(client, body):
    assert refused(client.ask("POST", "/api/undo", body), 400)


def test_check_20_large_bodies_and_those_without_a_length(client):
    assert refused(client.ask("POST", "/api/undo", b" " * (2 * 2**20)), 413)
    assert refused(client.ask("POST", "/api/undo", Content_Length=None), 411)
    assert refused(client.ask("POST", "/api/undo", Content_Length="9" * 15), 400, 413)
    assert refused(client.ask("POST", "/api/undo", Transfer_Encoding="chunked"), 411, 400)


@pytest.mark.parametrize("key", [None, "", "short", "x" * 65, "with space", 12345678, "ä" * 10, "a/b/c/d/e"])
def test_acts_need_a_key(client, key):
    assert client.ask("POST", "/api/undo", json.dumps({"key": key}).encode())[0] == 422


def test_check_20_ten_thousand_headers_and_slow_ones(client):
    with socket.create_connection(("127.0.0.1", client.port), timeout=120) as held:
        held.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n" % client.port)
        try:
            held.sendall(b"".join(b"X-%d: y\r\n" % number for number in range(10_000)) + b"\r\n")
            answer = held.recv(1000)
        except ConnectionError:
            answer = b""
        assert answer == b"" or answer.startswith(b"HTTP/1.1 4")
    assert client.get("/api/session")["rows"] == 60


def test_check_20_a_connection_that_says_nothing_is_closed(client, monkeypatch):
    monkeypatch.setattr("likewise.studio._serve.REQUEST_SECONDS", 0.2)
    with socket.create_connection(("127.0.0.1", client.port), timeout=120) as held:
        held.sendall(b"GET / HT")
        assert held.recv(100) == b""


def test_check_20_a_body_that_does_not_come_is_not_waited_for(client, monkeypatch):
    monkeypatch.setattr("likewise.studio._serve.REQUEST_SECONDS", 0.2)
    status, _, data = client.ask("POST", "/api/undo", Content_Length="10")
    assert (status, json.loads(data)["error"]) == (408, "length")


def test_a_fault_says_little_to_the_page(client, running, monkeypatch, capfd):
    monkeypatch.setattr(running.views, "found", lambda words: 1 / 0)
    status, _, data = client.ask("GET", "/api/find?words=a")
    assert status == 500
    assert json.loads(data)["message"] == "the studio failed: ZeroDivisionError. The terminal says more."
    assert "ZeroDivisionError" in capfd.readouterr().err


def test_a_full_disk_is_said(client, running, monkeypatch):
    def full(*_, **__):
        raise NotKeptError("database or disk is full")

    monkeypatch.setattr(running.log, "append", full)
    status, _, data = client.ask("POST", "/api/clusters", b'{"key":"key-of-full-disk","n_clusters":4}')
    assert status == 507
    assert json.loads(data)["error"] == "not kept"
    monkeypatch.undo()
    assert client.post("/api/clusters", key="key-of-full-disk", n_clusters=3)["kept"]


# -- routes ------------------------------------------------------------------------------------------------------------
def test_a_session_over_http(client, running):
    session = client.get("/api/session")
    assert session["rows"] == 60
    assert session["has"] == {"texts": False, "pictures": False, "values": True}
    seat = Seat(running, running.groups)
    card = session["questions"][0]
    reply = client.act("/api/answer", question=card["number"], answer=seat.truth(card), ms=12)
    assert reply["state"]["answers"] == 1
    assert reply["questions"][0]["number"] == session["questions"][1]["number"]
    assert client.get(f"/api/questions/{card['number']}")["answered"] == reply["event"]
    result = reply["state"]["result"]
    status, headers, data = client.ask("GET", f"/api/map/{result}")
    assert (status, headers["content-type"]) == (200, "application/octet-stream")
    assert len(data) == 24 + 60 * 7
    assert client.ask("GET", "/api/map/99")[0] == 409
    assert len(client.get(f"/api/clusters/{result}")["clusters"]) == 3
    assert client.get("/api/rows?rows=3,8&together=1")["rows"][1]["id"] == "r8"
    assert client.get("/api/find?words=r8")["rows"] == [8]
    assert len(client.get("/api/neighbors/3?n=4")["rows"]) == 4
    assert len(client.get("/api/doubtful?n=4")["items"]) == 4
    assert client.get("/api/history")["events"][0]["kind"] == "answered"
    assert client.get("/api/review")["conflicts"] == []
    assert client.get("/api/people") == {"people": [], "agreement": []}
    assert client.get("/api/questions")["questions"]
    for preview, body in (("group", {"rows": [0, 3]}), ("apart", {"rows": [0, 3]}), ("merge", {"clusters": [0, 1]}),
                          ("split", {"cluster": 0})):  # fmt: skip
        assert client.post(f"/api/{preview}/preview", result=result, **body)["words"]
    assert client.act("/api/group", rows=[0, 3], ticked=[0, 3], unticked=[], result=result)["kept"]
    assert client.act("/api/apart", rows=[0, 3], ticked=[0], others=[1], result=result)["kept"]
    assert client.act("/api/merge", clusters=[0, 1], pairs=[[6, 9]], result=result)["state"]["n_clusters"] == 2
    assert client.act("/api/split", cluster=0, parts=[[12], [13]], result=result)["state"]["n_clusters"] == 3
    assert client.act("/api/move", rows=[15], to=1, result=result)["kept"]
    assert client.act("/api/name", cluster=0, name="a", result=result)["kept"]
    hint = client.get("/api/rows?rows=3")["rows"][0]["hints"][0]["id"]
    assert client.act("/api/confirm", hint=hint)["kept"]
    assert client.act("/api/withdraw", hint=hint)["kept"]
    assert client.act("/api/ask", kind="choice")["state"]["ask"] == {"kind": "choice", "size": 4}
    for _ in range(9):
        undone = client.act("/api/undo")
    assert undone["state"]["hints"] == 0
    assert client.act("/api/redo")["redone"]["kind"] == "answered"
    assert client.ask("POST", "/api/undo", b'{"key":"key-event","event":"x"}')[0] == 422
    assert client.ask("POST", "/api/answer", b'{"key":"key-answer","question":"x"}')[0] == 422
    link = client.post("/api/link")["link"]
    assert link.startswith(f"http://127.0.0.1:{client.port}/#")
    assert client.ask("POST", "/api/link", b'{"name":"Eve"}')[0] == 422


def test_routes_know_their_methods():
    assert find_route("GET", "/api/map/3")[1] == ("3",)
    with pytest.raises(Refusal) as refusal:
        find_route("POST", "/api/map/3")
    assert refusal.value.status == 405


def test_bodies_are_objects():
    assert parse(b'{"a": {"b": [1]}}') == {"a": {"b": [1]}}


# -- streams -----------------------------------------------------------------------------------------------------------
class Stream:
    """What the server tells, as it comes."""

    def __init__(self, client, after=None):
        self.connection = http.client.HTTPConnection("127.0.0.1", client.port, timeout=120)
        headers = {"Authorization": f"Bearer {client.token}"}
        if after is not None:
            headers["Last-Event-ID"] = str(after)
        self.connection.request("GET", "/api/live", headers=headers)
        self.answer = self.connection.getresponse()
        assert self.answer.getheader("content-type").startswith("text/event-stream")

    def next(self):
        found = {}
        while True:
            line = self.answer.readline().decode().rstrip("\n")
            if not line and "event" in found:
                return found["event"], json.loads(found["data"]), found.get("id")
            if not line and not found:
                return None
            name, _, value = line.partition(": ")
            if name:
                found[name] = value

    def until(self, wanted):
        while (found := self.next()) is not None:
            if found[0] == wanted:
                return found
        return None

    def close(self):
        self.answer.close()
        self.connection.close()


def test_a_stream_tells_what_happens_and_what_was_missed(client, running):
    stream = Stream(client)
    kind, state, seq = stream.next()
    assert kind == "state"
    assert int(seq) == state["seq"]
    reply = client.act("/api/clusters", n_clusters=5)
    kind, event, id = stream.until("event")
    assert (event["seq"], event["words"], int(id)) == (reply["event"], "5 clusters", reply["event"])
    assert stream.until("state")[1]["n_clusters"] == 5
    stream.close()
    client.act("/api/clusters", n_clusters=4)
    later = client.act("/api/clusters", n_clusters=3)
    again = Stream(client, after=reply["event"])
    assert [again.next()[1]["words"] for _ in range(2)] == ["4 clusters", "3 clusters"]
    assert again.next()[1]["seq"] == later["event"]
    running.publish("fit", running.views.fit())
    assert again.until("fit")[1]["status"] == "idle"
    running.publish("questions", None)
    told = again.until("questions")[1]
    assert told["questions"]
    assert told["seq"] == later["event"]
    running.publish("export", {"number": 1})
    assert again.until("export")[1] == {"number": 1}
    again.close()


def test_a_stream_beats_like_a_heart(client, monkeypatch):
    monkeypatch.setattr("likewise.studio._serve.HEARTBEAT", 0.1)
    stream = Stream(client)
    stream.next()
    assert stream.answer.readline() == b": here\n"
    stream.close()


def test_the_end_is_told(tmp_path):
    write_blobs(tmp_path / "blobs.csv")
    studio = open_studio(tmp_path / "s.studio", tmp_path / "blobs.csv", people=["Anna", "Ben"])
    found = []
    with serving(studio) as gate:
        stream = Stream(Client(gate, "Anna"))
        assert stream.next()[0] in ("state", "people")
        listener = threading.Thread(target=lambda: found.append(stream.until("closing")))
        listener.start()
        people = Client(gate, "Ben").get("/api/people")["people"]
        assert {one["name"]: one["here"] for one in people} == {"Anna": True, "Ben": False}
    listener.join(120)
    stream.close()
    assert "All answers are kept" in found[0][1]["message"]
    studio.close()


def test_a_port_that_is_taken_is_said(running):
    with pytest.raises(ValueError, match="cannot be used"):
        bind(running.gate.port, None)
    held = bind(None, running.gate.port)  # the port of the last start is taken: another one will do
    assert held.getsockname()[1] != running.gate.port
    held.close()
