"""make install's rules: the installed program works from any folder, with nothing set in the environment."""
import os
import pathlib
import subprocess
import unittest

from harness import SECONDS, TIRED, CliTest

BUILD = pathlib.Path(os.environ.get("ATTNVIZ_BUILD", ""))


class Install(CliTest):
    def install(self, *words, **env):
        command = ["cmake", "--install", str(BUILD), *words]
        run = subprocess.run(command, env=self.environment(**env), capture_output=True, text=True, timeout=SECONDS)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def run_installed(self, program):
        run = subprocess.run([program, TIRED, "--layer", "3", "--head", "1"], cwd="/", env={}, capture_output=True, text=True, timeout=SECONDS)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertIn('"minilm-l6"', run.stdout)

    def test_prefix(self):
        self.install("--prefix", str(self.folder / "prefix"))
        self.run_installed(self.folder / "prefix" / "bin" / "attnviz")
        self.assertTrue((self.folder / "prefix" / "share" / "attnviz" / "models.json").is_file())

    def test_a_link_on_the_path_finds_the_shared_files(self):
        self.install("--prefix", str(self.folder / "prefix"))
        (self.folder / "elsewhere").mkdir()
        (self.folder / "elsewhere" / "attnviz").symlink_to(self.folder / "prefix" / "bin" / "attnviz")
        self.run_installed(self.folder / "elsewhere" / "attnviz")

    def test_destdir(self):
        self.install("--prefix", "/usr/local", DESTDIR=str(self.folder / "stage"))
        self.run_installed(self.folder / "stage" / "usr" / "local" / "bin" / "attnviz")


if __name__ == "__main__":
    unittest.main()
