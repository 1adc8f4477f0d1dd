"""docs/ADDING_A_FORMAT.md followed to the letter: the format that it adds holds what JSON holds and is known by name and extension."""
import unittest

from addition_test import AdditionTest
from tiny_model import write_tiny_model


class Format(AdditionTest):
    PAGE = "ADDING_A_FORMAT.md"

    def setUp(self):
        super().setUp()
        self.model = write_tiny_model(self.folder / "tiny")
        self.all_heads = ["the cat sat", "-m", self.model, "--layer", "all", "--head", "all"]

    def test_the_new_format_holds_every_weight(self):
        lines = [line.split("\t") for line in self.added(*self.all_heads, "-f", "tsv").text.splitlines()]
        self.assertEqual(lines[0], ["layer", "head", "query", "key", "weight"])
        document = self.added(*self.all_heads, "-f", "json").json()
        texts = [token["text"] for token in document["queries"]]
        expected = [
            [str(one["layer"]), str(one["head"]), texts[query], texts[key], weight]
            for one in document["maps"]
            for query, row in enumerate(one["weights"])
            for key, weight in enumerate(row)
        ]
        self.assertEqual([[*line[:4], float(line[4])] for line in lines[1:]], expected)

    def test_it_is_known_by_its_extension_and_listed(self):
        path = self.folder / "maps.TSV"
        self.added(*self.all_heads, "-o", path)
        self.assertEqual(path.read_text(), self.added(*self.all_heads, "-f", "tsv").text)
        self.assertIn("tsv (fields between tabs)", " ".join(self.added("--help").text.split()))

    def test_the_program_without_it_does_not_know_it(self):
        self.fail_with(2, ["-f tsv", "npz, term"], *self.all_heads, "-f", "tsv")


if __name__ == "__main__":
    unittest.main()
