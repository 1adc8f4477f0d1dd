"""attnviz pull when something is wrong: the server, the network, the hashes, hostile lists. And: no other command opens a socket."""
import os
import pathlib
import pty
import subprocess
import unittest

from harness import PROGRAM, SECONDS, CliTest
from hub_server import COMMIT, MODEL, WEIGHTS, HubTest
from tiny_model import write_tiny_model

HERE = pathlib.Path(__file__).resolve().parent
TOKEN = "hf_secret"


class Answers(HubTest):
    def answer(self, end, status, body=b"", headers=None):
        self.hub.answers[end] = lambda handler: handler.send(status, body, headers)

    def test_no_such_model(self):
        self.fail_with(1, ["org/other", "404", "ORG/NAME"], "pull", "org/other")
        self.assertFalse(self.cache.exists())

    def test_a_slip_in_an_id_that_is_cached(self):
        self.pull()
        self.fail_with(1, ["did you mean org/tiny?"], "pull", "org/tinny")

    def test_gated_and_private(self):
        for status, headers, part in [(401, {"X-Error-Code": "GatedRepo"}, "gated"), (403, {"X-Error-Code": "GatedRepo"}, "gated"),
                                      (401, {}, "may not be read"), (403, {}, "may not be read"),
                                      (401, {"X-Error-Code": "RepoNotFound"}, "private")]:
            with self.subTest(status=status, headers=headers):
                self.answer("/revision/main", status, b"{}", headers)
                self.refused(str(status), part, "HF_TOKEN")
        self.hub.answers.clear()
        self.answer("/resolve/" + COMMIT + "/config.json", 403, b"", {"X-Error-Code": "GatedRepo"})
        self.refused("config.json", "gated", "one of an account", env={"HF_TOKEN": TOKEN})

    def test_a_file_that_is_gone(self):
        self.answer("/vocab.txt", 404, b"", {"X-Error-Code": "EntryNotFound"})
        self.refused("vocab.txt", "no longer exists")

    def test_other_answers(self):
        self.answer("/revision/main", 418)
        self.refused("418")
        self.answer("/revision/main", 500, b"x" * 200_000)
        self.refused("gave up after 5 tries", "500")

    def test_wrong_content_of_the_right_size(self):
        for name, kind in [("config.json", "git SHA-1"), (WEIGHTS, "SHA-256")]:
            with self.subTest(name):
                self.answer("/" + name, 200, b"x" * len(self.files[name]))
                self.refused(name, kind, self.hub.hash_of(name), "the file is removed")
                self.assertFalse(self.part(name).exists())
                self.assertFalse((self.model / "blobs" / self.hub.hash_of(name)).exists())
                self.assertFalse(self.snapshot.exists())
                self.hub.answers.clear()

    def test_html_instead_of_a_file(self):
        self.answer("/" + WEIGHTS, 200, b"<html>log in</html>", {"Content-Type": "text/html"})
        self.refused(WEIGHTS, "19", "text/html", "login page")

    def test_more_than_was_promised(self):
        def endless(handler):
            handler.send_response(200)
            handler.send_header("Transfer-Encoding", "chunked")
            handler.end_headers()
            for _ in range(100):
                handler.wfile.write(b"10000\r\n" + b"x" * 0x10000 + b"\r\n")
            handler.wfile.write(b"0\r\n\r\n")

        self.hub.answers["/" + WEIGHTS] = endless
        self.refused(WEIGHTS, "more than the 3000000 bytes")
        self.assertFalse(self.part().exists())

    def test_less_than_was_promised(self):
        def short(handler):
            handler.send_response(200)
            handler.send_header("Connection", "close")
            handler.end_headers()
            handler.wfile.write(b"x" * 10)

        self.hub.answers["/vocab.txt"] = lambda handler: (short(handler), setattr(handler, "close_connection", True))
        self.hub.files["vocab.txt"] = b"y" * 1000
        self.refused("vocab.txt", "gave up after 5 tries")


class Network(HubTest):
    def test_nobody_listens(self):
        self.hub.close()
        self.refused("gave up after 5 tries", "is the network up")

    def test_no_such_host(self):
        self.refused("resolve host", "is the network up", env={"HF_ENDPOINT": "http://hub.invalid"})

    def test_a_server_that_speaks_no_tls(self):
        self.refused("certificate", env={"HF_ENDPOINT": self.hub.url.replace("http:", "https:")})

    def test_offline(self):
        for value in ["1", "true", "ON", "yes"]:
            self.refused("HF_HUB_OFFLINE", env={"HF_HUB_OFFLINE": value})
        self.assertEqual(self.hub.requests, [])
        self.pull(env={"HF_HUB_OFFLINE": "0"})

    def test_bad_settings(self):
        self.refused("HF_ENDPOINT", "https://HOST", env={"HF_ENDPOINT": "file:///etc"})
        self.refused("HF_TOKEN", env={"HF_TOKEN": "a\r\nX-Evil: b"})
        self.assertEqual(self.hub.requests, [])

    def test_bad_words(self):
        for name in ["../x", "a/b/c", "", "org/tiny@..", "-x/y", "org/na me", "org/x\x1b[2J", "https://host/org/x"]:
            with self.subTest(name):
                self.fail_with(2, ["pull"], "pull", "--", name)
        self.refused("--revision", code=2, words=["--revision", "../../x"])
        self.refused("--file", code=2, words=["--file", "../x.gguf"])
        self.assertEqual(self.hub.requests, [])

    def test_a_cache_that_cannot_be_written(self):
        self.write("file", "x")
        self.refused("cannot be created", env={"HF_HUB_CACHE": str(self.folder / "file" / "cache")})


class Redirects(HubTest):
    def test_the_token_goes_to_the_hub_alone(self):
        self.hub.cdn = self.hub.serve("127.0.0.2")
        self.pull(env={"HF_TOKEN": f" {TOKEN}\n"})
        self.check_weights()
        hosts = {"127.0.0.1": set(), "127.0.0.2": set()}
        for _, headers, host in self.hub.requests:
            hosts[host].add(headers.get("Authorization"))
        self.assertEqual(hosts, {"127.0.0.1": {f"Bearer {TOKEN}"}, "127.0.0.2": {None}})

    def test_another_port_is_another_server(self):
        self.hub.cdn = self.hub.serve("127.0.0.1")
        self.pull(env={"HF_TOKEN": TOKEN})
        self.assertEqual([headers.get("Authorization") for headers in self.hub.asked("/cdn/" + WEIGHTS)], [None])

    def test_the_same_server_gets_it_again(self):
        self.pull(env={"HF_TOKEN": TOKEN})
        self.assertEqual([headers.get("Authorization") for headers in self.hub.asked("/cdn/" + WEIGHTS)], [f"Bearer {TOKEN}"])

    def test_a_way_back_does_not_bring_it_elsewhere(self):
        other = self.hub.serve("127.0.0.2")
        self.hub.answers["/resolve/" + COMMIT + "/" + WEIGHTS] = lambda handler: handler.send(307, b"", {"Location": f"{other}/there"})
        self.hub.answers["/there"] = lambda handler: handler.send(302, b"", {"Location": f"{self.hub.url}/cdn/{WEIGHTS}"})
        self.pull(env={"HF_TOKEN": TOKEN})
        self.assertEqual([headers.get("Authorization") for headers in self.hub.asked("/there")], [None])

    def test_without_a_token_none_is_sent(self):
        self.pull()
        self.assertEqual({headers.get("Authorization") for _, headers, _ in self.hub.requests}, {None})

    def test_relative_ones(self):
        self.hub.answers["/resolve/" + COMMIT + "/" + WEIGHTS] = lambda handler: handler.send(307, b"", {"Location": f"/cdn/{WEIGHTS}"})
        self.pull()
        self.check_weights()

    def test_a_circle_and_other_schemes(self):
        for target, part in [("/resolve/" + COMMIT + "/" + WEIGHTS, "more than 8 times"), ("file:///etc/passwd", "is not a web address"),
                             ("gopher://127.0.0.1/", "is not a web address")]:
            with self.subTest(target):
                self.hub.answers[WEIGHTS] = lambda handler, to=target: handler.send(302, b"", {"Location": to})
                self.refused(WEIGHTS, part)


class Lists(HubTest):
    def changed(self, change):
        self.hub.change_index = change

    def raw(self, body, kind="application/json"):
        self.hub.answers["/revision/main"] = lambda handler: handler.send(200, body, {"Content-Type": kind})

    def test_hostile_file_names(self):
        for name in ["../x", "/etc/passwd", "a/../../b", "a\\b.json", "\x1b[2Jx", "", ".", "a//b", "a/.", "x\0y", "x" * 300, "\u202ex"]:
            with self.subTest(repr(name)):
                self.changed(lambda index: index["siblings"].append({"rfilename": name, "size": 1, "blobId": "0" * 40}))
                self.refused("rfilename", "the file name", "nothing was downloaded")
                self.assertFalse(self.cache.exists())

    def test_hostile_commits_and_hashes(self):
        for key in ["main", "../../../x", "0" * 39, "A" * 40, None, 5]:
            with self.subTest(key):
                self.changed(lambda index: index.update(sha=key))
                self.refused("sha")
        for value in ["../../x", "0" * 41, 5, ""]:
            with self.subTest(value):
                self.changed(lambda index: index["siblings"][0].update(blobId=value))
                self.refused("blobId")
        self.assertFalse(self.cache.exists())

    def test_sizes(self):
        for size, part in [(2**62, "needs 4611686018430.4 MB more"), (2**64 - 1, "does not fit"), (-1, "size"), (1.5, "size"), (2**70, "size"), ("9", "size")]:
            with self.subTest(size):
                self.changed(lambda index: index["siblings"][0].update(size=size))
                self.refused(part)
        self.assertEqual(self.listing(), [])

    def test_what_is_missing(self):
        self.changed(lambda index: index["siblings"][0].pop("blobId"))
        self.refused("no size and hash", "config.json", "HF_ENDPOINT")
        self.changed(lambda index: index.pop("siblings"))
        self.refused("siblings")
        self.changed(lambda index: index["siblings"].pop(0))
        self.refused("no config.json", "vocab.txt")
        self.changed(lambda index: index["siblings"].pop(2))
        self.refused("no weights")
        self.changed(lambda index: index["siblings"].append(dict(index["siblings"][0])))
        self.refused("listed twice")

    def test_what_is_no_list(self):
        for body in [b"<!doctype html><title>Log in</title>", b"", b"[]", b"null", b"hello"]:
            with self.subTest(body):
                self.raw(body, "text/html; charset=utf-8")
                self.refused("expected JSON", "text/html", "login page")
        for body in [b"{", b"{}", b'{"sha": "\xff"}', b'{"sha": "' + COMMIT.encode() + b'", "siblings": {}}', b'{"a":' + b"[" * 100_000]:
            with self.subTest(body[:40]):
                self.raw(body)
                self.refused("pull org/tiny")

    def test_a_list_without_end(self):
        self.raw(b" " * (33 << 20))
        self.refused("larger than")


class OnATerminal(HubTest):
    def test_a_bar_with_rate_and_time(self):
        self.hub.files[WEIGHTS] = os.urandom(64 << 20)
        outer, inner = pty.openpty()
        with subprocess.Popen([str(PROGRAM), "pull", MODEL], cwd=self.folder, env=self.environment(), stdout=subprocess.PIPE, stderr=inner) as process:
            os.close(inner)
            shown = b""
            try:
                while block := os.read(outer, 65536):
                    shown += block
            except OSError:  # the other end is closed
                pass
            out, _ = process.communicate(timeout=SECONDS)
        os.close(outer)
        self.assertEqual((process.returncode, out.decode()), (0, f"{self.snapshot}\n"), shown)
        for part in [b"\r", b"[", b"% of 67.1 MB", b"MB/s", b"left", b"use it with"]:
            self.assertIn(part, shown)


class NoSockets(CliTest):
    """Every command but pull under a library that ends a program which opens a socket."""

    def setUp(self):
        super().setUp()
        self.library = self.folder / "no_sockets.so"
        command = ["cc", "-shared", "-fPIC", "-O1", "-o", str(self.library), str(HERE / "no_sockets.c")]
        subprocess.run(command, check=True, capture_output=True, timeout=SECONDS)
        # The sanitizers want to come first and need not.
        sanitizer = os.environ.get("ASAN_OPTIONS", "")
        self.guard = {"LD_PRELOAD": str(self.library), "ASAN_OPTIONS": f"{sanitizer}:verify_asan_link_order=0:detect_leaks=0"}

    def test_the_guard_sees_pull(self):
        result = self.attnviz("pull", "org/x", env={**self.guard, "HF_ENDPOINT": "http://127.0.0.1:9"})
        self.assertEqual(result.code, 99, result)
        self.assertIn("no_sockets:", result.message)

    def test_the_guard_sees_a_library_that_was_only_loaded(self):
        result = self.attnviz("--version", env={**self.guard, "LD_PRELOAD": f"{self.library} libcurl.so.4"})
        self.assertEqual(result.code, 99, result)

    def test_all_other_commands(self):
        write_tiny_model(self.folder / "tiny")
        snapshot = self.folder / ".cache" / "huggingface" / "hub" / "models--org--x" / "snapshots" / COMMIT
        write_tiny_model(snapshot)
        ref = self.write(".cache/huggingface/hub/models--org--x/refs/main", COMMIT)
        self.assertTrue(ref.exists())
        self.write("texts.txt", "a cat\n")
        one = ["--layer", "0", "--head", "0"]
        for words in [["The cats sat.", "-m", "tiny", *one], ["show", "x", "-m", "org/x", *one, "-o", "a.png"], ["models"], ["info", "-m", "tiny"],
                      ["batch", "texts.txt", "-m", "org/x", *one, "-q", "-o", "maps/"], ["--help"], ["pull", "--help"], ["--version"],
                      ["x", "-m", "tiny", *one, "-f", "term"], ["x", "-m", "tiny", *one, "-f", "csv"]]:
            with self.subTest(words):
                self.succeed(*words, env=self.guard)
        self.fail_with(1, ["attnviz pull org/y"], "x", "-m", "org/y", env=self.guard)
        self.fail_with(1, ["HF_HUB_OFFLINE"], "pull", "org/y", env={**self.guard, "HF_HUB_OFFLINE": "1"})


if __name__ == "__main__":
    unittest.main()
