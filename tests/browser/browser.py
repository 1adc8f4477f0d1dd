"""What every browser test starts from: pages that the real program wrote, opened from disk in Debian's Chromium.

Whatever a page says on its console, asks of any server or opens as a dialog fails the test that opened it. The program's path comes
from CMake in ATTNVIZ_PROGRAM, the checkout's in ATTNVIZ_ROOT.
"""
import json
import os
import pathlib
import re
import struct
import subprocess
import tempfile
import unittest
import zlib

from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(os.environ["ATTNVIZ_ROOT"])
PROGRAM = pathlib.Path(os.environ["ATTNVIZ_PROGRAM"])
CHROMIUM = os.environ.get("ATTNVIZ_CHROMIUM", "/usr/bin/chromium")
SECONDS = 120

TIRED = "The animal didn't cross the street because it was too tired."


def float32(value):
    return struct.unpack("<f", struct.pack("<f", float(value)))[0]


class BrowserTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="attnviz-browser-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        manager = sync_playwright()
        playwright = manager.__enter__()
        cls.addClassCleanup(manager.__exit__, None, None, None)
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        cls.browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        cls.addClassCleanup(cls.browser.close)
        cls.make_pages()

    @classmethod
    def make_pages(cls):
        """Writes the pages that the class's tests share."""

    @classmethod
    def attnviz(cls, *words, stdin=b""):
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(cls.folder), "LANG": "C.UTF-8"}
        run = subprocess.run([PROGRAM, *words], cwd=cls.folder, env=environment, input=stdin, capture_output=True, timeout=SECONDS)
        if run.returncode != 0:
            raise AssertionError(f"attnviz {words}: exit code {run.returncode}: {run.stderr.decode()}")
        return run.stdout

    @classmethod
    def json_of(cls, *words):
        return json.loads(cls.attnviz(*words, "-f", "json"))

    def open(self, name, state="", width=1440, height=900, **context):
        """A page, with the given state in its address, once its first picture is there."""
        page = self.browser.new_context(viewport={"width": width, "height": height}, accept_downloads=True, **context).new_page()
        self.addCleanup(page.context.close)
        heard = []
        page.on("console", lambda message: heard.append(f"console {message.type}: {message.text}"))
        page.on("pageerror", lambda error: heard.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (heard.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        address = (self.folder / name).as_uri()
        page.on("request", lambda request: heard.append(f"request: {request.url}") if self.is_foreign(request.url, address) else None)
        self.addCleanup(lambda: self.assertEqual(heard, []))
        page.goto(f"{address}#{state}")
        page.wait_for_function("() => performance.getEntriesByName('attnviz-first-picture').length > 0")
        return page

    @staticmethod
    def is_foreign(url, address):
        return url.split("#")[0] != address and not url.startswith(("data:", "blob:"))

    def show(self, page, **changes):
        """Changes the state by the address, as a link would, and waits for the picture."""
        shown = page.evaluate("performance.getEntriesByName('attnviz-show').length")
        state = "&".join(f"{key}={value}" for key, value in {**changes, "turn": shown}.items())  # never the same twice
        page.evaluate("state => { location.hash = state; }", state)
        page.wait_for_function("n => performance.getEntriesByName('attnviz-show').length > n", arg=shown)

    @staticmethod
    def pixel(page, x, y):
        """Red, green and blue of one pixel of the window."""
        data = page.screenshot(clip={"x": x, "y": y, "width": 1, "height": 1})
        return list(zlib.decompress(b"".join(png_chunks(data, b"IDAT")))[1:4])

    def row_of(self, page):
        """The numbers of the row read-out, in the order it has them, as f32."""
        return [float32(value) for value in page.locator("#row-bars data").evaluate_all("all => all.map(one => one.value)")]

    def title(self, page):
        return page.locator("#panel-shown .panel-title").inner_text()

    def expect_title(self, page, title):
        """A head whose map is not unpacked yet comes a moment later."""
        page.wait_for_function("title => document.querySelector('#panel-shown .panel-title').textContent === title", arg=title)

    def hash_when(self, page, pattern):
        """The address follows a little later than the picture."""
        page.wait_for_function("pattern => new RegExp(pattern).test(location.hash)", arg=pattern)
        return page.evaluate("location.hash.slice(1)")


def strongest_link(document):
    """(layer, head, query, key) of the strongest link between words that do not stand side by side, as the page's first view has it."""
    tokens, best = document["queries"], None
    for one in document["maps"]:
        for query, row in enumerate(one["weights"]):
            for key, weight in enumerate(row):
                special = "special" in (tokens[query]["kind"], tokens[key]["kind"])
                if special or abs(tokens[query]["word"] - tokens[key]["word"]) <= 1:
                    continue
                if best is None or weight > best[0]:
                    best = (weight, one["layer"], one["head"], query, key)
    return best[1:]


def weights_of(document, layer, head):
    (found,) = [one["weights"] for one in document["maps"] if (one["layer"], one["head"]) == (layer, head)]
    return found


def png_size(data):
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", data[16:24])


def png_chunks(data, kind):
    at = 8
    while at < len(data):
        size = int.from_bytes(data[at:at + 4], "big")
        if data[at + 4:at + 8] == kind:
            yield data[at + 8:at + 8 + size]
        at += 12 + size


def state_of(text):
    return dict(re.findall(r"([a-z]+)=([^&]*)", text))
