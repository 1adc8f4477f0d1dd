"""Long texts: from files and standard input, pooled into tiles, in parts; against the whole map of the same text."""
import csv
import io
import json
import math
import os
import random
import subprocess
import unittest

import jsonschema

from harness import IT, PROGRAM, ROOT, TIRED, CliTest, labels, only_map
from tiny_model import tensor_shapes, write_tiny_model

ONE = ["--layer", "3", "--head", "1"]
SCHEMA = json.loads((ROOT / "docs" / "attention.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
SENTENCES = ["The animal was tired.", "A storm took the roof off the old house.", "Nobody saw the letter!", "It stopped, and we ran."]


def long_text(n_sentence=66, seed=5):
    return " ".join(random.Random(seed).choice(SENTENCES) for _ in range(n_sentence))


def positions(document, axis):
    return [(token["position"], token["tokens"]) for token in document[axis]]


class Sources(CliTest):
    def maps_of(self, *words, **options):
        document = self.succeed(*words, *ONE, "-f", "json", **options).json()
        return document["texts"], document["maps"]

    def test_a_file_is_its_text(self):
        expected = self.maps_of(TIRED)
        for name, content in {
            "plain": TIRED, "line break at the end": TIRED + "\n", "CRLF": TIRED + "\r\n", "byte order mark": "\ufeff" + TIRED + "\n",
        }.items():
            with self.subTest(name):
                path = self.write("text.txt", content)
                self.assertEqual(self.maps_of("--file", path), expected)
                self.assertEqual(self.maps_of("-", stdin=content.encode()), expected)
                self.assertEqual(self.maps_of("--file", "-", stdin=content.encode()), expected)

    def test_a_dash_behind_two_dashes_is_a_text(self):
        self.assertEqual(self.succeed(*ONE, "-f", "json", "--", "-", stdin=b"not read").json()["texts"], ["-"])

    def test_only_the_last_line_break_goes(self):
        path = self.write("text.txt", "one\n\ntwo\n\n")
        self.assertEqual(self.maps_of("--file", path)[0], ["one\n\ntwo\n"])

    def test_a_file_may_hold_what_a_command_line_cannot(self):
        path = self.write("text.txt", "zero \0 byte")
        self.assertEqual(self.maps_of("--file", path)[0], ["zero \0 byte"])

    def test_the_command_names_the_file(self):
        self.write("a text.txt", TIRED)
        document = self.succeed("--file", "a text.txt", *ONE).json()
        self.assertIn('--file "a text.txt"', document["command"])

    def test_invalid_utf8_names_line_and_byte(self):
        self.write("bad.txt", b"first line\nsecond \xff line\n")
        self.fail_with(1, ["bad.txt", "UTF-8", "byte 18", "line 2"], "--file", "bad.txt", *ONE)
        self.fail_with(1, ["standard input", "byte 2", "line 1"], "-", *ONE, stdin=b"ab\xc3")

    def test_a_byte_order_mark_is_counted(self):
        self.write("bad.txt", b"\xef\xbb\xbfab\xff")
        self.fail_with(1, ["byte 5", "line 1"], "--file", "bad.txt", *ONE)

    def test_utf16_is_no_text(self):
        self.write("wide.txt", TIRED.encode("utf-16"))
        self.fail_with(1, ["wide.txt", "UTF-8", "iconv"], "--file", "wide.txt", *ONE)

    def test_nothing_in_it(self):
        for content in [b"", b"\n", b" \n\t \r\n", b"\xef\xbb\xbf"]:
            with self.subTest(repr(content)):
                self.write("empty.txt", content)
                self.fail_with(1, ["empty.txt", "is empty"], "--file", "empty.txt", *ONE)
                self.fail_with(1, ["standard input", "is empty"], "-", *ONE, stdin=content)

    def test_no_such_file(self):
        self.fail_with(1, ["nowhere.txt"], "--file", "nowhere.txt", *ONE)
        self.fail_with(1, [str(self.folder)], "--file", self.folder, *ONE)

    def test_a_file_too_large_is_refused_before_it_is_read(self):
        path = self.folder / "huge.txt"
        with open(path, "wb") as file:
            file.truncate(10 << 30)
        self.fail_with(1, ["huge.txt"], "--file", path, *ONE)

    def test_one_source_only(self):
        self.write("text.txt", TIRED)
        self.fail_with(2, ["--file"], TIRED, "--file", "text.txt", *ONE)
        self.fail_with(2, ["TEXT"], *ONE)
        self.fail_with(2, ["TEXT2"], "-", "another", *ONE)


class Pooling(CliTest):
    def setUp(self):
        super().setUp()
        self.write("long.txt", long_text())
        self.whole = self.succeed("--file", "long.txt", *ONE).json()
        self.n = len(self.whole["keys"])
        self.assertGreater(self.n, 300)

    def tiles(self, side):
        return [range(begin, min(begin + side, self.n)) for begin in range(0, self.n, side)]

    def test_maximum_and_mean_of_the_whole_map(self):
        weights = only_map(self.whole)
        for pool in [1, 7, 64]:
            side = math.ceil(self.n / pool)
            for by in ["max", "mean"]:
                with self.subTest(pool=pool, by=by):
                    document = self.succeed("--file", "long.txt", *ONE, "--pool", str(pool), "--pool-by", by).json()
                    VALIDATOR.validate(document)
                    self.assertEqual(document["pool"], {"rows": side, "columns": side, "by": by})
                    self.assertEqual(positions(document, "keys"), [(tile.start, len(tile)) for tile in self.tiles(side)])
                    self.assertLessEqual(len(document["keys"]), pool)
                    for row, queries in zip(only_map(document), self.tiles(side), strict=True):
                        for found, keys in zip(row, self.tiles(side), strict=True):
                            tile = [weights[query][key] for query in queries for key in keys]
                            if by == "max":
                                self.assertEqual(found, max(tile))
                            else:
                                self.assertAlmostEqual(found, math.fsum(tile) / len(tile), delta=1e-7 * max(tile) + 1e-12)

    def test_maximum_is_what_is_done_unless_told(self):
        said = self.succeed("--file", "long.txt", *ONE, "--pool", "9", "--pool-by", "max").json()
        unsaid = self.succeed("--file", "long.txt", *ONE, "--pool", "9").json()
        self.assertEqual(said["maps"], unsaid["maps"])
        self.assertTrue(any("maximum" in note for note in unsaid["notes"]))

    def test_a_short_text_is_not_pooled(self):
        document = self.succeed("--file", "long.txt", *ONE, "--pool", str(self.n)).json()
        self.assertEqual((document["maps"], document["keys"]), (self.whole["maps"], self.whole["keys"]))
        self.assertNotIn("pool", document)

    def test_threads_do_not_change_a_byte(self):
        for by in ["max", "mean"]:
            outputs = {self.succeed("--file", "long.txt", "--pool", "50", "--pool-by", by, "-f", "json", "--threads", n).out for n in "1234"}
            self.assertEqual(len(outputs), 1)

    def test_csv_counts_tokens_of_the_text(self):
        table = self.succeed("--file", "long.txt", *ONE, "--pool", "8", "-f", "csv").text
        side = math.ceil(self.n / 8)
        queries = {int(row["query"]) for row in csv.DictReader(io.StringIO(table, newline=""))}
        self.assertEqual(queries, set(range(0, self.n, side)))

    def test_pictures_and_terminal_say_that_it_is_pooled(self):
        for pool in ["1", "8", "60", "300"]:
            self.succeed("--file", "long.txt", *ONE, "--pool", pool, "-o", "map.png")
            shown = self.succeed("--file", "long.txt", *ONE, "--pool", pool, "-f", "term").text
            self.assertIn("pooled: maximum over tiles", shown)
            self.assertLess(len(shown.splitlines()), 80)

    def test_grids_of_heads(self):
        document = self.succeed("--file", "long.txt", "--pool", "8").json()
        VALIDATOR.validate(document)
        self.assertEqual(len(document["maps"]), 72)
        self.succeed("--file", "long.txt", "--pool", "8", "-o", "grid.png")

    def test_what_has_no_meaning_is_refused(self):
        for words in [["--pool", "0"], ["--pool", "5000"], ["--pool", "few"], ["--pool-by", "mean"], ["--pool", "8", "--pool-by", "sum"],
                      ["--pool", "8", "--words"], ["--pool", "8", "--hide-special"]]:
            with self.subTest(words):
                self.fail_with(2, ["--pool"], TIRED, *ONE, *words)


class Parts(CliTest):
    def setUp(self):
        super().setUp()
        self.whole = self.succeed(TIRED, *ONE).json()

    def part(self, *words):
        document = self.succeed(TIRED, *ONE, *words).json()
        VALIDATOR.validate(document)
        return document

    def check(self, document, rows, columns):
        self.assertEqual(only_map(document), [only_map(self.whole)[row][columns.start:columns.stop] for row in rows])
        for axis, kept in [("queries", rows), ("keys", columns)]:
            self.assertEqual(positions(document, axis), [(position, 1) for position in kept])
            self.assertEqual(labels(document, axis), labels(self.whole, axis)[kept.start:kept.stop])

    def test_rows_and_columns_are_slices_of_the_whole(self):
        every = range(len(self.whole["keys"]))
        self.check(self.part("--rows", "3-7"), range(3, 8), every)
        self.check(self.part("--cols", "@3-@7"), every, range(3, 8))
        self.check(self.part("--rows", "it", "--cols", "animal-street"), range(IT, IT + 1), range(2, 9))
        self.check(self.part("--rows", "5", "--cols", "@0"), range(5, 6), range(0, 1))
        self.check(self.part("--rows", "[CLS]-animal", "--cols", "tired-[SEP]"), range(0, 3), range(13, len(every)))

    def test_focus_is_the_rows_of_a_word(self):
        document = self.part("--focus", "it")
        self.check(document, range(IT, IT + 1), range(len(self.whole["keys"])))

    def test_focus_takes_every_piece_of_a_word(self):
        text = "An unbelievableness happens."
        document = self.succeed(text, *ONE, "--focus", "unbelievableness").json()
        self.assertGreater(len(document["queries"]), 1)
        self.assertEqual({token["word"] for token in document["queries"]}, {1})
        (row,) = only_map(self.succeed(text, *ONE, "--focus", "unbelievableness", "--words").json())
        self.assertAlmostEqual(math.fsum(row), 1, delta=1e-5)

    def test_focus_tells_where_a_word_looks(self):
        shown = self.succeed(TIRED, *ONE, "--focus", "it", "-f", "term").text
        lines = shown.splitlines()
        self.assertIn("@10 it looks at", lines)
        self.assertRegex(lines[lines.index("@10 it looks at") + 1], r"^  0\.68  @2 animal  .*The animal didn")

    def test_parts_of_a_pooled_map(self):
        self.write("long.txt", long_text())
        whole = self.succeed("--file", "long.txt", *ONE).json()
        document = self.succeed("--file", "long.txt", *ONE, "--rows", "100-101", "--pool", "40").json()
        VALIDATOR.validate(document)
        side = math.ceil(len(whole["keys"]) / 40)
        self.assertEqual(document["pool"], {"rows": 1, "columns": side, "by": "max"})
        for row, query in zip(only_map(document), [100, 101], strict=True):
            expected = only_map(whole)[query]
            self.assertEqual(row, [max(expected[begin:begin + side]) for begin in range(0, len(expected), side)])

    def test_pictures(self):
        for words in [["--rows", "3-7"], ["--cols", "0"], ["--focus", "it"], ["--focus", "it", "--values"]]:
            self.succeed(TIRED, *ONE, *words, "-o", "part.png")
            self.succeed(TIRED, *ONE, *words, "-f", "term")
        self.succeed(TIRED, "--focus", "it", "-o", "grid.png")

    def test_words_that_are_not_there(self):
        for option in ["--rows", "--cols", "--focus"]:
            with self.subTest(option):
                self.fail_with(1, [option, "dog", "is not in the text", "animal (@2)", "it (@10)"], TIRED, *ONE, option, "dog")
                self.fail_with(1, ["did you mean animal?"], TIRED, *ONE, option, "anmial")
                self.fail_with(1, ["@0 to @15"], TIRED, *ONE, option, "@99")
        self.fail_with(1, ["2 times", "cat#1 (@2)", "cat#2 (@5)"], "A cat and a cat.", *ONE, "--focus", "cat")

    def test_what_contradicts_itself(self):
        self.fail_with(2, ["--focus", "--rows"], TIRED, *ONE, "--focus", "it", "--rows", "3")
        self.fail_with(1, ["runs backwards"], TIRED, *ONE, "--rows", "7-3")


class MoreThanFits(CliTest):
    """A model that takes many tokens, and so small that they cost little."""

    def setUp(self):
        super().setUp()
        shapes = tensor_shapes()
        shapes["embeddings.position_embeddings.weight"][0] = 9000
        self.model = write_tiny_model(self.folder / "tiny", {"max_position_embeddings": 9000}, shapes)

    def words(self, n):
        return " ".join(["the"] * (n - 2))

    def run_measured(self, *words):
        """Peak memory in KiB of a run that must end well."""
        out = self.folder / "out"
        with open(out, "wb") as stream:
            process = subprocess.Popen([PROGRAM, *words], cwd=self.folder, env=self.environment(), stdout=stream)
            _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        return usage.ru_maxrss

    def test_whole_maps_of_long_texts_are_refused_with_a_way_out(self):
        self.write("long.txt", self.words(5000))
        words = ["-m", self.model, "--file", "long.txt", "--layer", "0", "--head", "0"]
        self.fail_with(1, ["5000 x 5000", "4096", "--pool 512", "--rows"], *words)
        self.assertEqual(len(self.succeed(*words, "--pool", "32").json()["keys"]), 32)
        self.assertEqual(len(self.succeed(*words, "--rows", "4000-4001").json()["keys"]), 5000)

    def test_memory_does_not_grow_with_the_square(self):
        peaks = []
        for n in [4000, 8000]:
            self.write("long.txt", self.words(n))
            peaks.append(self.run_measured("-m", self.model, "--file", "long.txt", "--layer", "0", "--head", "0", "--pool", "64"))
        # A whole map would be 61 MiB, then 244 MiB.
        self.assertLess(peaks[1], peaks[0] + (40 << 10), peaks)


if __name__ == "__main__":
    unittest.main()
