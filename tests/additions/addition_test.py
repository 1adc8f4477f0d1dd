"""What the tests of this folder start from: a page's steps applied to a scratch copy, once per page, and its program run."""
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from harness import PROGRAM, ROOT, CliTest  # noqa: E402
from scratch_copy import ScratchCopy  # noqa: E402

BUILD = pathlib.Path(os.environ.get("ATTNVIZ_BUILD", PROGRAM.parents[1]))


class AdditionTest(CliTest):
    PAGE = None  # below docs/

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="attnviz-addition-")
        cls.addClassCleanup(folder.cleanup)
        copy = ScratchCopy(ROOT, BUILD, pathlib.Path(folder.name))
        copy.apply((ROOT / "docs" / cls.PAGE).read_text(encoding="utf-8"))
        cls.program = copy.make_program()

    def added(self, *words):
        """Runs the program with the additions; exit code 0."""
        return self.succeed(*words, program=self.program)
