"""attnviz pull against a hub on loopback: what is fetched, the cache it leaves, resuming. Faults: test_pull_faults.py."""
import fcntl
import os
import signal
import subprocess
import threading
import time
import unittest

from harness import PROGRAM, SECONDS
from hub_server import COMMIT, MODEL, WEIGHTS, HubTest, git_sha1, sha256
from tiny_model import write_tiny_model

class GoodPulls(HubTest):
    def test_the_cache_is_laid_out_as_the_python_client_does(self):
        result = self.pull()
        self.assertEqual(result.text, f"{self.snapshot}\n")
        self.assertEqual((self.model / "refs" / "main").read_text(), COMMIT)
        for name, data in self.files.items():
            link = os.readlink(self.snapshot / name)
            self.assertEqual(link, f"../../blobs/{sha256(data) if name in self.large else git_sha1(data)}")
            self.assertEqual((self.snapshot / name).read_bytes(), data)
        self.assertEqual([path for path in self.listing() if "incomplete" in path or "tmp" in path], [])
        self.assertEqual(sorted(path.name for path in self.model.iterdir()), ["blobs", "refs", "snapshots"])

    def test_what_it_says(self):
        message = self.pull().message
        for part in ["3 files", "3.0 MB", "attnviz -m org/tiny TEXT", WEIGHTS]:
            self.assertIn(part, message)
        self.assertNotIn("\x1b", message)
        self.assertEqual(self.pull("-q").err, b"")

    def test_only_what_is_read(self):
        more = ["README.md", "onnx/model.onnx", "pytorch_model.bin", "tf_model.h5", ".gitattributes", "1_Pooling/config.json", "x.py"]
        less = ["generation_config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "merges.txt", "vocab.json",
                "spiece.model", "tokenizer.model"]
        self.hub.files.update({name: name.encode() for name in more + less})
        self.pull()
        self.assertEqual(self.taken(), sorted([*self.files, *less]))

    def test_shards(self):
        del self.hub.files[WEIGHTS]
        shards = ["model.safetensors.index.json", "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"]
        self.hub.files.update({name: name.encode() for name in [*shards, "pytorch_model.bin", "consolidated-00001-of-00002.safetensors"]})
        self.pull()
        self.assertEqual(self.taken(), sorted(["config.json", "vocab.txt", *shards]))

    def test_the_old_form_of_weights_where_there_is_no_other(self):
        del self.hub.files[WEIGHTS]
        self.hub.files["pytorch_model.bin"] = b"PK"
        self.pull()
        self.assertIn("pytorch_model.bin", self.taken())

    def test_one_gguf_file_and_its_parts(self):
        names = ["a-Q4.gguf", "sub/b-00001-of-00002.gguf", "sub/b-00002-of-00002.gguf"]
        self.hub.files = {name: name.encode() for name in names}
        self.refused("config.json", "--file NAME", *names)
        self.refused("did you mean", "a-Q4.gguf", words=["--file", "a-Q5.gguf"])
        self.assertEqual(self.pull("--file", "a-Q4.gguf").text, f"{self.snapshot / 'a-Q4.gguf'}\n")
        self.assertEqual(self.taken(), ["a-Q4.gguf"])
        self.pull("--file", names[1])
        self.assertEqual(self.taken(), names)
        self.assertEqual(os.readlink(self.snapshot / names[1]), f"../../../blobs/{self.hub.hash_of(names[1])}")

    def test_a_second_pull_fetches_nothing(self):
        self.pull()
        n_request = len(self.hub.requests)
        self.assertIn("all there already", self.pull().message)
        self.assertEqual(len(self.hub.requests), n_request + 1)

    def test_revisions(self):
        self.hub.revisions |= {"v1", "refs/pr/2"}
        for revision in ["v1", "refs/pr/2"]:
            self.pull("--revision", revision)
            self.assertEqual((self.model / "refs" / revision).read_text(), COMMIT)
        self.pull("--revision", COMMIT)
        self.assertFalse((self.model / "refs" / COMMIT).exists())
        self.assertFalse((self.model / "refs" / "main").exists())
        self.refused("no such revision", words=["--revision", "v2"])

    def test_where_the_cache_is(self):
        for variable, place in [("HF_HUB_CACHE", "one"), ("HF_HOME", "two/hub"), ("XDG_CACHE_HOME", "three/huggingface/hub")]:
            with self.subTest(variable):
                self.pull(env={variable: str(self.folder / place.split("/")[0])})
                self.assertTrue((self.folder / place / "models--org--tiny" / "refs" / "main").exists())

    def test_an_empty_file(self):
        self.hub.files["vocab.txt"] = b""
        self.pull()
        self.assertEqual((self.snapshot / "vocab.txt").read_bytes(), b"")


class UseAfterPull(HubTest):
    def setUp(self):
        super().setUp()
        folder = write_tiny_model(self.folder / "source")
        self.hub.files = {path.name: path.read_bytes() for path in folder.iterdir()}

    def test_the_model_works_without_the_hub(self):
        self.pull()
        self.hub.close()
        document = self.succeed("The cats sat.", "-m", MODEL, "--layer", "0", "--head", "0").json()
        self.assertEqual(document["model"]["name"], MODEL)
        direct = self.succeed("The cats sat.", "-m", "source", "--layer", "0", "--head", "0").json()
        self.assertEqual(document["maps"], direct["maps"])
        self.succeed("The cats sat.", "-m", f"{MODEL}@main", "-o", "a.png")
        self.succeed("The cats sat.", "-m", f"{MODEL}@{COMMIT}", "-o", "a.png")
        self.assertIn(f"\n  {MODEL}\n", self.succeed("models").text)
        self.assertIn("heads", self.succeed("info", "-m", MODEL).text)

    def test_not_pulled_yet(self):
        self.fail_with(1, ["org/tiny", str(self.model), "attnviz pull org/tiny\n"], "x", "-m", MODEL)
        self.fail_with(1, ["attnviz pull org/tiny@v1"], "x", "-m", f"{MODEL}@v1")
        self.pull()
        self.fail_with(1, ["did you mean org/tiny"], "x", "-m", "org/tinny")

    def test_hostile_ids_and_refs(self):
        self.pull()
        for name in ["../../no/such", "org/tiny@../main", "org/tiny@/etc/passwd", "org/../tiny", "org/tiny@", "a/b/c", "org/tiny@.hidden"]:
            with self.subTest(name):
                self.fail_with(1, ["no such folder", "ORG/NAME"], "x", "-m", name)
        (self.model / "refs" / "main").write_text("../../../../etc")
        self.fail_with(1, ["refs/main", "expected a commit", "../../../../etc"], "x", "-m", MODEL)

    def test_a_snapshot_that_is_not_complete(self):
        self.pull()
        (self.snapshot / "config.json").unlink()
        self.fail_with(1, ["not complete", "config.json", "vocab.txt", "attnviz pull org/tiny"], "x", "-m", MODEL)

    def test_a_folder_of_that_name_comes_first(self):
        self.pull()
        write_tiny_model(self.folder / "org" / "tiny", {"num_hidden_layers": 1})
        self.assertEqual(self.succeed("x", "-m", MODEL, "--layer", "0").json()["model"]["layers"], 1)


class Resuming(HubTest):
    def cut(self, n_byte, n_time=1000):
        """The weights' first n_time answers end after n_byte bytes."""
        left = [n_time]

        def answer(handler):
            left[0] -= 1
            if left[0] < 0:
                return handler.send_file(self.files[WEIGHTS])
            return handler.send_cut(self.files[WEIGHTS], n_byte)

        self.hub.answers["/cdn/" + WEIGHTS] = answer

    def ranges(self):
        return [headers.get("Range") for headers in self.hub.asked("/cdn/" + WEIGHTS)]

    def test_cut_connections_are_taken_up_again(self):
        self.cut(1_000_000, n_time=2)
        self.pull()
        self.check_weights()
        self.assertEqual(self.ranges(), [None, "bytes=1000000-", "bytes=2000000-"])

    def test_it_gives_up_in_the_end_and_the_next_pull_goes_on(self):
        self.cut(1000)
        self.refused(WEIGHTS, "gave up after 5 tries", "the same command resumes")
        self.assertEqual(self.part().stat().st_size, 5000)
        self.assertFalse((self.model / "snapshots").exists())
        self.hub.answers.clear()
        self.pull()
        self.check_weights()
        self.assertEqual(self.ranges()[-1], "bytes=5000-")

    def test_a_server_that_ignores_ranges(self):
        self.put_part(self.files[WEIGHTS][:1_000_000])
        self.hub.answers["/cdn/" + WEIGHTS] = lambda handler: handler.send(200, self.files[WEIGHTS])
        self.pull()
        self.check_weights()
        self.assertEqual(self.ranges(), ["bytes=1000000-"])

    def test_a_server_that_goes_on_elsewhere(self):
        self.put_part(self.files[WEIGHTS][:1_000_000])

        def answer(handler):
            if handler.range_begin() == 0:
                return handler.send(200, self.files[WEIGHTS])
            return handler.send(206, self.files[WEIGHTS][7:], {"Content-Range": f"bytes 7-{len(self.files[WEIGHTS]) - 1}/3000000"})

        self.hub.answers["/cdn/" + WEIGHTS] = answer
        self.pull()
        self.check_weights()

    def test_a_range_that_cannot_be(self):
        self.put_part(self.files[WEIGHTS][:1_000_000])
        self.hub.answers["/cdn/" + WEIGHTS] = lambda handler: handler.send(416, b"") if handler.range_begin() else handler.send(200, self.files[WEIGHTS])
        self.pull()
        self.check_weights()

    def test_a_beginning_of_something_else(self):
        for wrong in [b"x" * 1000, b"x" * 3_000_000, b"x" * 3_000_001]:
            with self.subTest(len(wrong)):
                self.put_part(wrong)
                self.pull()
                self.check_weights()
                subprocess.run(["rm", "-rf", str(self.cache)], check=True)

    def test_all_of_it_is_there_but_for_the_name(self):
        self.put_part(self.files[WEIGHTS])
        self.pull()
        self.check_weights()
        self.assertEqual(self.ranges(), [])

    def test_an_overloaded_server(self):
        left = [2]

        def busy(handler):
            left[0] -= 1
            return handler.send(503, b"busy") if left[0] >= 0 else handler.plain_answer(self.hub, f"/api/models/{MODEL}/revision/main")

        self.hub.answers["/revision/main"] = busy
        self.pull()
        self.check_weights()

    def test_a_full_disk(self):
        # bash counts in 1024 bytes; the limit stands for a disk that fills up while the file comes.
        result = self.shell(f'ulimit -f 1000; exec "$ATTNVIZ" pull {MODEL}')
        self.assertEqual((result.code, result.out), (1, b""), result)
        for part in [WEIGHTS, "cannot be written", "File too large", "1.0 MB of 3.0 MB are kept"]:
            self.assertIn(part, result.message, result)
        self.assertEqual(self.part().stat().st_size, 1_024_000)
        self.pull()
        self.check_weights()
        self.assertEqual(self.ranges()[-1], "bytes=1024000-")

    def test_ctrl_c(self):
        arrived = threading.Event()

        def slow(handler):
            data = self.files[WEIGHTS]
            handler.send_response(200)
            handler.send_header("Content-Length", str(len(data)))
            handler.end_headers()
            handler.wfile.write(data[:1_000_000])
            handler.wfile.flush()
            arrived.set()
            stop.wait(20)

        stop = threading.Event()
        self.addCleanup(stop.set)
        self.hub.answers["/cdn/" + WEIGHTS] = slow
        command = [str(PROGRAM), "pull", MODEL]
        with subprocess.Popen(command, cwd=self.folder, env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            self.assertTrue(arrived.wait(20))
            until = time.monotonic() + 20
            while (not self.part().exists() or self.part().stat().st_size < 1_000_000) and time.monotonic() < until:
                time.sleep(0.02)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=SECONDS)
        self.assertEqual((process.returncode, out), (-signal.SIGINT, b""), err)
        self.assertIn(b"stopped; 1.0 MB of 3.0 MB are kept", err)
        self.hub.answers.clear()
        self.pull()
        self.check_weights()
        self.assertEqual(self.ranges()[-1], "bytes=1000000-")


class AtTheSameTime(HubTest):
    def start(self):
        return subprocess.Popen([str(PROGRAM), "pull", MODEL], cwd=self.folder, env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def test_four_pulls_fetch_each_file_once(self):
        processes = [self.start() for _ in range(4)]
        for process in processes:
            out, err = process.communicate(timeout=SECONDS)
            self.assertEqual((process.returncode, out.decode()), (0, f"{self.snapshot}\n"), err)
        self.check_weights()
        self.assertEqual(len(self.hub.asked("/cdn/" + WEIGHTS)), 1)

    def test_it_waits_for_the_python_clients_lock(self):
        lock = self.cache / ".locks" / "models--org--tiny" / f"{self.hub.hash_of(WEIGHTS)}.lock"
        lock.parent.mkdir(parents=True)
        with open(lock, "w") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            with self.start() as process:
                line = b""
                while b"waiting" not in line:
                    line = process.stderr.readline()
                    self.assertNotEqual(line, b"")
                self.assertEqual(self.hub.asked("/cdn/" + WEIGHTS), [])
                fcntl.flock(held, fcntl.LOCK_UN)
                self.assertEqual(process.wait(timeout=SECONDS), 0)
        self.check_weights()


if __name__ == "__main__":
    unittest.main()
