"""Every style checker on a small tree that is in order, and on the same tree with one fault each: it must see exactly that.

Run by ctest as style.selftest.
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent

SOUND = {
    ".clang-format": "BasedOnStyle: Google\nColumnLimit: 132\n",
    "include/attnviz/thing.h": "// A thing.\n#pragma once\n\n#include <vector>\n",
    "src/base/word.h": "// A word.\n#pragma once\n\n#include <attnviz/thing.h>\n",
    "src/base/word.cpp": '// See word.h. FIXed limits; XXXXXX is a file name\'s end.\n#include "base/word.h"\n\n#include <fmt/format.h>\n#include <unistd.h>\n\n'
    "namespace attnviz {\n\nint twice(int n) { return 2 * n; }\n\n}  // namespace attnviz\n",
    "src/tensor/view.h": '// A view; "bert" in a comment is no name.\n#pragma once\n\n#include "base/word.h"\n',
    "src/ops/sum.cpp": '// Sums.\n#include <hwy/highway.h>\n\n#include "tensor/view.h"\n',
    "src/formats/parts.cpp": '// Parts.\n#include <nlohmann/json.hpp>\n\nconst char* const kName = "BertNormalizer";\n',
    "src/formats/tokenizer/tokenizer_files.cpp": '// Tokenizer files.\n\nconst char* const kClass = "mpnet";\n',
    "src/hub/cache.h": "// A cache.\n#pragma once\n",
    "src/hub/net.h": "// The network.\n#pragma once\n",
    "src/pipeline/find.cpp": '// Finds.\n#include "hub/cache.h"\n',
    "src/model/arch/bert.cpp": '// BERT.\n#include "base/word.h"\n\nconst Family kBert = {"bert", read_stack, tensors};\n',
    "src/model/arch/others.cpp": '// Others.\nconst Family kA = {"distilbert", a, b};\nconst Family kB = {"mpnet", a, b};\nconst Family kC = {"opt", a, b};\n'
    'const Family kD = {"deberta-v2", a, b};\n',
    "README.md": "# A page\n\nSee [the other](docs/OTHER.md#second-part) and [below](#a-page).\n\n```sh\nmake demo\nattnviz hello \\\n  world | cat\n```\n",
    "docs/OTHER.md": "# Other\n\n## Second part\n\n```console\n$ attnviz hello\nhello\n```\n\n```text\nattnviz fail\n```\n",
    "data/demo/a.txt": "a\n",
}
PROGRAM = '#!/bin/sh\n[ "$1" = fail ] && { echo "no such text" >&2; exit 1; }\necho "$@"\n'


def long_function(n_lines):
    return "int f(int n) {\n" + "  n += 1;\n" * n_lines + "  return n;\n}\n"


class CheckerTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="attnviz-style-")
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name) / "tree"
        for name, text in SOUND.items():
            self.write(name, text)
        self.program = pathlib.Path(self.folder.name) / "bin" / "attnviz"
        self.program.parent.mkdir()
        self.program.write_text(PROGRAM)
        self.program.chmod(0o755)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def run_checker(self, checker):
        command = [sys.executable, HERE / f"check_{checker}.py", "--root", self.root]
        if checker == "docs":
            command += ["--program", self.program]
        return subprocess.run(list(map(str, command)), capture_output=True, text=True)

    def expect_clean(self, checker):
        run = self.run_checker(checker)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def expect_fault(self, checker, message):
        run = self.run_checker(checker)
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertIn(message, run.stdout)
        self.assertIn("1 fault(s)", run.stdout)


class SoundTree(CheckerTest):
    def test_every_checker_is_content(self):
        for checker in ["layers", "sizes", "format", "paths", "options", "docs"]:
            with self.subTest(checker):
                self.expect_clean(checker)

    def test_an_empty_tree_is_a_fault(self):
        self.root = self.root / "docs" / "nowhere"
        for checker in ["layers", "sizes", "format", "paths", "options", "docs"]:
            with self.subTest(checker):
                self.expect_fault(checker, "is --root the project's folder?")


class Layers(CheckerTest):
    CASES = {
        "an edge upwards": ("src/base/up.h", '// Up.\n#pragma once\n#include "tensor/view.h"\n', "base may not use tensor"),
        "an edge sideways": ("src/ops/side.cpp", '// Side.\n#include "formats/json.h"\n', '"formats/json.h" does not exist'),
        "an edge past a layer": ("src/render/deep.cpp", '// Deep.\n#include "tensor/view.h"\n', "render may not use tensor"),
        "more of a module than is allowed": ("src/pipeline/n.cpp", '// N.\n#include "hub/net.h"\n', "pipeline may use only hub/cache.h of hub"),
        "an unknown folder": ("src/misc/a.cpp", "// A.\n", "unknown folder"),
        "a file beside the folders": ("src/a.cpp", "// A.\n", "unknown folder"),
        "a third-party header elsewhere": ("src/base/j.cpp", "// J.\n#include <nlohmann/json.hpp>\n", "belongs in formats or render only"),
        "a third-party header in a header": ("src/ops/h.h", "// H.\n#pragma once\n#include <hwy/highway.h>\n", "in a .cpp file only"),
        "an unlisted header": ("src/base/b.cpp", "// B.\n#include <boost/any.hpp>\n", "not on the list"),
        "a public header on fmt": ("include/attnviz/f.h", "// F.\n#pragma once\n#include <fmt/format.h>\n", "std and each other only"),
        "a public header on src": ("include/attnviz/f.h", '// F.\n#pragma once\n#include "base/word.h"\n', "std and each other only"),
        "a missing public header": ("src/base/m.cpp", "// M.\n#include <attnviz/gone.h>\n", "does not exist"),
        "a path not from src": ("src/base/r.cpp", '// R.\n#include "word.h"\n', "must be written from src/"),
        "an architecture in a string": ("src/model/b.cpp", '// B.\nbool f(const char* a) { return a == "distilbert"; }\n', "names an architecture"),
        "an architecture in a name": ("src/pipeline/b.cpp", "// B.\nint load_mpnet();\n", "names an architecture"),
        "a short name among others": ("src/pipeline/b.cpp", "// B.\nint options; int read_opt();\n", "names an architecture"),
        "a name without its version": ("src/pipeline/b.cpp", "// B.\nint DebertaScores();\n", "names an architecture"),
        "an architecture in another format": ("src/formats/b.cpp", '// B.\nbool f(const char* a) { return a == "bert"; }\n', "names an architecture"),
        "a tokenizer's name elsewhere": ("src/model/t.cpp", '// T.\nconst char* t = "BertTokenizer";\n', "names an architecture"),
    }

    def test_each_fault_is_seen(self):
        for case, (name, text, message) in self.CASES.items():
            with self.subTest(case):
                self.write(name, text)
                self.expect_fault("layers", message)
                (self.root / name).unlink()

    def test_a_circle_of_headers(self):
        self.write("src/base/a.h", '// A.\n#pragma once\n#include "base/b.h"\n')
        self.write("src/base/b.h", '// B.\n#pragma once\n#include "base/a.h"\n')
        self.expect_fault("layers", "in a circle: src/base/a.h -> src/base/b.h -> src/base/a.h")

    def test_too_many_public_headers(self):
        for n in range(13):
            self.write(f"include/attnviz/h{n}.h", "// H.\n#pragma once\n")
        self.expect_fault("layers", "14 public headers")


class Sizes(CheckerTest):
    CASES = {
        "a long header": ("src/base/l.h", "// L.\n#pragma once\n" + "int x();\n" * 249, "251 lines; at most 250"),
        "a long source": ("src/base/l.cpp", "// L.\n" + "int x();\n" * 500, "501 lines; at most 500"),
        "a long family": ("src/model/arch/l.cpp", "// L.\n" + "int x();\n" * 300, "301 lines; at most 300"),
        "a long function": ("src/base/f.cpp", "// F.\n" + long_function(58), "61 code lines in one function"),
        "a long method": ("src/base/f.cpp", "// F.\nnamespace n {\nclass A {\n public:\n" + long_function(58) + "};\n}\n", "61 code lines"),
        "a long constructor": (
            "src/base/f.cpp",
            "// F.\nA::A(int n)\n    : a_{n}, b_(n) {\n" + "  n += 1;\n" * 60 + "}\n",
            "63 code lines in one function",
        ),
        "a long test": ("tests/unit/t.cpp", "// T.\nTEST(A, B) {\n" + "  f();\n" * 80 + "}\n", "82 code lines"),
        "many parameters": ("src/base/p.cpp", "// P.\nint f(int a, int b, int c, int d, int e, int g) { return a; }\n", "6 parameters; at most 5"),
        "many arguments in a struct": (
            "src/base/p.h",
            "// P.\n#pragma once\nstruct PArgs {\n" + "".join(f"  int a{i} = 0;\n" for i in range(11)) + "};\n",
            "PArgs has 11 fields; at most 10",
        ),
        "no opening comment": ("src/base/o.cpp", "int x();\n", "opens with 0 comment lines"),
        "an endless opening": ("src/base/o.cpp", "// a\n" * 9 + "int x();\n", "opens with 9 comment lines"),
        "an unguarded header": ("src/base/g.h", "// G.\nint x();\n", "without #pragma once"),
        "a script that does not introduce itself": ("tests/cli/s.py", "import os\n", "opens without a docstring"),
        "something left over": ("src/base/t.cpp", "// T.\nint x();  // TO" "DO: more\n", "left over"),
    }

    def test_each_fault_is_seen(self):
        for case, (name, text, message) in self.CASES.items():
            with self.subTest(case):
                self.write(name, text)
                self.expect_fault("sizes", message)
                (self.root / name).unlink()

    def test_what_only_looks_like_a_fault(self):
        self.write("src/base/ok.cpp", "// OK.\n" + long_function(56))
        self.write("src/base/ok2.cpp", "// OK: a table is no function.\nconst int kTable[] = {\n" + "    1,\n" * 100 + "};\n")
        self.write("src/base/ok3.cpp", "// OK: a map's commas are not parameters.\nint f(std::map<int, std::map<int, int>> a, int b, int c, int d, int e) { return b; }\n")
        self.write("src/base/ok4.cpp", "// OK.\nint f(int n) {\n" + "  // why\n\n" * 40 + "  return n;\n}\n")
        self.write("src/base/ok5.cpp", '// OK.\nconst char* const kBraces = "{ {";\nchar c = \'{\';\nint big = 1\'000\'000;\n' + long_function(50))
        self.expect_clean("sizes")


class Paths(CheckerTest):
    CASES = {
        "a test that nobody wrote": ("src/base/a.h", "// A. Tested in tests/unit/base/a_test.cpp.\n#pragma once\n", "tests/unit/base/a_test.cpp does not exist"),
        "a page that was renamed": ("tests/cli/a.py", '"""See docs/GONE.md."""\n', "docs/GONE.md does not exist"),
    }

    def test_each_fault_is_seen(self):
        for case, (name, text, message) in self.CASES.items():
            with self.subTest(case):
                self.write(name, text)
                self.expect_fault("paths", message)
                (self.root / name).unlink()


class Options(CheckerTest):
    def test_an_option_in_a_message_of_the_library(self):
        self.write("src/base/m.cpp", '// M: --width is fine in a comment.\nconst char* m = "try a larger --width";\n')
        self.expect_fault("options", "src/base/m.cpp:2: names the option --width")

    def test_the_command_line_may_name_its_own(self):
        self.write("src/cli/m.cpp", '// M.\nconst char* m = "try a larger --width";\n')
        self.expect_clean("options")


class Rooms(CheckerTest):
    def test_a_crowded_room(self):
        for n in range(30):
            self.write(f"src/base/f{n}.cpp", "// F.\n")
        self.expect_fault("layers", "src/base: 32 files; at most 30")


class Format(CheckerTest):
    def test_a_file_that_clang_format_would_change(self):
        self.write("src/base/word.h", "// A word.\n#pragma once\n\nint   twice( int n );\n")
        run = self.run_checker("format")
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertIn("src/base/word.h:4", run.stdout)


class Docs(CheckerTest):
    CASES = {
        "a command that fails": ("docs/A.md", "# A\n\n```sh\nattnviz fail\n```\n", "exit code 1: attnviz fail"),
        "a failure inside a pipe": ("docs/A.md", "# A\n\n```sh\nattnviz fail | cat\n```\n", "exit code 1: attnviz fail | cat"),
        "a failing console command": ("docs/A.md", "# A\n\n```console\n$ attnviz ok\nok\n$ attnviz fail\n```\n", "docs/A.md:6: exit code 1"),
        "a program nobody has": ("docs/A.md", "# A\n\n```sh\nattnvizz hello\n```\n", "exit code 127"),
        "a command nobody runs": ("docs/A.md", "# A\n\n```\nattnviz hello\n```\n", "docs/A.md:4: a command in a block that is not marked"),
        "an indented command": ("docs/A.md", "# A\n\n    $ attnviz hello\n", "docs/A.md:3: a command in a block that is not marked"),
        "a link to nowhere": ("docs/A.md", "# A\n\n![picture](images/gone.png)\n", "links to images/gone.png, which does not exist"),
        "a long line": ("docs/A.md", "# A\n\n" + "long " * 27 + "\n\n| " + "table " * 30 + "|\n", "docs/A.md:3: 135 columns; at most 132"),
        "an anchor to nowhere": ("docs/A.md", "# A\n\n[b](OTHER.md#third-part)\n", "no such heading"),
    }

    def test_each_fault_is_seen(self):
        for case, (name, text, message) in self.CASES.items():
            with self.subTest(case):
                self.write(name, text)
                self.expect_fault("docs", message)
                (self.root / name).unlink()

    def test_commands_are_counted(self):
        self.assertIn("2 pages, 2 commands run, 0 fault(s)", self.run_checker("docs").stdout)


class SkippedFolders(CheckerTest):
    def test_only_fetched_models_are_skipped(self):
        self.write("data/models/x/script.py", "import os\n")
        self.expect_clean("sizes")
        self.write("src/text/models/b.cpp", "int x();\n")
        self.expect_fault("sizes", "src/text/models/b.cpp:1: opens with 0 comment lines")


class Comments(CheckerTest):
    def write_room(self, n_comment):
        for n in range(2):
            code = "int x();  // why\n" * n_comment + 'const char* k = "// no comment";\n' * (400 - n_comment)
            self.write(f"src/figure/f{n}.cpp", code)

    def test_a_room_without_comments(self):
        self.write_room(16)
        self.expect_fault("comments", "src/figure: 4.0% of its lines have a comment; expected at least 6%")

    def test_a_room_with_few_or_enough(self):
        self.expect_clean("comments")
        for n_comment, shown in [(28, "7.0% of its lines have a comment; aim for 8%\n"), (40, "10.0% of its lines have a comment\n")]:
            self.write_room(n_comment)
            self.expect_clean("comments")
            self.assertIn(f"src/figure: {shown}", self.run_checker("comments").stdout)

    def test_an_empty_tree(self):
        self.root = self.root / "docs" / "nowhere"
        self.expect_fault("comments", "is --root the project's folder?")


if __name__ == "__main__":
    unittest.main()
