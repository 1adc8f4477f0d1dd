"""SVG and PDF, and what all pictures share: pages, families, titles, transparency, characters that no font has.

What real readers find in a file is asked of Python's XML parser and of pdftotext and pdfinfo (poppler-utils)."""
import random
import re
import subprocess
import unicodedata
import unittest
import xml.etree.ElementTree as ElementTree
import zlib

from harness import DEFAULT_MODEL, ROOT, TIRED, CliTest, labels

ONE = ["--layer", "3", "--head", "1"]
SVG = "{http://www.w3.org/2000/svg}"
SMOLLM2 = ROOT / "data" / "models" / "smollm2-135m"
SCRIPTS = ["猫", "你", "مرحبا", "الإسلام", "שלום", "नमस्ते", "Ёжик", "καλημέρα", "étude", "office", "한국어", "ไทย", "👩‍🚀", "👍🏽", "🏳️‍🌈", "🇩🇪"]
HOSTILE = "</text><script>alert(1)</script> \"q\" 'q' &lt; <!-- ]]> a\u202eb \x01\x7f \ufffe \U0001f469\u200d \\ \t\n %s {0}"


def shown(text):
    """A token's text as labels show it (trace/label.h)."""
    text = text.replace(" ", "␣").replace("\n", "↵").replace("\t", "⇥")
    return re.sub("[\u202e\ufffe]", lambda found: f"<U+{ord(found[0]):04X}>", text)


def bare(text):
    """Without white space and marks of direction, accents composed."""
    return unicodedata.normalize("NFC", re.sub(r"[\s\u200e\u200f\u202a-\u202e\u2066-\u2069]", "", text))


class VectorTest(CliTest):
    def picture(self, name, *words, **options):
        self.succeed(*words, "-q", "-o", name, **options)
        return (self.folder / name).read_bytes()

    def svg(self, *words, **options):
        return ElementTree.fromstring(self.picture("a.svg", *words, **options))

    def texts(self, svg):
        return ["".join(element.itertext()) for element in svg.iter(SVG + "text")]

    def read_pdf(self, program, *words):
        return subprocess.run([program, *words], cwd=self.folder, env=self.environment(), capture_output=True, check=True).stdout.decode()

    def tokens(self, *words):
        return labels(self.succeed(*words, "-q", "-f", "json").json())


class Formats(VectorTest):
    def test_text_is_text_in_both(self):
        tokens = self.tokens(TIRED, *ONE)
        texts = self.texts(self.svg(TIRED, *ONE))
        self.picture("a.pdf", TIRED, *ONE)
        words = bare(self.read_pdf("pdftotext", "a.pdf", "-"))
        for token in tokens:
            self.assertEqual(texts.count(token), 2 * tokens.count(token), token)
            self.assertIn(token, words)
        self.assertIn("Layer 3, head 1", texts)

    def test_they_say_what_made_them(self):
        svg = self.svg(TIRED, *ONE)
        self.assertEqual(svg.find(SVG + "title").text, "Layer 3, head 1")
        command = svg.find(SVG + "metadata").find("{urn:attnviz}attnviz").find("{urn:attnviz}command").text
        self.assertEqual(command, f'attnviz "{TIRED}" --layer 3 --head 1 -f svg')
        self.picture("a.pdf", TIRED, *ONE, "--title", "Größe 猫")
        told = self.read_pdf("pdfinfo", "a.pdf")
        self.assertRegex(told, r"Title: +Größe 猫\n")
        self.assertRegex(told, r"Subject: +attnviz .*--layer 3 --head 1")
        self.assertRegex(told, r"Creator: +attnviz\n")
        self.assertNotIn("CreationDate", told)

    def test_same_bytes_with_any_number_of_threads(self):
        for name in ("a.svg", "a.pdf"):
            one = self.picture(name, TIRED, "--threads", "1")
            self.assertEqual(one, self.picture(name, TIRED, "--threads", "3"), name)

    def test_batch_makes_the_same_files(self):
        self.write("lines.txt", f"{TIRED}\nAn other line.\n")
        for form in ("svg", "pdf"):
            for threads in ("1", "3"):
                self.succeed("batch", "lines.txt", "-q", "-f", form, "-o", f"{form}-{threads}", "--layer", "0,3", "--head", "1", "--threads", threads)
            names = sorted(path.name for path in (self.folder / f"{form}-1").iterdir())
            self.assertEqual(len(names), 4)
            for name in names:
                # The folder's name is part of the command.
                first, second = ((self.folder / f"{form}-{n}" / name).read_bytes() for n in "13")
                self.assertEqual(first.replace(b"svg-1", b"svg-3").replace(b"pdf-1", b"pdf-3"), second)

    def test_fonts_are_in_the_pdf(self):
        self.picture("a.pdf", TIRED, *ONE)
        fonts = self.read_pdf("pdffonts", "a.pdf").splitlines()[2:]
        self.assertGreaterEqual(len(fonts), 2)
        for font in fonts:  # ... emb sub uni object
            self.assertEqual(font.split()[-5:-2], ["yes", "yes", "yes"], font)

    def test_a_pdf_never_goes_to_a_terminal_and_formats_are_listed(self):
        self.fail_with(2, ["svg", "pdf", "did you mean"], TIRED, "-f", "sgv")
        self.assertTrue(self.succeed(TIRED, *ONE, "-q", "-f", "pdf").out.startswith(b"%PDF"))
        self.assertTrue(self.succeed(TIRED, *ONE, "-q", "-f", "svg", "-o", "-").out.startswith(b"<?xml"))


class Scripts(VectorTest):
    def test_every_word_of_many_scripts_is_in_both(self):
        if not (SMOLLM2 / "config.json").exists() and not list(SMOLLM2.glob("*.gguf")):
            self.skipTest("smollm2-135m is not there: make test-models")
        words = [" ".join(SCRIPTS), "-m", SMOLLM2, "--words", *ONE]
        tokens = self.tokens(*words)
        for word in SCRIPTS:
            self.assertIn(word, tokens)
        texts = self.texts(self.svg(*words))
        self.picture("a.pdf", *words)
        read = bare(self.read_pdf("pdftotext", "a.pdf", "-"))
        for token in tokens:
            self.assertIn(shown(token), texts)
            self.assertIn(bare(shown(token)), read)

    def test_hostile_tokens_are_text(self):
        svg = self.svg(HOSTILE, *ONE)
        known = {SVG + name for name in ("svg", "title", "desc", "metadata", "g", "rect", "image", "line", "text", "path")}
        for element in svg.iter():
            self.assertTrue(element.tag in known or element.tag.startswith("{urn:attnviz}"), element.tag)
            self.assertFalse([name for name in element.attrib if name.startswith("on")], element.attrib)
        texts = self.texts(svg)
        self.picture("a.pdf", HOSTILE, *ONE)
        read = bare(self.read_pdf("pdftotext", "a.pdf", "-"))
        for token in self.tokens(HOSTILE, *ONE):
            self.assertIn(shown(token), texts)
            self.assertIn(bare(shown(token)), read)
        command = svg.find(SVG + "metadata").find("{urn:attnviz}attnviz").find("{urn:attnviz}command").text
        self.assertIn("<script>alert", command)
        self.assertNotIn("\u202e".encode(), self.picture("a.svg", HOSTILE, *ONE))

    def test_any_text_makes_well_formed_xml(self):
        chance = random.Random(3)
        alphabet = "<>&\"'][!-;#/\\ ab\u202e\u200d\u05d0\u0301\ufffe\uffff\x01\x1b\x7f\x85\u2028\ud7ff\ue000\U0001f600\U0010ffff"
        lines = ["".join(chance.choice(alphabet) for _ in range(chance.randrange(1, 30))) + "x" for _ in range(40)]
        self.write("lines.txt", "\n".join(lines) + "\n")
        self.succeed("batch", "lines.txt", "-q", "-f", "svg", "-o", "out", *ONE)
        files = sorted((self.folder / "out").iterdir())
        self.assertEqual(len(files), len(lines))
        for file in files:
            ElementTree.parse(file)

    def test_60_tokens_are_all_there_and_512_are_thinned(self):
        for n, step in ((60, 1), (508, 16)):
            text = " ".join(f"{chr(97 + i % 26)} " for i in range(n))
            tokens = self.tokens(text, *ONE)
            svg = self.svg(text, *ONE)
            texts = self.texts(svg)
            self.picture("a.pdf", text, *ONE)
            read = bare(self.read_pdf("pdftotext", "-layout", "a.pdf", "-"))
            steps = [int(found[1]) for found in (re.match(r"every (\d+)\w\w label", line) for line in texts) if found]
            self.assertEqual(len(steps), 0 if step == 1 else 1, texts[-3:])
            for token in set(tokens[::steps[0] if steps else 1]):
                self.assertIn(token, texts)
                self.assertIn(token, read)
            if n == 508:
                self.assertLess(sum(1 for _ in svg.iter(SVG + "rect")), 10, "cells that touch are an image")
                self.assertLess(len((self.folder / "a.svg").read_bytes()), 400_000)

    def few_fonts(self):
        """A machine that has DejaVu only."""
        self.write("fonts.conf", f"<?xml version='1.0'?><fontconfig><dir>/usr/share/fonts/truetype/dejavu</dir><cachedir>{self.folder}/cache"
                   "</cachedir></fontconfig>")
        return {"FONTCONFIG_FILE": str(self.folder / "fonts.conf")}

    def test_characters_that_no_font_has_are_warned_about_once(self):
        for name in ("a.png", "a.svg", "a.pdf"):
            with self.subTest(name):
                result = self.attnviz("猫 and 犬 and 猫", *ONE, "-o", name, env=self.few_fonts())
                self.assertEqual(result.code, 0, result)
                warnings = [line for line in result.message.splitlines() if "no installed font" in line]
                self.assertEqual(len(warnings), 1, result)
                for part in ("attnviz: warning: ", 'U+732B in "猫"', 'U+72AC in "犬"', "fonts-noto"):
                    self.assertIn(part, warnings[0])
        self.assertEqual(self.attnviz("猫", *ONE, "-q", "-o", "a.png", env=self.few_fonts()).err, b"")
        self.write("lines.txt", "猫\nplain\n猫 犬\n")
        result = self.attnviz("batch", "lines.txt", "-f", "pdf", "-o", "out", *ONE, env=self.few_fonts())
        self.assertEqual(result.message.count("no installed font"), 1, result)
        self.picture("a.pdf", "猫", *ONE, env=self.few_fonts())
        self.assertIn("猫", self.read_pdf("pdftotext", "a.pdf", "-"), "drawn as a box, and found all the same")


class Pages(VectorTest):
    def test_the_page_is_as_asked(self):
        self.picture("a.pdf", TIRED, *ONE, "--size", "85x70mm")
        width, height = map(float, re.search(r"Page size: +([\d.]+) x ([\d.]+) pts", self.read_pdf("pdfinfo", "a.pdf")).groups())
        self.assertAlmostEqual(width, 85 / 25.4 * 72, delta=0.01)
        self.assertAlmostEqual(height, 70 / 25.4 * 72, delta=0.01)
        svg = self.svg(TIRED, *ONE, "--size", "85x70mm")
        self.assertEqual((svg.get("width"), svg.get("height")), ("85mm", "70mm"))
        for group in svg.iter(SVG + "g"):
            self.assertGreaterEqual(float(group.get("font-size", 8)), 8, "6 points")
        png = self.picture("a.png", TIRED, *ONE, "--size", "3inx3in", "--dpi", "200")
        self.assertEqual(png[16:24], bytes([0, 0, 2, 88, 0, 0, 2, 88]))
        png = self.picture("a.png", TIRED, *ONE, "--size", "500px")
        self.assertEqual(png[16:20], bytes([0, 0, 1, 244]))
        self.picture("a.png", TIRED, "--size", "160x120mm")  # a grid

    def test_a_page_that_is_too_small_names_one_that_is_not(self):
        result = self.fail_with(2, ["--size 30x20mm", "6 points", "try "], TIRED, *ONE, "-q", "-o", "a.pdf", "--size", "30x20mm")
        self.assertEqual(self.listing(), [])
        least = re.search(r"try ([\dx]+mm)", result.message)[1]
        self.picture("a.pdf", TIRED, *ONE, "--size", least)

    def test_wrong_sizes(self):
        for size in ("85", "85x", "x60mm", "85xx60mm", "-5mm", "85kg", "1e9mm"):
            with self.subTest(size):
                self.fail_with(2, [f"--size {size}:", "85x60mm"], TIRED, *ONE, "-o", "a.pdf", f"--size={size}")
        self.fail_with(2, ["--size and --width"], TIRED, *ONE, "-o", "a.pdf", "--size", "85mm", "--width", "400")

    def test_families(self):
        self.assertIn("font-family=\"DejaVu Sans", self.picture("a.svg", TIRED, *ONE, "--font", "DejaVu Sans").decode())
        self.picture("a.pdf", TIRED, *ONE, "--font", "DejaVu Sans")
        self.assertIn("DejaVuSans", self.read_pdf("pdffonts", "a.pdf"))
        self.fail_with(2, ["--font DejaVu Sanz:", "did you mean DejaVu Sans", "fc-list"], TIRED, *ONE, "-o", "a.pdf", "--font", "DejaVu Sanz")
        self.fail_with(2, ["--font ☃:", "no installed font"], TIRED, *ONE, "-o", "a.pdf", "--font", "☃")

    def test_titles(self):
        self.assertIn("My own", self.texts(self.svg(TIRED, *ONE, "--title", "My own")))
        self.assertIn("a  b".split(), [text.split() for text in self.texts(self.svg(TIRED, *ONE, "--title", "a\n\x07b"))])
        texts = self.texts(self.svg(TIRED, *ONE, "--title", "none"))
        self.assertNotIn("Layer 3, head 1", texts)
        self.assertFalse([text for text in texts if "minilm" in text])
        self.fail_with(1, ["UTF-8"], TIRED, *ONE, "-o", "a.svg", "--title", b"\xff")

    def test_transparent_pictures_have_no_ground(self):
        png = self.picture("a.png", TIRED, *ONE, "--transparent", "--dark")
        self.assertEqual(png[25], 6, "red, green, blue, alpha")
        pixels = zlib.decompressobj().decompress(png[png.index(b"IDAT") + 4:], 5)
        self.assertEqual(pixels, b"\0\0\0\0\0", "the first pixel")
        self.assertEqual(self.picture("a.png", TIRED, *ONE)[25], 2)
        for words, expected in (([], 1), (["--transparent"], 0)):
            grounds = [rect for rect in self.svg(TIRED, *ONE, *words) if rect.tag == SVG + "rect"]
            self.assertEqual(len(grounds), expected)


if __name__ == "__main__":
    unittest.main()
