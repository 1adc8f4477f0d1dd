"""The command line itself: help, version, exit code 2 for what cannot be understood, and words that look like options."""
import unittest

from harness import TIRED, CliTest, labels


class Help(CliTest):
    def test_help_goes_to_stdout(self):
        for words in [["--help"], ["-h"], ["show", "--help"], ["batch", "--help"], ["info", "--help"], ["models", "--help"]]:
            with self.subTest(words):
                self.assertIn("--help", self.succeed(*words).text)

    def test_help_names_every_option(self):
        text = self.succeed("--help").text + self.succeed("show", "--help").text
        for option in ["--model", "--layer", "--head", "--output", "--format", "--threads", "--plain", "--truncate", "--words", "--hide-special",
                       "--values", "--cmap", "--scale", "--vmax", "--dpi", "--width", "--dark", "--version"]:
            self.assertIn(option, text, option)

    def test_version(self):
        self.assertRegex(self.succeed("--version").text, r"^attnviz \d+\.\d+\.\d+\n$")


class BadCommandLines(CliTest):
    def test_nothing_at_all(self):
        result = self.attnviz()
        self.assertEqual((result.code, result.out), (2, b""), result)
        self.assertIn("Usage", result.message)

    def test_unknown_option(self):
        self.fail_with(2, ["--lair"], TIRED, "--lair", "3")

    def test_three_texts(self):
        self.fail_with(2, [], "one", "two", "three")

    def test_an_option_without_its_value(self):
        self.fail_with(2, ["--layer"], TIRED, "--layer")

    def test_numbers_that_are_none(self):
        for option, value in [("--threads", "many"), ("--threads", "-1"), ("--vmax", "x"), ("--vmax", "0"), ("--vmax", "-1"), ("--vmax", "nan"),
                              ("--dpi", "0"), ("--dpi", "inf"), ("--width", "wide"), ("--width", "-5")]:
            with self.subTest(f"{option} {value}"):
                self.fail_with(2, [option], TIRED, "--layer", "3", "--head", "1", "-o", "a.png", option, value)
                self.assertFalse((self.folder / "a.png").exists())

    def test_unknown_format_scale_and_colours(self):
        for option, value in [("-f", "gif"), ("--scale", "cubic"), ("--cmap", "rainbow")]:
            with self.subTest(option):
                self.fail_with(2, [value], TIRED, "--layer", "3", "--head", "1", option, value)

    def test_an_unknown_colour_map_is_told_the_known_ones(self):
        self.fail_with(2, ["rainbow", "blues", "greys"], TIRED, "--layer", "3", "--head", "1", "--cmap", "rainbow", "-o", "a.png")

    def test_an_extension_that_means_nothing(self):
        for name in ["a.gif", "a", "a.png.bak"]:
            with self.subTest(name):
                self.fail_with(2, [name, "png"], TIRED, "--layer", "3", "--head", "1", "-o", name)
        self.assertEqual(self.listing(), [])


class LayersAndHeads(CliTest):
    """A list that cannot be read, or that asks for what the model does not have, is a bad command line."""

    def test_malformed(self):
        for option in ["--layer", "--head"]:
            for spec in ["3-", "a", "-1", "2-1", "", ",", "1,,2", "1-2-3", "1.5", "0x1", " ", "99999999999999999999", "all,1", "3 4"]:
                with self.subTest(f"{option} {spec!r}"):
                    self.fail_with(2, [option], TIRED, f"{option}={spec}")

    def test_out_of_range(self):
        self.fail_with(2, ["--layer", "6", "0 to 5"], TIRED, "--layer", "6")
        self.fail_with(2, ["--head", "12", "0 to 11"], TIRED, "--head", "0-12")
        self.fail_with(2, ["--layer", "9"], TIRED, "--layer", "0,9")
        self.fail_with(2, ["--head", "9999999999"], TIRED, "--head", "0-9999999999")

    def test_malformed_as_a_word_of_its_own(self):
        for spec in ["3-", "a", "-1", "2-1", ""]:
            with self.subTest(spec):
                self.fail_with(2, ["--layer"], TIRED, "--layer", spec)

    def test_all_and_repeats(self):
        document = self.succeed(TIRED, "--layer", "2,2,1-2", "--head", "all").json()
        self.assertEqual([(m["layer"], m["head"]) for m in document["maps"]], [(l, h) for l in (1, 2) for h in range(12)])


class Kinds(CliTest):
    def test_the_models_own_and_others(self):
        plain = self.succeed("The cat sat.", "--layer", "1", "--head", "2", "-f", "csv").out
        self.assertEqual(self.succeed("The cat sat.", "--layer", "1", "--head", "2", "-f", "csv", "--kind", "self").out, plain)
        self.fail_with(2, ["--kind cross: minilm-l6 has no such attention; expected self"], "The cat sat.", "--kind", "cross")
        self.fail_with(2, ["--kind slef: is not known; did you mean self?"], "The cat sat.", "--kind", "slef", "-m", "nowhere")


class Words(CliTest):
    ONE = ["--layer", "0", "--head", "0"]

    def test_show_is_the_same_spelled_out(self):
        short = self.succeed(TIRED, *self.ONE).json()
        spelled = self.succeed("show", TIRED, *self.ONE).json()
        self.assertEqual(short["maps"], spelled["maps"])

    def test_two_dashes_end_the_options(self):
        document = self.succeed(*self.ONE, "--", "--layer is an option").json()
        self.assertEqual(document["texts"], ["--layer is an option"])
        self.assertEqual(self.succeed(*self.ONE, "--", "-").json()["texts"], ["-"])

    def test_a_text_that_is_a_commands_name(self):
        document = self.succeed("show", "models", *self.ONE).json()
        self.assertEqual(document["texts"], ["models"])

    def test_options_before_and_after_the_text(self):
        before = self.succeed("--layer", "1", TIRED, "--head", "2").json()
        after = self.succeed(TIRED, "--layer", "1", "--head", "2").json()
        self.assertEqual(before["maps"], after["maps"])

    def test_the_command_field_runs_again(self):
        """Pasted into a shell it gives the same maps, whatever was in the text."""
        text = "It's $HOME, \"quoted\" & `run`;\n\\ done *"
        first = self.succeed(text, *self.ONE).json()
        self.assertEqual(first["texts"], [text])
        self.assertTrue(first["command"].startswith("attnviz "), first["command"])
        again = self.shell('attnviz() { "$ATTNVIZ" "$@"; }; ' + first["command"] + " | cat")
        self.assertEqual((again.code, again.json()["maps"]), (0, first["maps"]), again)
        self.assertEqual(labels(again.json()), labels(first))


if __name__ == "__main__":
    unittest.main()
