"""The page of a sentence in a real browser: what it shows, that its numbers are the JSON's, and that keys alone are enough."""
import subprocess
import unittest
import xml.etree.ElementTree as ElementTree
import zlib

from browser import PROGRAM, TIRED, BrowserTest, float32, png_chunks, png_size, state_of, strongest_link, weights_of

IT, ANIMAL = 10, 2


class SentencePage(BrowserTest):
    @classmethod
    def make_pages(cls):
        cls.attnviz(TIRED, "-o", "page.html")
        cls.document = cls.json_of(TIRED)
        cls.words = cls.json_of(TIRED, "--words", "--hide-special")

    def test_is_small_and_opens_on_the_strongest_link(self):
        self.assertLessEqual((self.folder / "page.html").stat().st_size, 250_000)
        page = self.open("page.html")
        layer, head, query, key = strongest_link(self.document)
        self.assertEqual(self.title(page), f"Layer {layer}, head {head}")
        labels = [token["text"] for token in self.document["queries"]]
        self.assertEqual(page.locator("#pair-title").inner_text(), f"{labels[query]} → {labels[key]}")
        weight = weights_of(self.document, layer, head)[query][key]
        self.assertEqual(float32(page.locator("#pair-weight").get_attribute("value")), float32(weight))

    def test_numbers_are_the_documents(self):
        page = self.open("page.html")
        for layer, head, query in [(3, 1, IT), (0, 0, 0), (5, 11, 15), (2, 7, 4)]:
            self.show(page, layer=layer, head=head, query=query, key=0, order="reading", more=1)
            row = weights_of(self.document, layer, head)[query]
            expected = [float32(weight) for key, weight in enumerate(row) if weight != 0 or key == 0]
            self.assertEqual(self.row_of(page), expected, (layer, head, query))
        self.show(page, layer=3, head=1, query=IT, key=ANIMAL)
        self.assertEqual(page.locator("#pair-weight").inner_text(), "0.677")
        self.assertEqual(float(page.locator("#pair-digits").inner_text()), weights_of(self.document, 3, 1)[IT][ANIMAL])
        self.assertIn("exact", page.locator("#precision").inner_text())

    def test_the_score_of_a_pair_is_the_reference_s(self):
        page = self.open("page.html")
        # q.k / sqrt(32) as transformers 5.24 computes it in f32: 3.8339 for "animal", the row's highest, and 1.9376 for [CLS].
        for key, expected in [(ANIMAL, "3.83 before softmax, the row’s highest"), (0, "1.94 before softmax, 1.90 under the row’s highest")]:
            self.show(page, layer=3, head=1, query=IT, key=key)
            page.wait_for_selector("#pair-score")
            self.assertEqual(page.locator("#pair-score").inner_text(), f"score q·k/√d {expected}")

    def test_words_and_maps_without_scores_have_none(self):
        self.attnviz(TIRED, "--layer", "3", "--head", "1", "-o", "map.json")
        self.attnviz("render", "map.json", "-o", "rendered.html")
        page = self.open("rendered.html")
        self.assertEqual(page.locator("#pair-score").count(), 0)

    def test_words_are_merged_as_the_program_merges_them(self):
        page = self.open("page.html")
        tokens = self.document["queries"]
        for query, word in enumerate(self.words["queries"]):
            token = next(i for i, one in enumerate(tokens) if one["begin"] == word["begin"] and one["kind"] != "special")
            self.show(page, layer=4, head=6, query=token, key=1, words=1, special=0, order="reading", more=1)
            self.assertEqual(self.row_of(page), [float32(one) for one in weights_of(self.words, 4, 6)[query]], word["text"])
        self.assertEqual(len(self.words["queries"]), page.locator("#row-bars [role=option]").count())

    def test_opens_as_the_command_line_says(self):
        self.attnviz(TIRED, "--highlight", "it:animal", "--view", "lines", "--words", "--scale", "log", "--cmap", "reds", "--dark", "-o", "asked.html")
        page = self.open("asked.html")
        self.assertEqual(page.locator("#pair-title").inner_text(), "it → animal")
        best = max(self.document["maps"], key=lambda one: one["weights"][IT][ANIMAL])
        self.assertEqual(self.title(page), f"Layer {best['layer']}, head {best['head']}")
        self.assertEqual(page.locator("#tab-lines").get_attribute("aria-selected"), "true")
        self.assertTrue(page.locator("#words").is_checked())
        self.assertEqual([page.locator(f"#{name}").input_value() for name in ("scale", "colours", "theme")], ["log", "reds", "dark"])

    def test_keys_alone_are_enough(self):
        page = self.open("page.html", "layer=3&head=1&query=10&key=2")
        keys = page.keyboard
        keys.press("h")
        self.expect_title(page, "Layer 3, head 2")
        keys.press("H"), keys.press("L")
        self.expect_title(page, "Layer 2, head 1")
        keys.press("l")
        self.expect_title(page, "Layer 3, head 1")
        # By Tab to the grid, and with arrows in it.
        for _ in range(12):
            keys.press("Tab")
            if page.evaluate("document.activeElement.classList.contains('cell')"):
                break
        self.assertEqual(page.evaluate("document.activeElement.getAttribute('aria-label')").split(":")[0], "Layer 3, head 1")
        keys.press("ArrowRight"), keys.press("ArrowDown")
        self.expect_title(page, "Layer 4, head 2")
        keys.press("Home")
        self.expect_title(page, "Layer 0, head 0")
        # By Tab on to the map, and with arrows to another pair.
        for _ in range(30):
            keys.press("Tab")
            if page.evaluate("document.activeElement.getAttribute('role')") == "application":
                break
        self.assertEqual(page.evaluate("document.activeElement.getAttribute('aria-roledescription')"), "attention map")
        keys.press("ArrowDown"), keys.press("ArrowRight")
        self.assertEqual(page.locator("#pair-title").inner_text(), "was → didn")
        page.wait_for_function("() => document.getElementById('live').textContent.includes('was attends to didn')")
        # Search, words, tabs, pin, help.
        keys.press("/"), keys.type("animal"), keys.press("Enter")
        self.assertIn("1 found", page.locator("#search-count").inner_text())
        self.assertIn("animal →", page.locator("#pair-title").inner_text())
        page.locator("#search").blur()
        keys.press("w"), keys.press("s"), keys.press("t"), keys.press("p"), keys.press("h")
        state = state_of(self.hash_when(page, "tab=text.*pin=0.0"))
        self.assertEqual((state["words"], state["special"], state["head"]), ("1", "0", "1"))
        self.assertEqual(page.locator(".panel").count(), 2)
        keys.press("?")
        self.assertTrue(page.locator("#help").is_visible())
        self.assertGreater(page.locator("#help-keys tr").count(), 15)
        keys.press("Escape")
        self.assertFalse(page.locator("#help").is_visible())
        keys.press("Escape"), keys.press("Escape")
        self.assertEqual(page.locator(".panel").count(), 1)

    def test_single_letters_can_be_switched_off(self):
        page = self.open("page.html", "layer=3&head=1")
        page.keyboard.press("?")
        page.locator("#keys-on").uncheck()
        page.keyboard.press("Escape"), page.keyboard.press("h")
        self.assertEqual(self.title(page), "Layer 3, head 1")

    def test_a_link_reopens_the_same_picture(self):
        page = self.open("page.html")
        page.locator("#layer").select_option("3"), page.locator("#head").select_option("1")
        page.locator("#scale").select_option("log"), page.locator("#colours").select_option("ember")
        page.locator("#words").check(), page.locator("#special").uncheck(), page.locator("#values").check()
        page.locator("#threshold").fill("10"), page.locator("#search").fill("it")
        page.locator(".cell").nth(40).click(), page.locator("#pin").click(), page.locator(".cell").nth(41).click()
        page.locator("#compare-difference").check()
        state = self.hash_when(page, "compare=difference.*pin=3.4")
        again = self.open("page.html", state)
        picture = "document.querySelector('#panel-shown .view-map canvas').toDataURL()"
        self.expect_title(page, "Layer 3, head 5 minus layer 3, head 4")
        self.assertEqual(self.title(again), self.title(page))
        self.assertEqual(again.evaluate(picture), page.evaluate(picture))
        for name in ("scale", "colours", "threshold", "search"):
            self.assertEqual(again.locator(f"#{name}").input_value(), page.locator(f"#{name}").input_value(), name)
        nonsense = self.open("page.html", "layer=99&head=x&query=1e9&scale=none&tab=%3Cimg%3E&pin=7&zoom=-1&threshold=NaN")
        self.assertTrue(self.title(nonsense).startswith("Layer "))

    def test_two_heads_are_compared(self):
        page = self.open("page.html", f"layer=3&head=1&query={IT}&key={ANIMAL}&pin=2.7")
        other = weights_of(self.document, 2, 7)[IT][ANIMAL]
        difference = weights_of(self.document, 3, 1)[IT][ANIMAL] - other
        self.assertEqual(page.locator("#panel-pinned .panel-title").inner_text(), "Layer 2, head 7")
        self.assertEqual(page.locator("#pair-pinned").inner_text(), f"Layer 2, head 7: {other:.3f} · difference +{difference:.3f}")
        page.locator("#compare-difference").check()
        self.assertEqual(page.locator("#panel-shown .status b").inner_text(), f"+{difference:.3f}")

    def test_saves_what_it_shows(self):
        page = self.open("page.html", f"layer=3&head=1&query={IT}&key={ANIMAL}")
        for tab in ("map", "lines", "text"):
            self.show(page, layer=3, head=1, query=IT, key=ANIMAL, tab=tab)
            with page.expect_download() as download:
                page.locator("#save-png").click()
            self.assertEqual(download.value.suggested_filename, f"layer3-head1{'' if tab == 'map' else '-' + tab}.png")
            data = download.value.path().read_bytes()
            width, height = png_size(data)
            self.assertTrue(700 < width < 3000 and 200 < height < 3000, (tab, width, height))
            self.assertEqual(width % 2, 0)
            self.assertGreater(len(set(zlib.decompress(b"".join(png_chunks(data, b"IDAT"))))), 60, tab)
            with page.expect_download() as download:
                page.locator("#save-svg").click()
            tree = ElementTree.fromstring(download.value.path().read_text(encoding="utf-8"))
            texts = {node.text for node in tree.iter("{http://www.w3.org/2000/svg}text")}
            title = "Layer 3, head 1" if tab == "map" else "Layer 3, head 1: what “it” attends to"
            self.assertTrue({"animal", "street", "it", title} <= texts, (tab, texts))

    def test_the_command_it_shows_runs(self):
        page = self.open("page.html", f"layer=3&head=1&query={IT}&key={ANIMAL}")
        for changes in [{}, {"tab": "lines"}, {"tab": "text"}, {"words": 1, "special": 0, "scale": "log", "colours": "ember", "theme": "dark"}]:
            self.show(page, layer=3, head=1, query=IT, key=ANIMAL, **changes)
            command = page.locator("#command").inner_text()
            self.assertIn("--layer 3 --head 1", command)
            script = f'attnviz() {{ "{PROGRAM}" "$@"; }}; {command}'
            environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.folder), "LANG": "C.UTF-8"}  # its tokenizers are not kept in the user's
            run = subprocess.run(["bash", "-c", script], cwd=self.folder, env=environment, capture_output=True)
            self.assertEqual(run.returncode, 0, (command, run.stderr))
            name = command.split()[-1]
            self.assertEqual(png_size((self.folder / name).read_bytes())[0] > 100, True)
        page.locator("#copy").click()
        page.get_by_role("button", name="Copied").wait_for()

    def test_both_themes_are_designed(self):
        for scheme, other in (("light", "dark"), ("dark", "light")):
            page = self.open("page.html", color_scheme=scheme)
            self.assertEqual(self.ground_is_dark(page), scheme == "dark")
            page.locator("#theme").select_option(other)
            self.assertEqual(self.ground_is_dark(page), other == "dark")

    def ground_is_dark(self, page):
        box = page.locator("#panel-shown .view-map canvas").bounding_box()
        ground = self.pixel(page, 3, 3)
        cell = self.pixel(page, box["x"] + box["width"] - 120, box["y"] + box["height"] - 12)  # of next to no weight
        self.assertLess(max(abs(a - b) for a, b in zip(ground, cell)), 40)
        return max(ground) < 60

    def test_every_control_has_a_name(self):
        page = self.open("page.html", "layer=3&head=1&pin=2.7&search=it")
        tree = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
        wanted = {"button", "combobox", "checkbox", "radio", "slider", "searchbox", "tab", "option", "img", "image", "application", "grid", "listbox"}
        nodes = [node for node in tree if not node["ignored"] and node["role"]["value"] in wanted]
        self.assertGreater(len(nodes), 120)
        nameless = [node["role"] for node in nodes if not node.get("name", {}).get("value")]
        self.assertEqual(nameless, [])
        self.assertTrue({"main", "navigation", "banner", "contentinfo", "status"} <= {node["role"]["value"] for node in tree})

    def test_fits_a_phone(self):
        for tab in ("map", "lines", "text"):
            page = self.open("page.html", f"layer=3&head=1&tab={tab}&pin=2.7&search=it", width=390, height=844, has_touch=True)
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 390, tab)
        page.locator("#tab-map").tap()
        page.locator("#panel-shown .view-map canvas").tap(position={"x": 200, "y": 200})
        self.assertRegex(self.hash_when(page, "tab=map|query=(?!10)"), "query=")

    def test_a_pointer_touches_and_chooses(self):
        page = self.open("page.html", f"layer=3&head=1&query={IT}&key={ANIMAL}")
        canvas = page.locator("#panel-shown .view-map canvas")
        box = canvas.bounding_box()
        page.mouse.move(box["x"] + box["width"] - 300, box["y"] + box["height"] - 100)
        touched = page.locator("#panel-shown .status").inner_text()
        self.assertNotIn("it → animal", touched)
        self.assertEqual(page.locator("#pair-title").inner_text(), "it → animal")
        page.mouse.click(box["x"] + box["width"] - 300, box["y"] + box["height"] - 100)
        self.assertTrue(touched.startswith(page.locator("#pair-title").inner_text()))
        page.mouse.move(5, 5)
        page.locator("#links [role=option]").first.click()
        self.assertEqual(page.locator("#pair-title").inner_text(), "it → animal")


if __name__ == "__main__":
    unittest.main()
