"""Strings of a model or a user are shown as text, whatever they spell, and a page runs nothing but its own script."""
import json
import subprocess
import unittest

from browser import PROGRAM, BrowserTest

HOSTILE = [
    "</script><img src=x onerror=alert(1)>",
    "</script><img/src=x/onerror=alert(1)>",
    "<!--<script>alert(2)</script>",
    '" onmouseover="alert(3)',
    "&lt;b&gt; &amp;",
    "'; alert(4); '",
    "a\u202eb\u2066c",
    "nul\u0000here",
    "line\u2028end\u2029",
    "javascript:alert(5)",
    "日本語 العربية हिन्दी 👩‍👩‍👧",
    "$(touch pwned) `touch pwned` \\",
]


TYPED = " ".join(HOSTILE[:7]) + HOSTILE[-1]


class HostilePage(BrowserTest):
    @classmethod
    def make_pages(cls):
        document = cls.json_of(" ".join("abcdefghijkl"), "--layer", "3", "--head", "1-2")
        for axis in (document["queries"], document["keys"]):
            for token, text in zip(axis, ["[CLS]", *HOSTILE, "[SEP]"]):
                token.update(text=text, begin=0, end=0)
        document.update(texts=[], notes=[HOSTILE[0]], model={**document["model"], "name": HOSTILE[1]})
        (cls.folder / "maps.json").write_text(json.dumps(document), encoding="utf-8")
        cls.attnviz("render", "maps.json", "-o", "hostile.html")
        cls.attnviz(TYPED, "-o", "typed.html")

    def check_harmless(self, page):
        self.assertEqual(page.locator("img").count(), 0)
        self.assertEqual(page.locator(".word *, bdi *, #text *, #facts *, #command *, .cell :not(canvas)").count(), 0)
        self.assertEqual(page.evaluate("document.querySelectorAll('script:not([type])').length"), 1)
        self.assertEqual(page.evaluate("[...document.querySelectorAll('*')].filter(e => [...e.attributes].some(a => a.name.startsWith('on'))).length"), 0)

    def test_tokens_are_shown_as_text(self):
        for tab in ("map", "lines", "text"):
            page = self.open("hostile.html", f"tab={tab}&query=0&key=1&more=1&order=reading")
            self.check_harmless(page)
            names = page.locator("#row-bars .bar-name").evaluate_all("all => all.map(one => one.textContent)")
            self.assertEqual(len(names), len(HOSTILE) + 2)
            names = names[1:-1]  # without [CLS] and [SEP]
            # Spaces, controls and bidi marks are spelled out; everything else stands there as it is.
            self.assertEqual(names[0], HOSTILE[0].replace(" ", "␣"))
            self.assertEqual(names[1], HOSTILE[1])
            self.assertEqual(names[3], HOSTILE[3].replace(" ", "␣"))
            self.assertEqual(names[4], "&lt;b&gt;␣&amp;")
            self.assertEqual(names[6:9], ["a<U+202E>b<U+2066>c", "nul<U+0000>here", "line<U+2028>end<U+2029>"])
            page.mouse.move(600, 400)
            self.check_harmless(page)

    def test_a_typed_text_too(self):
        page = self.open("typed.html")
        self.check_harmless(page)
        self.assertIn("</script><img src=x onerror=alert(1)>", page.locator("#text").inner_text())
        self.assertIn("<U+202E>", page.locator("#text").inner_text())
        page.locator("#search").fill("</script><img src=x onerror=alert(6)>")
        self.assertEqual(page.locator("#search-count").inner_text(), "no found")
        self.check_harmless(page)

    def test_its_command_has_the_text_as_it_was_typed(self):
        page = self.open("typed.html", "layer=3&head=1")
        command = page.locator("#command").inner_text()
        page.locator("#copy").click()
        page.get_by_role("button", name="Copied").wait_for()
        self.assertIn("<U+202E>", command)  # visible where it is shown, itself where it is copied
        page.locator("#search").click()
        page.keyboard.press("Control+v")
        copied = page.locator("#search").input_value()
        self.assertIn("\u202e", copied)
        script = f'attnviz() {{ "{PROGRAM}" "$@" -f json; }}; {copied.split(" -o ")[0]}'
        run = subprocess.run(["bash", "-c", script], cwd=self.folder, capture_output=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(json.loads(run.stdout)["texts"], [TYPED])
        self.assertFalse((self.folder / "pwned").exists())

    def test_saved_svg_is_harmless(self):
        page = self.open("hostile.html", "tab=map")
        with page.expect_download() as download:
            page.locator("#save-svg").click()
        text = download.value.path().read_text(encoding="utf-8")
        self.assertIn("&lt;/script&gt;&lt;img", text)
        self.assertNotIn("<img", text)
        self.assertNotIn("<script", text)

    def test_the_policy_stops_other_scripts(self):
        context = self.browser.new_context()
        self.addCleanup(context.close)
        page = context.new_page()
        page.goto((self.folder / "typed.html").as_uri())
        page.evaluate("(() => { const s = document.createElement('script'); s.textContent = 'window.ran = true'; document.body.append(s); })()")
        self.assertIsNone(page.evaluate("window.ran ?? null"))
        self.assertEqual(page.evaluate("fetch('data:,x').then(() => 'open', () => 'closed')"), "closed")


if __name__ == "__main__":
    unittest.main()
