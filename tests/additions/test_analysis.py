"""docs/ADDING_AN_ANALYSIS.md followed to the letter: its command ranks heads by their diagonal, and its column is in the table."""
import unittest

from addition_test import AdditionTest
from tiny_model import write_tiny_model


class Analysis(AdditionTest):
    PAGE = "ADDING_AN_ANALYSIS.md"

    def setUp(self):
        super().setUp()
        self.model = write_tiny_model(self.folder / "tiny")

    def test_the_new_command_ranks_every_head(self):
        document = self.added("diagonal", "the cat sat", "-m", self.model, "--json").json()
        self.assertEqual(document["schema"], "attnviz.diagonal/1")
        maps = self.added("the cat sat", "-m", self.model, "-f", "json").json()["maps"]
        expected = {(one["layer"], one["head"]): sum(row[i] for i, row in enumerate(one["weights"])) / len(one["weights"]) for one in maps}
        ranked = {(row["layer"], row["head"]): row["diagonal"] for row in document["heads"]}
        self.assertEqual(len(ranked), 15)
        for place, mean in expected.items():
            self.assertAlmostEqual(ranked[place], mean, places=5)
        means = [row["diagonal"] for row in document["heads"]]
        self.assertEqual(means, sorted(means, reverse=True))

    def test_the_new_column_is_in_json_and_on_the_terminal(self):
        document = self.added("diagonal", "the cat sat", "-m", self.model, "--json").json()
        self.assertEqual({row["rows"] for row in document["heads"]}, {5})
        lines = self.added("diagonal", "the cat sat", "-m", self.model).text.splitlines()
        self.assertEqual(lines[0].split()[:3], ["layer", "head", "diagonal"])
        self.assertIn("rows", lines[0])
        self.assertEqual(len(lines), 16)

    def test_help_lists_it(self):
        self.assertIn("rank heads by the weight on the token itself", self.added("--help").text)


if __name__ == "__main__":
    unittest.main()
