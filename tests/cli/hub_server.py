"""A small hub on loopback for the tests of `attnviz pull`: a list of files, the files, and every way a server can misbehave.

It follows what the real one answers: GET /api/models/ID/revision/REV?blobs=true, GET /ID/resolve/COMMIT/FILE, large files behind a
redirect. A test changes an answer by putting a function in `answers`, keyed by the end of the path; the function gets the handler.
"""
import hashlib
import http.server
import json
import random
import threading
import urllib.parse

from harness import CliTest

COMMIT = "0123456789abcdef0123456789abcdef01234567"
MODEL = "org/tiny"
WEIGHTS = "model.safetensors"


def noise(n_byte):
    return random.Random(5).randbytes(n_byte)


def git_sha1(data):
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


def sha256(data):
    return hashlib.sha256(data).hexdigest()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30

    def log_message(self, *_):
        pass

    def do_GET(self):
        hub = self.server.hub
        path = urllib.parse.unquote(urllib.parse.urlsplit(self.path).path)
        hub.requests.append((path, dict(self.headers), self.server.server_address[0]))
        for end, answer in hub.answers.items():
            if path.endswith(end):
                try:
                    return answer(self)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True
                    return None
        try:
            self.plain_answer(hub, path)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def plain_answer(self, hub, path):
        if path.startswith("/api/models/"):
            model, _, revision = path[len("/api/models/"):].partition("/revision/")
            if model != hub.model:
                return self.send(404, b"{}", {"X-Error-Code": "RepoNotFound"})
            if revision not in hub.revisions:
                return self.send(404, b"{}", {"X-Error-Code": "RevisionNotFound"})
            return self.send(200, json.dumps(hub.index()).encode(), {"Content-Type": "application/json"})
        if path.startswith("/cdn/"):
            return self.send_file(hub.files[path[len("/cdn/"):]])
        prefix = f"/{hub.model}/resolve/{COMMIT}/"
        name = path[len(prefix):] if path.startswith(prefix) else None
        if name not in hub.files:
            return self.send(404, b"Entry not found", {"X-Error-Code": "EntryNotFound"})
        if name in hub.large:
            return self.send(302, b"Found. Redirecting", {"Location": f"{hub.cdn}/cdn/{urllib.parse.quote(name)}"})
        return self.send_file(hub.files[name])

    def send(self, status, body, headers=None):
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def range_begin(self):
        asked = self.headers.get("Range", "")
        return int(asked[len("bytes="):-1]) if asked else 0

    def send_file(self, data):
        begin = self.range_begin()
        if begin == 0:
            return self.send(200, data)
        if begin >= len(data):
            return self.send(416, b"", {"Content-Range": f"bytes */{len(data)}"})
        return self.send(206, data[begin:], {"Content-Range": f"bytes {begin}-{len(data) - 1}/{len(data)}"})

    def send_cut(self, data, n_byte):
        """Promises all that was asked for and hangs up after n_byte bytes."""
        begin = self.range_begin()
        self.send_response(206 if begin else 200)
        if begin:
            self.send_header("Content-Range", f"bytes {begin}-{len(data) - 1}/{len(data)}")
        self.send_header("Content-Length", str(len(data) - begin))
        self.end_headers()
        self.wfile.write(data[begin:begin + n_byte])
        self.wfile.flush()
        self.close_connection = True


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """A client that hung up is what some tests are about."""


class Hub:
    """One model, served. `large` names files that are listed as LFS and lie behind a redirect to `cdn`."""

    def __init__(self, model, files, large=()):
        self.model, self.files, self.large = model, files, set(large)
        self.revisions = {"main", COMMIT}
        self.answers, self.requests = {}, []
        self.change_index = None
        self.servers = []
        self.url = self.cdn = self.serve("127.0.0.1")

    def serve(self, address):
        server = Server((address, 0), Handler)
        server.hub = self
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        self.servers.append(server)
        return f"http://{address}:{server.server_address[1]}"

    def close(self):
        for server in self.servers:
            server.shutdown()
            server.server_close()
        self.servers = []

    def hash_of(self, name):
        return sha256(self.files[name]) if name in self.large else git_sha1(self.files[name])

    def index(self):
        siblings = []
        for name, data in self.files.items():
            entry = {"rfilename": name, "size": len(data), "blobId": git_sha1(data)}
            if name in self.large:
                entry["lfs"] = {"sha256": sha256(data), "size": len(data), "pointerSize": 130}
            siblings.append(entry)
        index = {"id": self.model, "sha": COMMIT, "private": False, "tags": ["x"], "downloads": 3, "siblings": siblings}
        if self.change_index:
            self.change_index(index)
        return index

    def asked(self, end):
        """The headers of every request whose path ends so."""
        return [headers for path, headers, _ in self.requests if path.endswith(end)]


class HubTest(CliTest):
    """A fresh hub with one small model, and its place in a fresh cache."""

    files = {"config.json": b"{}", "vocab.txt": b"[PAD]\n", WEIGHTS: noise(3_000_000)}
    large = [WEIGHTS]

    def setUp(self):
        super().setUp()
        self.cache = self.folder / ".cache" / "huggingface" / "hub"
        self.model = self.cache / "models--org--tiny"
        self.snapshot = self.model / "snapshots" / COMMIT
        self.hub = Hub(MODEL, dict(self.files), self.large)
        self.addCleanup(self.hub.close)

    def environment(self, **extra):
        return super().environment(**{"HF_ENDPOINT": self.hub.url, **extra})

    def pull(self, *words, **options):
        result = self.attnviz("pull", MODEL, *words, **options)
        self.assertEqual(result.code, 0, result)
        return result

    def refused(self, *parts, words=(), code=1, env=None):
        return self.fail_with(code, parts, "pull", MODEL, *words, env=env)

    def part(self, name=WEIGHTS):
        return self.model / "blobs" / (self.hub.hash_of(name) + ".incomplete")

    def put_part(self, data):
        self.part().parent.mkdir(parents=True)
        self.part().write_bytes(data)

    def taken(self):
        return sorted(path.relative_to(self.snapshot).as_posix() for path in self.snapshot.rglob("*") if not path.is_dir())

    def check_weights(self):
        self.assertEqual((self.snapshot / WEIGHTS).read_bytes(), self.files[WEIGHTS])
        self.assertFalse(self.part().exists())
