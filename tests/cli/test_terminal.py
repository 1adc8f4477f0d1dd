"""The terminal view on a real pseudo terminal: colours by what the terminal says it can, width, NO_COLOR, hostile text."""
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
import unittest

from harness import PROGRAM, SECONDS, SINK_NOTE, TIRED, CliTest, Result

ONE = ["--layer", "3", "--head", "1"]
TRUE_COLOUR = re.compile(r"\x1b\[[0-9;]*48;2;\d+;\d+;\d+")
COLOUR_256 = re.compile(r"\x1b\[[0-9;]*48;5;\d+")
CONTROL_SEQUENCE = re.compile(r"\x1b\[[0-9;]*m")


class TerminalTest(CliTest):
    def on_terminal(self, *words, columns=80, **env):
        """Runs the program with stdout on a pseudo terminal of that width; stderr stays a pipe."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        command = [str(PROGRAM), *words]
        process = subprocess.Popen(
            command, cwd=self.folder, env=self.environment(**{"TERM": "xterm", **env}), stdin=subprocess.DEVNULL, stdout=slave, stderr=subprocess.PIPE
        )
        os.close(slave)
        output, deadline = b"", time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            if select.select([master], [], [], 0.2)[0]:
                try:
                    part = os.read(master, 65536)
                except OSError:  # the other end is closed
                    break
                if not part:
                    break
                output += part
        os.close(master)
        _, errors = process.communicate(timeout=SECONDS)
        result = Result(command, process.returncode, output.replace(b"\r\n", b"\n"), errors)
        self.assertEqual((result.code, SINK_NOTE.sub(b"", result.err)), (0, b""), result)
        return result

    def check_width(self, result, columns):
        for line in CONTROL_SEQUENCE.sub("", result.text).split("\n"):
            self.assertLessEqual(len(line), columns, f"{line!r}{result}")


class OneHead(TerminalTest):
    def test_a_terminal_gets_the_terminal_view(self):
        text = CONTROL_SEQUENCE.sub("", self.on_terminal(TIRED, *ONE, COLORTERM="truecolor").text)
        self.assertFalse(text.startswith("{"))
        for part in ["minilm-l6", "animal", "0.68"]:
            self.assertIn(part, text)
        self.assertRegex(text.splitlines()[0].lower(), r"layer 3\b.*head 1\b")

    def test_24_bit_colour(self):
        for value in ["truecolor", "24bit"]:
            result = self.on_terminal(TIRED, *ONE, COLORTERM=value)
            self.assertRegex(result.text, TRUE_COLOUR)
            self.assertNotRegex(result.text, COLOUR_256)

    def test_256_colours(self):
        result = self.on_terminal(TIRED, *ONE, TERM="xterm-256color")
        self.assertRegex(result.text, COLOUR_256)
        self.assertNotRegex(result.text, TRUE_COLOUR)

    def test_no_colour(self):
        for result in [self.on_terminal(TIRED, *ONE, TERM="dumb"), self.on_terminal(TIRED, *ONE, COLORTERM="truecolor", NO_COLOR="1")]:
            self.assertNotIn("\x1b", result.text, result)
            self.assertIn("animal", result.text)

    def test_an_empty_no_color_means_nothing(self):
        self.assertIn("\x1b", self.on_terminal(TIRED, *ONE, TERM="xterm-256color", NO_COLOR="").text)

    def test_colours_are_switched_off_at_the_end_of_every_line(self):
        for line in self.on_terminal(TIRED, *ONE, COLORTERM="truecolor").text.split("\n"):
            codes = CONTROL_SEQUENCE.findall(line)
            if codes:
                self.assertIn(codes[-1], ("\x1b[0m", "\x1b[m"), repr(line))

    def test_fits_the_width(self):
        for columns in [80, 60, 200]:
            with self.subTest(columns):
                self.check_width(self.on_terminal(TIRED, *ONE, columns=columns, COLORTERM="truecolor"), columns)

    def test_a_text_too_wide_for_cells(self):
        result = self.on_terminal(" ".join([TIRED] * 4), *ONE, COLORTERM="truecolor")
        self.check_width(result, 80)
        self.assertIn("animal", result.text)


class Overview(TerminalTest):
    def test_names_the_heads_with_the_strongest_links(self):
        result = self.on_terminal(TIRED, COLORTERM="truecolor")
        self.check_width(result, 80)
        text = CONTROL_SEQUENCE.sub("", result.text)
        self.assertNotIn("[CLS] ->", text)
        self.assertIn("animal", text)


class HostileText(TerminalTest):
    def test_nothing_in_a_text_controls_the_terminal(self):
        text = "red \x1b[31m bell \x07 back \x08 title \x1b]0;owned\x07 csi \u009b31m over \u202edrow\u202c done"
        shown = self.on_terminal(text, *ONE, COLORTERM="truecolor").text
        rest = CONTROL_SEQUENCE.sub("", shown)
        for character in rest:
            self.assertTrue(character == "\n" or (ord(character) >= 0x20 and character not in "\x7f\u009b\u202c\u202e"), f"{character!r} in {rest!r}")
        self.assertNotIn("\x1b[31m", shown)


class AskedForInAPipe(CliTest):
    def test_format_term_without_a_terminal_is_plain(self):
        text = self.succeed(TIRED, *ONE, "-f", "term", env={"TERM": "xterm-256color", "COLORTERM": "truecolor"}).text
        self.assertNotIn("\x1b", text)
        self.assertIn("animal", text)
        self.assertIn("0.68", text)


if __name__ == "__main__":
    unittest.main()
