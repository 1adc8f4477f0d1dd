"""-f html from outside: names, options that only a page has, one page a line of a batch, the same bytes for any number of threads."""
import json
import re
import unittest

from harness import TIRED, CliTest


def data_of(page):
    """The page's JSON block."""
    return json.loads(re.search(rb'<script type="application/json" id="page">(.*?)</script>', page, re.DOTALL).group(1))


class PageTest(CliTest):
    def page(self, *words, **options):
        return self.succeed(*words, "-f", "html", **options).out

    def test_every_way_to_ask_for_it_is_the_same(self):
        page = self.page(TIRED)
        self.succeed(TIRED, "-o", "a.html")
        self.succeed("show", TIRED, "-o", "b.HTM")
        self.assertEqual((self.folder / "a.html").read_bytes(), page)
        self.assertEqual(data_of((self.folder / "b.HTM").read_bytes())["maps"], data_of(page)["maps"])
        self.assertEqual(page.count(b'id="map-'), 72)
        self.assertNotIn(b"://", page)

    def test_threads_change_no_byte(self):
        long = " ".join([TIRED] * 8)
        self.assertEqual(self.page(long, "--threads", "1"), self.page(long, "--threads", "5"))

    def test_holds_what_was_chosen(self):
        data = data_of(self.page(TIRED, "--layer", "3", "--head", "1,5", "--rows", "4-6"))
        self.assertEqual([(one["layer"], one["head"]) for one in data["maps"]], [(3, 1), (3, 5)])
        self.assertEqual(data["queries"]["positions"], [4, 5, 6])
        self.assertEqual(len(data["keys"]["labels"]), 16)
        self.assertEqual(data["command"]["words"], ["attnviz", TIRED, "--rows", "4-6"])

    def test_opens_with_words_but_holds_pieces(self):
        data = data_of(self.page(TIRED, "--words", "--hide-special", "--scale", "log"))
        self.assertEqual(len(data["queries"]["labels"]), 16)
        self.assertEqual((data["style"]["words"], data["style"]["special"], data["style"]["scale"]), (True, False, "log"))
        self.assertEqual(data["command"]["words"], ["attnviz", TIRED])
        merged = data_of(self.page(TIRED, "--words", "--reduce", "max"))  # put together after words are, so it cannot be taken back
        self.assertEqual(len(merged["queries"]["labels"]), 14)
        self.assertEqual(merged["command"]["words"], ["attnviz", TIRED, "--words", "--reduce", "max"])

    def test_opens_on_the_marked_link(self):
        data = data_of(self.page(TIRED, "--highlight", "it:animal"))
        self.assertEqual(data["start"], [10, 2])
        self.assertIsNone(data_of(self.page(TIRED))["start"])
        self.fail_with(1, ["--highlight", "cat"], TIRED, "--highlight", "it:cat", "-f", "html")

    def test_options_of_pages_and_of_others_alone(self):
        self.fail_with(2, ["--exact", "-f html"], TIRED, "--exact", "-f", "json")
        self.fail_with(2, ["--hide-sink", "robust"], TIRED, "--hide-sink", "-f", "html")
        self.assertTrue(data_of(self.page(TIRED, "--exact"))["exact"])

    def test_a_batch_writes_a_page_a_line(self):
        self.write("lines.txt", "The cat sat.\n\n" + TIRED + "\n")
        result = self.attnviz("batch", "lines.txt", "--layer", "2-3", "-f", "html", "-o", "pages")
        self.assertEqual(result.code, 1, result)  # the empty line
        self.assertEqual(self.listing(), ["lines.txt", "pages/000001.html", "pages/000003.html"])
        data = data_of((self.folder / "pages" / "000003.html").read_bytes())
        self.assertEqual(len(data["maps"]), 24)
        self.assertEqual(data["command"]["words"], ["attnviz", TIRED])

    def test_renders_a_document(self):
        self.write("maps.json", self.succeed(TIRED, "--layer", "3", "-f", "json").out)
        data = data_of(self.succeed("render", "maps.json", "-f", "html").out)
        self.assertEqual(data["queries"], data_of(self.page(TIRED, "--layer", "3"))["queries"])
        self.assertEqual(data["command"]["words"], ["attnviz", "render", "maps.json"])


if __name__ == "__main__":
    unittest.main()
