"""Pages that cannot be followed are seen: steps that do not fit the tree, and code that does not compile."""
import pathlib
import tempfile
import unittest

from addition_test import BUILD, ROOT
from scratch_copy import BadPage, ScratchCopy


class BrokenPages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="attnviz-addition-")
        self.addCleanup(folder.cleanup)
        self.copy = ScratchCopy(ROOT, BUILD, pathlib.Path(folder.name))

    def expect_bad(self, message, page):
        with self.assertRaisesRegex(BadPage, message):
            self.copy.apply(page)

    def test_steps_that_do_not_fit_the_tree(self):
        self.expect_bad("no code block", "# A page\n\n```cpp\nint x;\n```\n")
        self.expect_bad("is there already", "```cpp new src/base/utf8.h\nint x;\n```\n")
        self.expect_bad("is not there", "```cpp in src/base/gone.h\nint x;\n```\n")
        self.expect_bad("is there 0 times", "```cpp in src/base/utf8.h\nno such line\nint x;\n```\n")
        self.expect_bad("is there 0 times", "```cpp in src/base/utf8.h\n#pragma twice ...\nint x;\n```\n")
        self.expect_bad("is there .* times", "```cpp in src/base/utf8.h\n\nint x;\n```\n")

    def test_a_header_that_gains_a_declaration_compiles_nothing_else(self):
        self.copy.apply("```cpp in src/base/utf8.h\n#pragma once\nint one(int n);\nextern const int kTwo;  // two\n```\n")
        self.assertEqual(self.copy.files_to_compile(), [])

    def test_a_header_that_changes_compiles_what_includes_it(self):
        self.copy.apply("```cpp in src/hub/part_file.h\n#pragma once\nstruct One { int n = 1; };\n```\n")
        files = self.copy.files_to_compile()
        self.assertIn("src/hub/part_file.cpp", files)
        self.assertNotIn("src/base/utf8.cpp", files)

    def test_code_that_does_not_compile(self):
        self.copy.apply("```cpp new src/base/wrong.cpp\nint x = \"text\";\n```\n")
        with self.assertRaisesRegex(BadPage, "src/base/wrong.cpp: does not compile"):
            self.copy.make_program()


if __name__ == "__main__":
    unittest.main()
