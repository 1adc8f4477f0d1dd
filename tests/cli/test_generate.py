"""Texts that the model goes on with: the stitched map against the whole text's, marks, ends, draws, and options that make no sense."""
import json
import unittest

import jsonschema

from harness import ROOT, SANITIZED, TIRED, CliTest, only_map

MODEL = ["-m", "smollm2-135m"]
ONE = ["--layer", "13", "--head", "8"]
ONCE = "Once upon a time"
SCHEMA = json.loads((ROOT / "docs" / "attention.schema.json").read_text())
CHAT = "<|im_start|>user\nSay only the word: yes<|im_end|>\n<|im_start|>assistant\n"


class Generated(CliTest):
    def document(self, *words, **options):
        document = self.succeed(*MODEL, *ONE, "-f", "json", *words, **options).json()
        jsonschema.Draft202012Validator(SCHEMA).validate(document)
        return document

    def test_the_stitched_map_is_the_whole_text_s(self):
        grown = self.document(ONCE, "--generate", "20")
        self.assertTrue(grown["texts"][0].startswith(ONCE + ","))
        whole = self.document(grown["texts"][0])
        self.assertEqual([token["id"] for token in grown["keys"]], [token["id"] for token in whole["keys"]])
        self.assertEqual([token["begin"] for token in grown["keys"]], [token["begin"] for token in whole["keys"]])
        self.assertEqual([token["word"] for token in grown["keys"]], [token["word"] for token in whole["keys"]])
        largest = max(abs(a - b) for x, y in zip(only_map(grown), only_map(whole)) for a, b in zip(x, y))
        self.assertLessEqual(largest, 1e-5)  # what is summed is the same, in other pieces
        for query, row in enumerate(only_map(grown)):
            self.assertEqual(row[query + 1:], [0] * (len(row) - query - 1))
            self.assertAlmostEqual(sum(row), 1, places=5)

    @unittest.skipIf(SANITIZED, "8,192 tokens take minutes there")
    def test_a_cut_text_leaves_room(self):
        result = self.attnviz(*MODEL, *ONE, "-f", "json", "word " * 8300, "--truncate", "--generate", "3", "--rows", "@8189-@8191",
                              "--cols", "0-1")
        self.assertEqual(result.code, 0, result)
        self.assertIn("cut to 8189 tokens", result.message)
        self.assertIn("3 of them", result.message)
        document = result.json()
        self.assertEqual([token["generated"] for token in document["queries"]], [True] * 3)
        self.assertLess(len(document["texts"][0]), 8300 * 5)

    def test_no_room_for_the_text_is_an_error(self):
        self.fail_with(1, ["9000", "8192"], *MODEL, *ONE, "word " * 8300, "--truncate", "--generate", "9000")

    def test_every_head_of_some_layers(self):
        grown = self.succeed(*MODEL, "--layer", "2,29", "--head", "0-8", "-f", "json", ONCE, "--generate", "5").json()
        whole = self.succeed(*MODEL, "--layer", "2,29", "--head", "0-8", "-f", "json", grown["texts"][0]).json()
        self.assertEqual([(m["layer"], m["head"]) for m in grown["maps"]], [(m["layer"], m["head"]) for m in whole["maps"]])
        for a, b in zip(grown["maps"], whole["maps"]):
            self.assertLessEqual(max(abs(x - y) for r, s in zip(a["weights"], b["weights"]) for x, y in zip(r, s)), 1e-5)

    def test_tokens_are_marked(self):
        document = self.document(ONCE, "--generate", "6")
        for axis in ["queries", "keys"]:
            self.assertEqual([token.get("generated", False) for token in document[axis]], [False] * 4 + [True] * 6)
        self.assertEqual(document["notes"], ["last 6 of 10 tokens generated (greedy)"])
        self.assertIn("--generate 6", document["command"])

    def test_a_model_ends_its_text(self):
        document = self.document(CHAT, "--generate", "60")
        self.assertLess(len(document["keys"]), 60)
        self.assertEqual(document["keys"][-1]["text"], "<|im_end|>")
        self.assertEqual(document["keys"][-1]["kind"], "special")
        self.assertTrue(document["notes"][0].endswith(", where the model ended the text"), document["notes"])
        self.assertEqual(len(only_map(document)), len(document["keys"]))

    def test_draws(self):
        def text(*words):
            return self.document(ONCE, "--generate", "8", *words)["texts"][0]

        warm = ["--temperature", "1.5", "--top-k", "40"]
        self.assertEqual(text(*warm, "--seed", "7"), text(*warm, "--seed", "7", "--threads", "1"))
        self.assertEqual(text(*warm), text(*warm, "--seed", "0"))
        self.assertEqual(len({text(*warm, "--seed", str(seed)) for seed in range(4)}), 4)
        self.assertEqual(text("--temperature", "0"), text())
        self.assertEqual(text("--temperature", "2", "--top-k", "1"), text())
        notes = self.document(ONCE, "--generate", "2", *warm, "--seed", "7")["notes"]
        self.assertEqual(notes, ["last 2 of 6 tokens generated (temperature 1.5, top 40, seed 7)"])

    def test_parts_may_be_words_that_are_yet_to_come(self):
        whole = self.document(ONCE, "--generate", "6")
        last = self.document(ONCE, "--generate", "6", "--focus", "city")
        place = [token["text"] for token in whole["keys"]].index("city")
        self.assertEqual(only_map(last), [only_map(whole)[place]])
        part = self.document(ONCE, "--generate", "6", "--rows", "8-9", "--cols", "0-3")
        self.assertEqual(only_map(part), [row[:4] for row in only_map(whole)[8:]])
        self.assertEqual([token.get("generated") for token in part["queries"]], [True, True])
        pooled = self.document(ONCE, "--generate", "6", "--pool", "5")
        self.assertEqual(only_map(pooled)[4][0], max(cell for row in only_map(whole)[8:10] for cell in row[:2]))
        words = self.document(ONCE, "--generate", "20", "--words")
        self.assertEqual(words["notes"][0], "last 20 of 24 tokens generated (greedy)")

    def test_pictures_and_terminal(self):
        picture = self.succeed(*MODEL, *ONE, ONCE, "--generate", "6", "-f", "png").out
        self.assertEqual(picture[:8], b"\x89PNG\r\n\x1a\n")
        self.assertNotEqual(picture, self.succeed(*MODEL, *ONE, ONCE + ", the city of Nova", "-f", "png").out)
        text = self.succeed(*MODEL, *ONE, ONCE, "--generate", "6", "-f", "term").text
        self.assertIn("last 6 of 10 tokens generated (greedy)", text)

    def test_the_same_bytes_from_every_thread_count(self):
        one, two = (self.succeed(*MODEL, *ONE, ONCE, "--generate", "5", "--threads", n, "-f", "json").out for n in "12")
        self.assertEqual(one, two)


class Refused(CliTest):
    def test_options(self):
        for words, parts in [
            (["--temperature", "1"], ["--temperature", "--generate"]),
            (["--top-k", "4"], ["--top-k", "--generate"]),
            (["--seed", "4"], ["--seed", "--generate"]),
            (["--generate", "5", "--top-k", "4"], ["--top-k", "greedy", "--temperature 0.8"]),
            (["--generate", "5", "--seed", "4"], ["--seed", "--temperature 0.8"]),
            (["--generate", "5", "--temperature", "-1"], ["--temperature -1", "0 to 100"]),
            (["--generate", "5", "--temperature", "nan"], ["--temperature nan", "0 to 100"]),
            (["--generate", "0"], ["--generate"]),
            (["--generate", "-3"], ["--generate"]),
            (["--generate", "many"], ["--generate"]),
            (["--generate", "5", "--temperature", "1", "--top-k", "0"], ["--top-k"]),
            (["--generate", "5", "--temperature", "1", "--seed", "x"], ["--seed"]),
        ]:
            with self.subTest(words):
                self.fail_with(2, parts, *MODEL, *ONE, ONCE, *words)

    def test_an_encoder(self):
        self.fail_with(1, ["does not predict next tokens", "expected a decoder"], TIRED, "--layer", "3", "--head", "1", "--generate", "3")

    def test_a_pair(self):
        self.fail_with(1, ["second text"], *MODEL, *ONE, ONCE, "and then", "--generate", "3")

    def test_more_than_the_model_takes(self):
        self.fail_with(1, ["4 tokens and 9000 more", "8192", "generate fewer"], *MODEL, *ONE, "--pool", "64", ONCE, "--generate", "9000")

    def test_a_word_that_never_comes(self):
        self.fail_with(1, ["--focus", "dragon"], *MODEL, *ONE, ONCE, "--generate", "3", "--focus", "dragon")


if __name__ == "__main__":
    unittest.main()
