"""Texts that cannot be run, and texts that are odd but fine: empty, too long, not UTF-8, controls, many scripts."""
import json
import unittest

from harness import CliTest, labels, only_map

ONE = ["--layer", "0", "--head", "0"]


class RefusedTexts(CliTest):
    def test_empty(self):
        for text in ["", " ", "\n\t "]:
            with self.subTest(repr(text)):
                self.fail_with(1, ["empty"], text, *ONE)

    def test_empty_second_text(self):
        self.fail_with(1, ["empty"], "A first sentence.", "", *ONE)

    def test_invalid_utf8_names_the_byte(self):
        for text, offset in [(b"ab\xffcd", "2"), (b"\xc3", "0"), (b"caf\xe9 au lait", "3"), (b"x\xed\xa0\x80", "1"), (b"\xf4\x90\x80\x80", "0")]:
            with self.subTest(repr(text)):
                self.fail_with(1, ["UTF-8", offset], text, *ONE)

    def test_invalid_utf8_in_the_second_text(self):
        self.fail_with(1, ["UTF-8"], "fine", b"not \xff fine", *ONE)

    def test_past_the_models_limit_says_both_numbers(self):
        text = "cat " * 600  # 600 pieces, [CLS] and [SEP]
        self.fail_with(1, ["602", "512", "--truncate"], text, *ONE)

    def test_a_pair_past_the_limit(self):
        self.fail_with(1, ["603", "512"], "cat " * 300, "dog " * 300, *ONE)


class LongTexts(CliTest):
    def test_exactly_the_limit_runs(self):
        document = self.succeed("cat " * 510, *ONE).json()
        self.assertEqual(len(document["keys"]), 512)

    def test_one_more_does_not(self):
        self.fail_with(1, ["513", "512"], "cat " * 511, *ONE)

    def test_truncate_cuts_and_says_so(self):
        result = self.attnviz("cat " * 600, *ONE, "--truncate")
        self.assertEqual(result.code, 0, result)
        self.assertTrue("512" in result.message and "90" in result.message, result)
        document = result.json()
        self.assertEqual(len(document["keys"]), 512)
        self.assertEqual([labels(document)[0], labels(document)[-1]], ["[CLS]", "[SEP]"])
        self.assertIn("90", json.dumps(document["notes"]))
        quiet = self.succeed("cat " * 600, *ONE, "--truncate", "--quiet").json()
        self.assertEqual(quiet["maps"], document["maps"])

    def test_truncate_takes_from_the_longer_of_a_pair(self):
        document = json.loads(self.attnviz("cat " * 600, "dog dog", *ONE, "--truncate").out)
        self.assertEqual(len(document["keys"]), 512)
        self.assertEqual(labels(document)[-3:], ["dog", "dog", "[SEP]"])

    def test_truncate_leaves_a_short_text_alone(self):
        document = self.succeed("A cat sat.", *ONE, "--truncate").json()
        self.assertEqual((len(document["keys"]), document["notes"]), (6, []))


class OddTexts(CliTest):
    TEXTS = {
        "one letter": "x",
        "only punctuation": "?!",
        "only unknown": "\U0001f3f4\U000e0067\U000e0062",
        "controls": "a\x01b\x1b[31mred\x7f",
        "right to left": "שלום עולם مرحبا بالعالم",
        "bidi overrides": "abc\u202edef\u202c",
        "emoji with joiners": "a \U0001f469\u200d\U0001f469\u200d\U0001f467 family",
        "combining marks": "Z\u0324\u0336a\u0301lgo",
        "no spaces": "你好世界。日本語もある",
        "Thai": "สวัสดีชาวโลก",
        "a very long word": "a" * 5000,
        "markup": "a<b && \"c\" </script> 'd' \\ \\n",
        "a BOM": "\ufeffhello",
        "line breaks": "one\r\ntwo\u2028three",
    }

    def test_every_one_gives_json_with_whole_rows(self):
        for name, text in self.TEXTS.items():
            with self.subTest(name):
                document = self.succeed(text, *ONE).json()
                self.assertEqual(document["texts"], [text])
                for row in only_map(document):
                    self.assertAlmostEqual(sum(row), 1, delta=1e-5)

    def test_every_one_gives_a_picture(self):
        for n, (name, text) in enumerate(self.TEXTS.items()):
            with self.subTest(name):
                self.succeed(text, *ONE, "-o", f"{n}.png")
                self.assertTrue((self.folder / f"{n}.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n"))

    def test_no_control_character_reaches_the_terminal(self):
        for name, text in self.TEXTS.items():
            with self.subTest(name):
                shown = self.succeed(text, *ONE, "-f", "term").text
                for character in shown:
                    self.assertTrue(character == "\n" or ord(character) >= 0x20, f"{character!r} in {shown!r}")
                    self.assertNotIn(character, "\x7f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029\ufeff")


if __name__ == "__main__":
    unittest.main()
