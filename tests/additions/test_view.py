"""docs/ADDING_A_VIEW.md followed to the letter: the view that it adds is drawn, listed in help and known to every format."""
import re
import unittest

from addition_test import AdditionTest
from tiny_model import write_tiny_model


class View(AdditionTest):
    PAGE = "ADDING_A_VIEW.md"

    def setUp(self):
        super().setUp()
        self.model = write_tiny_model(self.folder / "tiny")
        self.one_head = ["the cat sat", "-m", self.model, "--layer", "1", "--head", "0"]

    def test_the_new_view_draws_the_strongest_links(self):
        svg = self.added(*self.one_head, "--view", "list", "-f", "svg").text
        weights = [float(weight) for weight in re.findall(r"→ \S+ +([0-9.]+)<", svg)]
        self.assertEqual(len(weights), 5, svg)
        self.assertEqual(weights, sorted(weights, reverse=True))
        largest = max(max(row) for row in self.added(*self.one_head, "-f", "json").json()["maps"][0]["weights"])
        self.assertAlmostEqual(weights[0], largest, delta=0.001)

    def test_every_format_takes_it_and_help_lists_it(self):
        for format_name in ["html", "term"]:
            self.added(*self.one_head, "--view", "list", "-f", format_name)
        self.assertIn("list (strongest links)", " ".join(self.added("--help").text.split()))

    def test_the_program_without_it_does_not_know_it(self):
        self.fail_with(2, ["--view list", "map, grid, lines, row, text"], *self.one_head, "--view", "list")


if __name__ == "__main__":
    unittest.main()
