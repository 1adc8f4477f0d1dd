"""attnviz tokens: what a model's tokenizer makes of a text."""
import unittest

from harness import CliTest


class Tokens(CliTest):
    def test_table(self):
        lines = self.succeed("tokens", "The cats didn't sit.").text.splitlines()
        self.assertEqual(lines[0].split(), ["index", "id", "vocabulary", "text", "bytes", "kind", "word", "segment"])
        self.assertEqual(lines[1].split(), ["0", "101", "[CLS]", "[CLS]", "0-0", "special", "-", "0"])
        self.assertEqual(lines[2].split(), ["1", "1996", "the", "The", "0-3", "word", "0", "0"])
        self.assertEqual(len({line.index(word) for line, word in zip(lines[1:3], ("special", "word"))}), 1, "columns are aligned")

    def test_json_of_a_pair(self):
        document = self.succeed("tokens", "unaffable", "two", "-f", "json").json()
        self.assertEqual(document["schema"], "attnviz.tokens/1")
        pieces = [token for token in document["tokens"] if token["kind"] == "continuation"]
        self.assertTrue(pieces and all(piece["vocabulary"] == "##" + piece["text"] for piece in pieces))
        self.assertEqual([token["index"] for token in document["tokens"]], list(range(len(document["tokens"]))))
        self.assertEqual(document["tokens"][-2]["segment"], 1)
        self.assertEqual((document["tokens"][-1]["word"], document["tokens"][-2]["begin"], document["tokens"][-2]["end"]), (None, 0, 3))

    def test_no_bos(self):
        document = self.succeed("tokens", "a", "--no-bos", "-f", "json").json()
        self.assertEqual([token["vocabulary"] for token in document["tokens"]], ["a", "[SEP]"])
        shown = self.succeed("The cat sat.", "--no-bos", "--layer", "0", "--head", "0", "-f", "json").json()
        self.assertEqual(shown["queries"][0]["text"], "The")

    def test_plain(self):
        kinds = [token["kind"] for token in self.succeed("tokens", "[MASK]", "--plain", "-f", "json").json()["tokens"]]
        self.assertEqual(kinds.count("special"), 2)

    def test_unknown_format(self):
        self.fail_with(2, ["xml", "table or json"], "tokens", "a", "-f", "xml")


if __name__ == "__main__":
    unittest.main()
