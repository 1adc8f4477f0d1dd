"""The numbers that come out: the textbook row, rows that sum to 1, JSON by its schema, CSV, and the same bytes from every thread count."""
import csv
import io
import json
import math
import unittest

import jsonschema
from harness import IT, ROOT, TIRED, WIDE, CliTest, labels, only_map

SCHEMA = json.loads((ROOT / "docs" / "attention.schema.json").read_text())


class TextbookRow(CliTest):
    """Row "it" in layer 3, head 1 of the default model; the figures are the reference implementation's in f32."""

    def check(self, text, expected):
        document = self.succeed(text, "--layer", "3", "--head", "1").json()
        row = only_map(document)[IT]
        self.assertEqual(document["queries"][IT]["text"], "it")
        found = dict(zip(labels(document), row))
        for key, weight in expected.items():
            self.assertAlmostEqual(found[key], weight, delta=1e-5, msg=key)

    def test_tired_looks_at_the_animal(self):
        self.check(TIRED, {"animal": 0.676848, "[CLS]": 0.101610, "it": 0.064439, "street": 0.050216})

    def test_wide_looks_less(self):
        self.check(WIDE, {"animal": 0.281139, "[CLS]": 0.326089, "street": 0.121401})


class Json(CliTest):
    def check_schema(self, document):
        jsonschema.Draft202012Validator(SCHEMA).validate(document)

    def test_schema_is_itself_valid(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)

    def test_schema_refuses_a_map_without_weights(self):
        document = self.succeed("A text.", "--layer", "0", "--head", "0").json()
        del document["maps"][0]["weights"]
        with self.assertRaises(jsonschema.ValidationError):
            self.check_schema(document)

    def test_one_map(self):
        document = self.succeed(TIRED, "--layer", "3", "--head", "1").json()
        self.check_schema(document)
        self.assertEqual(document["schema"], "attnviz.attention/1")
        self.assertEqual(document["texts"], [TIRED])
        self.assertEqual((document["model"]["name"], document["model"]["family"]), ("minilm-l6", "bert"))
        self.assertEqual([(m["kind"], m["layer"], m["head"]) for m in document["maps"]], [("self", 3, 1)])
        self.assertEqual(document["queries"], document["keys"])
        self.assertIn("attnviz", document["command"])
        self.assertIn("--layer 3", document["command"])

    def test_tokens_lie_in_the_text(self):
        text = "Naïve café, didn't?"
        document = self.succeed(text, "--layer", "0", "--head", "0").json()
        self.check_schema(document)
        raw = text.encode()
        for token in document["keys"]:
            if token["kind"] != "special":
                self.assertEqual(raw[token["begin"]:token["end"]].decode(), token["text"])
        self.assertEqual([labels(document)[0], labels(document)[-1]], ["[CLS]", "[SEP]"])

    def test_everything_without_a_choice(self):
        document = self.succeed(TIRED).json()
        self.check_schema(document)
        self.assertEqual([(m["layer"], m["head"]) for m in document["maps"]], [(l, h) for l in range(6) for h in range(12)])
        for one in document["maps"]:
            for row in one["weights"]:
                self.assertEqual(len(row), len(document["keys"]))
                self.assertAlmostEqual(math.fsum(row), 1, delta=1e-6)

    def test_choice_of_layers_and_heads(self):
        document = self.succeed(TIRED, "--layer", "0-2,5", "--head", "11,0").json()
        self.assertEqual([(m["layer"], m["head"]) for m in document["maps"]], [(l, h) for l in (0, 1, 2, 5) for h in (0, 11)])

    def test_one_head_is_the_same_alone_and_among_all(self):
        everything = {(m["layer"], m["head"]): m["weights"] for m in self.succeed(TIRED).json()["maps"]}
        alone = only_map(self.succeed(TIRED, "--layer", "2", "--head", "7").json())
        self.assertEqual(alone, everything[2, 7])

    def test_a_pair(self):
        document = self.succeed("A first sentence.", "And its pair.", "--layer", "2", "--head", "7").json()
        self.check_schema(document)
        self.assertEqual(document["texts"], ["A first sentence.", "And its pair."])
        self.assertEqual({token["segment"] for token in document["keys"]}, {0, 1})
        self.assertEqual(labels(document).count("[SEP]"), 2)

    def test_special_tokens_typed_in_the_text(self):
        document = self.succeed("The [MASK] sat.", "--layer", "0", "--head", "0").json()
        (mask,) = [token for token in document["keys"] if token["text"] == "[MASK]"]
        self.assertEqual((mask["kind"], mask["id"], mask["begin"], mask["end"]), ("special", 103, 4, 10))
        plain = self.succeed("The [MASK] sat.", "--layer", "0", "--head", "0", "--plain").json()
        self.check_schema(plain)
        self.assertNotIn("[MASK]", labels(plain))
        self.assertIn("[", labels(plain))

    def test_words_are_merged(self):
        text = "Unbelievableness happens."
        pieces = self.succeed(text, "--layer", "1", "--head", "2").json()
        words = self.succeed(text, "--layer", "1", "--head", "2", "--words").json()
        self.check_schema(words)
        self.assertGreater(len(pieces["keys"]), len(words["keys"]))
        self.assertEqual(labels(words), ["[CLS]", "Unbelievableness", "happens", ".", "[SEP]"])
        for row in only_map(words):
            self.assertAlmostEqual(math.fsum(row), 1, delta=1e-5)

    def test_special_tokens_hidden(self):
        document = self.succeed(TIRED, "--layer", "3", "--head", "1", "--hide-special").json()
        self.check_schema(document)
        self.assertNotIn("[CLS]", labels(document))
        self.assertNotIn("[SEP]", labels(document, "queries"))
        self.assertAlmostEqual(only_map(document)[IT - 1][labels(document).index("animal")], 0.676848, delta=1e-5)


class Csv(CliTest):
    def test_long_form(self):
        text = 'He said "yes, no".'
        document = self.succeed(text, "--layer", "1", "--head", "4").json()
        rows = list(csv.DictReader(io.StringIO(self.succeed(text, "--layer", "1", "--head", "4", "-f", "csv").text, newline="")))
        self.assertEqual(list(rows[0]), ["layer", "head", "query", "key", "query_text", "key_text", "weight"])
        n = len(document["keys"])
        self.assertEqual(len(rows), n * n)
        for row in rows:
            query, key = int(row["query"]), int(row["key"])
            self.assertEqual((row["layer"], row["head"]), ("1", "4"))
            self.assertEqual((row["query_text"], row["key_text"]), (labels(document)[query], labels(document)[key]))
            self.assertEqual(float(row["weight"]), only_map(document)[query][key])


class Determinism(CliTest):
    LONG = " ".join(f"{TIRED} {WIDE}" for _ in range(12))

    def test_threads_do_not_change_the_json(self):
        """Not even its command field: how many threads worked is no part of what was asked for."""
        for text in [TIRED, self.LONG]:
            one = self.succeed(text, "-f", "json", "--threads", "1").out
            two = self.succeed(text, "-f", "json", "--threads", "2").out
            self.assertTrue(one == two, "the bytes differ")

    def test_threads_do_not_change_the_picture(self):
        pictures = []
        for threads in ["1", "2", "2"]:
            self.succeed(TIRED, "--layer", "3", "--head", "1", "-o", "a.png", "--threads", threads)
            pictures.append((self.folder / "a.png").read_bytes())
        self.assertTrue(pictures[0] == pictures[1] == pictures[2], "the bytes differ")


if __name__ == "__main__":
    unittest.main()
