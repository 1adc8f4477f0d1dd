"""Views, marks, sinks and reductions of the real program: what they compute, write and say, and what is wrong with a word."""
import unittest

from harness import IT, SINK_NOTE, TIRED, CliTest, only_map

ONE = ["--layer", "3", "--head", "1"]


class Pictures(CliTest):
    def svg(self, *words):
        self.succeed(*words, "-o", "a.svg")
        return (self.folder / "a.svg").read_text(encoding="utf-8")

    def test_every_view_draws(self):
        drawn = {}
        for view in ["map", "grid", "lines", "row", "text"]:
            for words in [[], ["--dark"], ["--highlight", "it:animal"], ["--words", "--hide-special"], ["--size", "120x120mm"]]:
                with self.subTest(view, words=words):
                    extra = [] if view in ("map", "grid", "lines") else ["--row", "it"]
                    self.succeed(TIRED, *ONE, "--view", view, *extra, *words, "-o", "a.png")
                    drawn[view, *words] = (self.folder / "a.png").read_bytes()
        self.assertEqual(len(set(drawn.values())), len(drawn), "two of the pictures are the same")

    def test_a_pair_and_a_rectangle(self):
        for view in ["lines", "row", "text"]:
            with self.subTest(view):
                self.succeed("A first sentence.", "And its pair.", *ONE, "--view", view, "-o", "a.png")
                self.succeed(TIRED, *ONE, "--rows", "10-12", "--cols", "0-8", "--view", view, "-o", "a.png")

    def test_a_row_says_its_word_and_exact_numbers(self):
        svg = self.svg(TIRED, *ONE, "--row", "it", "--highlight", "it:animal")
        for part in ["where “it” looks", "0.677", "it → animal 0.677"]:
            self.assertIn(part, svg)

    def test_without_a_row_it_is_that_of_the_strongest_link(self):
        self.assertIn("where “it” looks", self.svg(TIRED, *ONE, "--view", "text"))

    def test_a_second_it_in_a_part(self):
        text = "It saw it and it saw me."
        svg = self.svg(text, *ONE, "--row", "it#2", "--highlight", "it#2:saw#1")
        self.assertIn("it → saw", svg)
        self.assertIn("query @5 of", svg)

    def test_weights_stand_under_thumbnails(self):
        svg = self.svg(TIRED, "--layer", "3", "--highlight", "it:animal")
        self.assertIn("it → animal: strongest in L3 H1 0.677", svg)

    def test_several_maps_side_by_side_and_too_many(self):
        self.succeed(TIRED, "--layer", "3", "--head", "0-2", "--view", "lines", "-o", "a.png")
        self.fail_with(2, ["--view lines", "--layer", "--reduce"], TIRED, "--view", "lines", "-o", "b.png")
        self.assertEqual(self.listing(), ["a.png"])


class Terminal(CliTest):
    def test_marks(self):
        text = self.succeed(TIRED, *ONE, "--highlight", "it:animal", "-f", "term").text
        self.assertIn("6*", text)
        self.assertIn("marked: it → animal 0.677", text)

    def test_a_row_is_listed(self):
        self.assertIn("it looks at", self.succeed(TIRED, *ONE, "--row", "it", "-f", "term").text)
        self.assertIn("it looks at", self.succeed(TIRED, *ONE, "--view", "row", "-f", "term").text)


class WrongWords(CliTest):
    def test_messages(self):
        for code, parts, words in [
            (2, ["--view grdi", "did you mean grid?"], ["--view", "grdi"]),
            (1, ["--row \"itt\"", "did you mean it?"], ["--row", "itt"]),
            (1, ["--row \"itt\"", "did you mean it?"], ["--row", "itt", "--view", "lines"]),
            (2, ["--row", "--view map", "--focus"], ["--row", "it", "--view", "map"]),
            (2, ["--row", "--focus"], ["--row", "it", "--focus", "it"]),
            (2, ["--row", "--rows"], ["--row", "it", "--rows", "it"]),
            (1, ["--highlight \"anmal\"", "did you mean animal?"], ["--highlight", "it:anmal"]),
            (2, ["--highlight it", "colon"], ["--highlight", "it"]),
            (1, ["--highlight \"because:it\"", "not among the queries"], ["--row", "it", "--highlight", "because:it"]),
            (2, ["--reduce meen", "did you mean mean?"], ["--reduce", "meen"]),
            (2, ["--reduce-over", "--reduce"], ["--reduce-over", "heads"]),
            (2, ["--vmax", "--scale own"], ["--scale", "own", "--vmax", "1"]),
        ]:
            with self.subTest(words):
                self.fail_with(code, parts, TIRED, *ONE, *words, "-o", "a.png")
        self.assertEqual(self.listing(), [])


class Reductions(CliTest):
    def test_the_mean_of_a_layers_heads(self):
        heads = self.succeed(TIRED, "--layer", "3").json()
        mean = self.succeed(TIRED, "--layer", "3", "--reduce", "mean").json()
        self.assertEqual(mean["reduced"], {"by": "mean", "over": "heads", "layers": [3], "heads": list(range(12))})
        self.assertEqual([(m["layer"], m["head"]) for m in mean["maps"]], [(3, None)])
        rows = only_map(mean)
        for key in range(len(rows[IT])):
            self.assertAlmostEqual(rows[IT][key], sum(m["weights"][IT][key] for m in heads["maps"]) / 12, delta=1e-6)
        for row in rows:
            self.assertAlmostEqual(sum(row), 1, delta=1e-5)

    def test_the_largest_over_layers(self):
        document = self.succeed(TIRED, "--head", "1,2", "--reduce", "max", "--reduce-over", "layers").json()
        self.assertEqual([(m["layer"], m["head"]) for m in document["maps"]], [(None, 1), (None, 2)])
        self.assertIn("rows of a maximum need not sum to 1", document["notes"])
        self.assertGreater(sum(document["maps"][0]["weights"][IT]), 1.5)

    def test_other_formats(self):
        self.assertIn("\n3,mean,0,0,", self.succeed(TIRED, "--layer", "3", "--reduce", "mean", "-f", "csv").text)
        self.assertIn("mean of 12 heads", self.succeed(TIRED, "--layer", "3", "--reduce", "mean", "-f", "term").text)
        self.succeed(TIRED, "--layer", "3", "--reduce", "mean", "-o", "a.svg")
        self.assertIn("Layer 3, mean of heads 0–11", (self.folder / "a.svg").read_text(encoding="utf-8"))


class Sinks(CliTest):
    def test_a_note_and_the_way_out(self):
        noted = self.attnviz(TIRED, "--layer", "2", "--head", "5", "-o", "a.png")
        self.assertEqual(noted.code, 0, noted)
        self.assertRegex(noted.err, SINK_NOTE)
        self.assertIn("the first token [CLS] holds 64%", noted.message)
        for words in [["-f", "png", "-q"], ["-f", "png", "--scale", "log"], ["-f", "png", "--vmax", "0.4"], ["-f", "png", "--hide-sink"],
                      ["-f", "json"]]:
            with self.subTest(words):
                self.assertEqual(self.attnviz(TIRED, "--layer", "2", "--head", "5", "-o", "b", *words).err, b"")

    def test_left_out_and_said(self):
        self.succeed(TIRED, "--layer", "2", "--head", "5", "--hide-sink", "-o", "a.svg")
        self.assertIn("sink [CLS] is left out of the scale: 64% of all weight", (self.folder / "a.svg").read_text(encoding="utf-8"))

    def test_where_there_is_none(self):
        result = self.attnviz(TIRED, "--layer", "0", "--head", "0", "--hide-sink", "-o", "a.png")
        self.assertEqual(result.code, 0, result)
        self.assertIn("nothing is left out", result.message)


class Batch(CliTest):
    def test_a_line_without_the_word_costs_no_other(self):
        self.write("lines.txt", "The cat saw it.\nNo such word.\nIt ate it.\n")
        result = self.attnviz("batch", "lines.txt", *ONE, "--row", "it", "-o", "maps")
        self.assertEqual(result.code, 1, result)
        self.assertIn("line 2: --row \"it\"", result.message)
        self.assertEqual(self.listing(), ["lines.txt", "maps/000001-L03-H01.png", "maps/000003-L03-H01.png"])

    def test_names_of_reduced_maps_and_of_grids(self):
        self.write("lines.txt", "The cat saw it.\n")
        for words, name in [(["--layer", "3", "--reduce", "mean"], "000001-L03-mean.png"),
                            (["--head", "1", "--reduce", "max"], "000001-max-H01.png"), (["--reduce", "mean"], "000001-mean.png"),
                            (["--view", "grid"], "000001.png")]:
            with self.subTest(words):
                self.assertEqual(self.attnviz("batch", "lines.txt", *words, "-o", name + "-maps", "-q").code, 0)
                self.assertEqual([path.name for path in (self.folder / (name + "-maps")).iterdir()], [name])


if __name__ == "__main__":
    unittest.main()
