"""Long texts: the 72 heads of 512 tokens in one page, and one head of 2,000; their size, their speed, and how exact they are.

The times are what the program promises (first picture within 1.5 s, another head within 50 ms, written within 3 s). Each is the best
or the median of several, so that a machine that does something else meanwhile does not make them fail.
"""
import json
import math
import statistics
import time
import unittest

from browser import ROOT, BrowserTest, float32, weights_of

FIRST_PICTURE_MS = 1500
SWITCH_MS = 50
WRITE_S = 3
MOST_BYTES = 13_000_000
DECODER = ROOT / "data" / "models" / "smollm2-135m"

SWITCH = """async (label) => {
  const cell = [...document.querySelectorAll('.cell')].find((one) => one.getAttribute('aria-label').startsWith(label));
  const started = performance.now();
  cell.click();
  const title = document.querySelector('#panel-shown .panel-title');
  while (title.textContent !== label) await new Promise((done) => setTimeout(done, 0));
  return performance.now() - started;
}"""


class LargePage(BrowserTest):
    @classmethod
    def make_pages(cls):
        text = (ROOT / "README.md").read_text(encoding="utf-8") + (ROOT / "docs" / "MODELS.md").read_text(encoding="utf-8")
        (cls.folder / "text.txt").write_text(text, encoding="utf-8")
        cls.command = ["--file", "text.txt", "--truncate", "-q"]
        cls.seconds = cls.written_in()
        if cls.seconds > WRITE_S:
            cls.seconds = min(cls.written_in(), cls.written_in())

    @classmethod
    def written_in(cls):
        started = time.monotonic()
        cls.attnviz(*cls.command, "-o", "large.html")
        return time.monotonic() - started

    def test_is_written_fast_and_small(self):
        self.assertLessEqual((self.folder / "large.html").stat().st_size, MOST_BYTES)
        self.assertLess(self.seconds, WRITE_S)

    def test_first_picture_and_other_heads_come_at_once(self):
        first = []
        while not first or (min(first) > FIRST_PICTURE_MS and len(first) < 5):
            page = self.open("large.html")
            first.append(page.evaluate("performance.getEntriesByName('attnviz-first-picture')[0].startTime"))
        self.assertLess(min(first), FIRST_PICTURE_MS)
        page.wait_for_function("() => document.querySelectorAll('script[id^=map-]').length === 0", timeout=60_000)
        names = [f"Layer {layer}, head {head}" for layer in range(6) for head in (2, 5, 9)]
        switches = [page.evaluate(SWITCH, name) for name in names]
        self.assertLess(statistics.median(switches), SWITCH_MS, switches)

    def test_any_head_can_be_asked_for_before_the_rest_is_there(self):
        page = self.open("large.html", "layer=5&head=11")
        self.assertEqual(self.title(page), "Layer 5, head 11")

    def test_a_file_cut_short_shows_what_it_has(self):
        whole = (self.folder / "large.html").read_bytes()
        (self.folder / "cut.html").write_bytes(whole[:len(whole) * 6 // 10])
        page = self.open("cut.html")
        self.assertTrue(self.title(page).startswith("Layer "))
        page.locator(".cell").last.click()
        page.get_by_role("alert").wait_for()
        self.assertIn("cannot be shown", page.get_by_role("alert").inner_text())
        page.locator(".cell").first.click()
        page.wait_for_function("() => document.querySelector('.panel-title')?.textContent === 'Layer 0, head 0'")

    def test_numbers_are_as_near_as_they_say(self):
        document = self.json_of(*self.command, "--layer", "3", "--head", "1,7,11")
        page = self.open("large.html")
        self.assertIn("0.4%", page.locator("#precision").inner_text())
        for head, query in [(1, 10), (7, 300), (11, 511)]:
            weights = weights_of(document, 3, head)
            maximum = max(max(row) for row in weights)
            self.show(page, layer=3, head=head, query=query, key=0, more=1)
            shown = self.row_of(page)
            self.assertEqual(len(shown), 60)
            for seen, true in zip(shown[:-1], sorted(weights[query], reverse=True)):
                bound = maximum * (math.sqrt(true / maximum) + 1 / 1016) / 254
                self.assertLessEqual(abs(seen - true), max(bound, maximum / 254**2) * 1.001)
            texts = page.locator("#row-bars data").evaluate_all("all => all.map(one => one.textContent)")
            self.assertTrue(all(text[0] in "≈<" or text == "0" for text in texts), texts)

    def test_exact_pages_have_every_digit(self):
        self.attnviz(*self.command, "--layer", "2", "--head", "3,8", "--exact", "-o", "exact.html")
        document = self.json_of(*self.command, "--layer", "2", "--head", "3,8")
        page = self.open("exact.html")
        for head, query in [(3, 17), (8, 400)]:
            self.show(page, layer=2, head=head, query=query, key=0, more=1)
            expected = sorted((float32(one) for one in weights_of(document, 2, head)[query]), reverse=True)
            self.assertEqual(self.row_of(page)[:-1], expected[:59])

    def test_two_thousand_tokens_of_one_head(self):
        if not DECODER.is_dir():
            self.skipTest("smollm2-135m is not there")
        text = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").glob("*.md")))
        (self.folder / "more.txt").write_text(text[:7400], encoding="utf-8")
        self.attnviz("-m", "smollm2-135m", "--file", "more.txt", "--layer", "5", "--head", "3", "-q", "-o", "long.html")
        page = self.open("long.html")
        self.assertGreater(int(page.locator("#legend-text").inner_text().split("; ")[-1].split(" ")[0].replace(",", "")), 1900)
        page.locator("#panel-shown .scroller").first.focus()
        for _ in range(12):
            page.keyboard.press("+")
        scroller = "document.querySelector('#panel-shown .view-map .scroller')"
        self.assertGreater(page.evaluate(f"{scroller}.scrollHeight"), 20_000)
        page.keyboard.press("End"), page.keyboard.press("PageDown")
        self.assertGreater(page.evaluate(f"{scroller}.scrollTop"), 10_000)
        drawn = page.evaluate(f"(() => {{ const t = performance.now(); for (let i = 0; i < 20; i += 1) {{ {scroller}.scrollTop -= 500; }} return performance.now() - t; }})()")
        self.assertLess(drawn, 2000)
        page.keyboard.press("0")
        self.assertLess(page.evaluate(f"{scroller}.scrollHeight"), 1200)


class OtherPages(BrowserTest):
    @classmethod
    def make_pages(cls):
        cls.attnviz("A first sentence.", "And its unforgettable pair.", "-o", "pair.html")
        cls.attnviz("Where does it look, and why?", "--focus", "it", "--layer", "0-1", "-o", "focus.html")
        cls.attnviz("Hi", "--layer", "0", "--head", "0", "-o", "one.html")
        cls.attnviz("Every head of every layer.", "--reduce", "mean", "--reduce-over", "heads", "-o", "reduced.html")
        text = " ".join(["The quick brown fox jumps over the lazy dog."] * 30)
        cls.attnviz(text, "--pool", "40", "--layer", "1-2", "-o", "pool.html")
        (cls.folder / "bad.json").write_text(json.dumps([[0.5, 0.5, 0], [None, 1.0, 0], [0.2, -0.3, 0.5]]), encoding="utf-8")
        cls.attnviz("render", "bad.json", "--force", "-o", "bad.html")

    def test_every_kind_of_map_in_every_view(self):
        for name in ["pair", "focus", "one", "reduced", "pool", "bad"]:
            page = self.open(f"{name}.html")
            for key in ("t", "i", "m", "w", "s", "v", "g", "g", "p", "h", "d", "+", "0"):
                page.keyboard.press(key)
            page.locator("#panel-shown").wait_for()
            with page.expect_download() as download:
                page.locator("#save-png").click()
            self.assertGreater(download.value.path().stat().st_size, 1000)

    def test_titles_say_what_was_put_together(self):
        page = self.open("reduced.html", "layer=2&head=0")
        self.assertEqual(self.title(page), "Layer 2, mean of heads")
        self.assertIn("--head 0,1,2,3,4,5,6,7,8,9,10,11", page.locator("#command").inner_text())


if __name__ == "__main__":
    unittest.main()
