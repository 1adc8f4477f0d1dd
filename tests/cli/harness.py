"""What every command line test starts from: a fresh folder, a clean environment, and a failure that shows everything.

The program's path comes from CMake in ATTNVIZ_PROGRAM, the checkout's in ATTNVIZ_ROOT. Nothing else of this process's environment
reaches the program, save the sanitizers' options.
"""
import json
import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(os.environ.get("ATTNVIZ_ROOT", pathlib.Path(__file__).resolve().parents[2]))
PROGRAM = pathlib.Path(os.environ.get("ATTNVIZ_PROGRAM", ROOT / "build" / "release" / "bin" / "attnviz")).resolve()
SANITIZED = b"libasan.so" in PROGRAM.read_bytes() if PROGRAM.exists() else False
DEFAULT_MODEL = ROOT / "data" / "models" / "minilm-l6"
SECONDS = 120
SINK_NOTE = re.compile(rb"^attnviz: note: .* holds \d+% of all weight; try --hide-sink or --scale log\n", re.MULTILINE)

TIRED = "The animal didn't cross the street because it was too tired."
WIDE = "The animal didn't cross the street because it was too wide."
STAGES = ["load", "tokenize", "embed", "project", "attend", "output", "ffn", "other", "render", "write", "total"]  # of --timings
CACHE = tempfile.TemporaryDirectory(prefix="attnviz-cache-")  # where the program keeps tokenizers: never the user's folder
IT = 10  # position of "it" in both


class Result:
    """One run of the program: exit code and both streams as bytes."""

    def __init__(self, command, code, out, err):
        self.command, self.code, self.out, self.err = command, code, out, err

    @property
    def text(self):
        return self.out.decode("utf-8")

    @property
    def message(self):
        return self.err.decode("utf-8", "replace")

    def json(self):
        return json.loads(self.out)

    def __str__(self):
        def shown(stream):
            return stream[:4000].decode("utf-8", "backslashreplace") + (f"... ({len(stream)} bytes)" if len(stream) > 4000 else "")

        command = " ".join(shlex.quote(os.fsdecode(word)) for word in self.command)
        return f"\n$ {command}\nexit code {self.code}\n--- stdout\n{shown(self.out)}\n--- stderr\n{shown(self.err)}\n---"


class CliTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="attnviz-cli-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def environment(self, **extra):
        """A clean one: the words in `extra` are added."""
        sanitizers = {key: value for key, value in os.environ.items() if key.endswith("SAN_OPTIONS")}
        clean = {"PATH": "/usr/bin:/bin", "HOME": str(self.folder), "LANG": "C.UTF-8", "ATTNVIZ_CACHE": CACHE.name}
        return {**clean, **sanitizers, **extra}

    def attnviz(self, *words, stdin=b"", env=None, program=PROGRAM):
        """Runs the program in the test's folder. Words may be str, bytes or paths."""
        command = [os.fspath(program), *map(os.fspath, words)]
        run = subprocess.run(command, cwd=self.folder, env=self.environment(**(env or {})), input=stdin, capture_output=True, timeout=SECONDS)
        return Result(command, run.returncode, run.stdout, run.stderr)

    def shell(self, script, env=None):
        """Runs a bash script in which $ATTNVIZ is the program; a pipe fails when any part of it does."""
        command = ["bash", "-o", "pipefail", "-c", script]
        clean = self.environment(ATTNVIZ=str(PROGRAM), **(env or {}))
        run = subprocess.run(command, cwd=self.folder, env=clean, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS)
        return Result(command, run.returncode, run.stdout, run.stderr)

    def succeed(self, *words, **options):
        """Exit code 0 and not a word on stderr, save that a picture may have a sink: most maps of short texts do."""
        result = self.attnviz(*words, **options)
        self.assertEqual((result.code, SINK_NOTE.sub(b"", result.err)), (0, b""), result)
        return result

    def fail_with(self, code, parts, *words, **options):
        """The exit code, an empty stdout, and a message "attnviz: where: what" on stderr that holds every one of `parts`."""
        result = self.attnviz(*words, **options)
        self.assertEqual(result.code, code, result)
        self.assertEqual(result.out, b"", result)
        self.assertTrue(result.message.startswith("attnviz: "), result)
        self.assertTrue(result.message.endswith("\n"), result)
        for part in parts:
            self.assertIn(part, result.message, result)
        return result

    def listing(self):
        """Every file below the test's folder, relative, sorted."""
        return sorted(path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*") if not path.is_dir())

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
        return path


def only_map(document):
    (single,) = document["maps"]
    return single["weights"]


def labels(document, axis="keys"):
    return [token["text"] for token in document[axis]]
