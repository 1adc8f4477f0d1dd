"""attnviz bench: what it measures, how it says so, and what it refuses. No time is judged."""
import json
import unittest

from harness import CliTest


class Bench(CliTest):
    def test_json_into_a_pipe(self):
        result = self.succeed("bench", "--tokens", "16,33", "--batch", "1,3", "--repeat", "2", "--threads", "2")
        rows = result.json()
        self.assertEqual([(row["tokens"], row["batch"], row["threads"]) for row in rows], [(16, 1, 2), (16, 3, 2), (33, 1, 2), (33, 3, 2)])
        for row in rows:
            self.assertEqual(sorted(row), sorted(["tokens", "batch", "threads", "median_ms", "min_ms", "tokens_per_s", "peak_mb"]))
            self.assertTrue(0 < row["min_ms"] <= row["median_ms"], row)
            self.assertAlmostEqual(row["tokens_per_s"] * row["median_ms"] / 1000 / (row["tokens"] * row["batch"]), 1, delta=0.02)
            self.assertGreater(row["peak_mb"], 5)

    def test_a_table(self):
        result = self.succeed("bench", "--tokens", "8", "--repeat", "1", "--layer", "0-2", "--head", "5", "-f", "term")
        title, names, row = result.text.splitlines()
        self.assertTrue(title.startswith("minilm-l6  3 of 6 layers, 1 of 12 heads, 1 runs"), result)
        self.assertEqual((names.split()[:3], row.split()[:2]), (["tokens", "batch", "threads"], ["8", "1"]))

    def test_words_of_a_file(self):
        path = self.write("words.txt", "Donaudampfschifffahrt über Wien\n")
        self.assertEqual(self.succeed("bench", "--tokens", "40", "--repeat", "1", "--file", path).json()[0]["tokens"], 40)

    def test_what_does_not_fit_is_said_with_the_limit(self):
        self.fail_with(2, ["--tokens", "513", "512"], "bench", "--tokens", "16,513")
        self.fail_with(2, ["--tokens 2", "nearest has 3"], "bench", "--tokens", "2")
        self.fail_with(2, ["--tokens", "x"], "bench", "--tokens", "x")
        self.fail_with(2, ["--batch", "0"], "bench", "--batch", "0")
        self.fail_with(2, ["--head", "12"], "bench", "--tokens", "8", "--head", "12")
        self.fail_with(2, ["-f png"], "bench", "-f", "png")
        self.fail_with(1, ["gone.txt"], "bench", "--file", "gone.txt")


if __name__ == "__main__":
    unittest.main()
