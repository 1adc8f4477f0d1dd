"""Tokenizers kept between runs: the same tokens with and without, wherever the folder is and whatever lies in it."""
import os
import pathlib
import subprocess
import unittest

from harness import CliTest, PROGRAM, TIRED

DEFAULT = {"ATTNVIZ_CACHE": ""}  # as if it were not set: below HOME, which is the test's folder
FOLDER = ".cache/attnviz/tokenizers"


class Cache(CliTest):
    def tokens(self, *words, **env):
        return self.succeed("tokens", TIRED, "-f", "json", *words, env={**DEFAULT, **env}).out

    def kept(self):
        (file,) = (self.folder / FOLDER).iterdir()
        return file

    def test_the_second_run_says_what_the_first_did(self):
        plain = self.tokens(ATTNVIZ_CACHE="off")
        self.assertEqual(self.listing(), [], "nothing is kept")
        self.assertEqual(self.tokens(), plain)
        first = self.kept().stat()
        self.assertGreater(first.st_size, 300_000)
        self.assertEqual(self.tokens(), plain)
        self.assertEqual(self.kept().stat().st_mtime_ns, first.st_mtime_ns, "it was not written again")
        self.assertEqual(self.listing(), [f"{FOLDER}/{self.kept().name}"])

    def test_a_gguf_file_too(self):
        words = ("-m", "smollm2-135m")
        plain = self.tokens(*words, ATTNVIZ_CACHE="off")
        self.assertEqual([self.tokens(*words) for _ in range(2)], [plain, plain])
        self.assertGreater(self.kept().stat().st_size, 1_000_000)

    def test_every_command_that_opens_a_model_uses_it(self):
        self.write("texts.txt", "one\ntwo\n")
        for words in (["info"], ["bench", "--tokens", "16", "--repeat", "1", "--layer", "0", "--head", "0"], [TIRED, "--layer", "0", "-o", "x.json"],
                      ["batch", "texts.txt", "--layer", "0", "--head", "0", "-f", "jsonl"]):
            folder = self.folder / words[0][:4]
            result = self.attnviz(*words, env={"ATTNVIZ_CACHE": str(folder)})
            self.assertEqual(result.code, 0, result)
            self.assertEqual(len(list((folder / "tokenizers").iterdir())), 1, result)

    def test_where_it_is(self):
        for env, place in [({"ATTNVIZ_CACHE": "mine"}, "mine"), ({"XDG_CACHE_HOME": str(self.folder / "xdg")}, "xdg/attnviz"), ({}, ".cache/attnviz")]:
            self.tokens(**env)
            self.assertEqual(len(list((self.folder / place / "tokenizers").iterdir())), 1, place)
        before = self.listing()
        self.tokens(HOME=str(self.folder / "not-there"))
        self.tokens(HOME="")
        self.assertEqual(self.listing(), before, "no home is made")

    def test_whatever_lies_there(self):
        plain = self.tokens()
        whole = self.kept().read_bytes()
        middle = len(whole) // 2
        flipped = whole[:middle] + bytes([whole[middle] ^ 4]) + whole[middle + 1:]
        for damage in (b"", whole[:100], whole[:-1], whole[:middle], flipped, whole + b"x", bytes(len(whole)), os.urandom(5000)):
            self.kept().write_bytes(damage)
            self.assertEqual(self.tokens(), plain)
            self.assertEqual(self.kept().read_bytes(), whole, "it is whole again")

    def test_where_nothing_can_be_written(self):
        plain = self.tokens(ATTNVIZ_CACHE="off")
        self.write("file", "")
        for place in ("/proc", "/dev/null", str(self.folder / "file"), "/dev/full"):
            self.assertEqual(self.tokens(ATTNVIZ_CACHE=place), plain, place)
        self.assertEqual(self.listing(), ["file"])

    def test_a_disk_that_is_full(self):
        plain = self.tokens(ATTNVIZ_CACHE="off")
        limited = self.shell(f'ulimit -f 100; "$ATTNVIZ" tokens "{TIRED}" -f json', env=DEFAULT)  # 100 kB a file
        self.assertEqual((limited.code, limited.out, limited.err), (0, plain, b""), limited)
        self.assertEqual(self.listing(), [], "nothing is left of it")

    def test_many_at_once(self):
        plain = self.tokens(ATTNVIZ_CACHE="off")
        for _ in range(3):
            command = [str(PROGRAM), "tokens", TIRED, "-f", "json"]
            runs = [subprocess.Popen(command, cwd=self.folder, env=self.environment(**DEFAULT), stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(8)]
            self.assertEqual([run.communicate() for run in runs], [(plain, b"")] * 8)
            self.assertEqual(len(self.listing()), 1)
            self.kept().unlink()


if __name__ == "__main__":
    unittest.main()
