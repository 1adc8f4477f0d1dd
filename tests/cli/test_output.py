"""Files and streams: formats by extension, what a PNG tells about itself, places that cannot be written, and readers that go away."""
import os
import pathlib
import struct
import unittest
import zlib

from harness import STAGES, TIRED, CliTest

ONE = ["--layer", "3", "--head", "1"]


def png_chunks(data):
    """(name, content) of every chunk; the checksums are checked."""
    assert data.startswith(b"\x89PNG\r\n\x1a\n"), data[:16]
    chunks, offset = [], 8
    while offset < len(data):
        (length,) = struct.unpack_from(">I", data, offset)
        name, content = data[offset + 4:offset + 8], data[offset + 8:offset + 8 + length]
        (checksum,) = struct.unpack_from(">I", data, offset + 8 + length)
        assert checksum == zlib.crc32(name + content), name
        chunks.append((name.decode(), content))
        offset += 12 + length
    return chunks


def png_size(data):
    return struct.unpack_from(">II", data, 16)


class Pictures(CliTest):
    def picture(self, *words, name="a.png"):
        result = self.succeed(*words, "-o", name)
        self.assertEqual(result.out, b"")
        return (self.folder / name).read_bytes()

    def test_is_a_png_that_tells_its_command(self):
        chunks = png_chunks(self.picture(TIRED, *ONE))
        self.assertEqual((chunks[0][0], chunks[-1][0]), ("IHDR", "IEND"))
        told = b"\n".join(content for name, content in chunks if name in ("tEXt", "iTXt"))
        self.assertIn(b"--layer 3 --head 1", told)
        self.assertIn(b"The animal", told)

    def test_a_text_in_any_script_is_kept_in_the_command(self):
        chunks = png_chunks(self.picture("Größe 猫", *ONE))
        told = b"\n".join(content for name, content in chunks if name in ("tEXt", "iTXt"))
        self.assertTrue("Größe 猫".encode() in told or "Größe".encode("latin-1") in told, told)

    def test_options_change_the_picture(self):
        plain = self.picture(TIRED, *ONE)
        for words in [["--dark"], ["--values"], ["--words"], ["--hide-special"], ["--scale", "log"], ["--scale", "row"], ["--scale", "robust"],
                      ["--vmax", "0.5"], ["--cmap", "greys"], ["--dpi", "192"], ["--width", "900"]]:
            with self.subTest(words):
                changed = self.picture(TIRED, *ONE, *words)
                pixels = [content for name, content in png_chunks(changed) if name == "IDAT"]
                self.assertNotEqual(pixels, [content for name, content in png_chunks(plain) if name == "IDAT"])

    def test_dpi_and_width_set_the_size(self):
        width, height = png_size(self.picture(TIRED, *ONE))
        double, double_height = png_size(self.picture(TIRED, *ONE, "--dpi", "192"))
        self.assertTrue(abs(double - 2 * width) <= 2 and abs(double_height - 2 * height) <= 2, (width, height, double, double_height))
        wanted, _ = png_size(self.picture(TIRED, *ONE, "--width", "900"))
        self.assertTrue(abs(wanted - 900) <= 40, wanted)

    def test_a_grid_and_the_overview(self):
        grid = png_size(self.picture(TIRED, "--layer", "0-2,5", "--head", "all"))
        overview = png_size(self.picture(TIRED))
        self.assertEqual(grid[0], overview[0])  # twelve heads across in both
        self.assertLess(grid[1], overview[1])  # four layers down against six

    def test_a_pair(self):
        self.picture("A first sentence.", "And its pair.", "--layer", "2", "--head", "7")

    def test_to_stdout(self):
        result = self.succeed(TIRED, *ONE, "-f", "png", "-o", "-")
        self.assertEqual(png_chunks(result.out)[0][0], "IHDR")
        self.assertEqual(self.listing(), [])

    def test_an_unasked_for_picture_never_goes_to_a_terminal_or_a_pipe_by_itself(self):
        self.assertTrue(self.succeed(TIRED, *ONE).out.startswith(b"{"))


class Formats(CliTest):
    def test_by_extension(self):
        for name, opening in [("a.json", b"{"), ("a.csv", b"layer,head,"), ("a.jsonl", b"{"), ("a.npz", b"PK"), ("a.png", b"\x89PNG"), ("A.PNG", b"\x89PNG"), ("a.txt", b"")]:
            with self.subTest(name):
                self.succeed(TIRED, *ONE, "-o", name)
                content = (self.folder / name).read_bytes()
                self.assertTrue(content.startswith(opening) and content, content[:40])

    def test_a_file_holds_what_the_pipe_gives(self):
        for kind in ["json", "csv"]:
            self.succeed(TIRED, *ONE, "-o", f"a.{kind}")
            piped = self.succeed(TIRED, *ONE, "-f", kind).out
            content = (self.folder / f"a.{kind}").read_bytes()
            if kind == "json":  # up to the command, which names the file
                content, piped = content.split(b'"command"')[0], piped.split(b'"command"')[0]
            self.assertEqual(content, piped)

    def test_timings_are_beside_the_result(self):
        plain = self.succeed(TIRED, "--layer", "3", "--head", "1", "-f", "json")
        timed = self.attnviz(TIRED, "--layer", "3", "--head", "1", "-f", "json", "--timings")
        self.assertEqual((timed.code, timed.out), (0, plain.out), timed)
        stages = [line.split() for line in timed.message.splitlines()]
        self.assertEqual([stage[0] for stage in stages], STAGES, timed)
        self.assertAlmostEqual(sum(float(stage[1]) for stage in stages[:-1]), float(stages[-1][1]), delta=0.05 * len(stages))

    def test_a_text_file_has_no_colour_codes(self):
        self.succeed(TIRED, *ONE, "-o", "a.txt")
        content = (self.folder / "a.txt").read_text()
        self.assertNotIn("\x1b", content)
        self.assertIn("animal", content)

    def test_format_wins_over_extension(self):
        self.succeed(TIRED, *ONE, "-f", "csv", "-o", "a.data")
        self.assertTrue((self.folder / "a.data").read_bytes().startswith(b"layer,head,"))

    def test_an_old_file_is_replaced_and_nothing_stays_beside_it(self):
        self.write("a.json", "old")
        self.succeed(TIRED, *ONE, "-o", "a.json")
        self.assertTrue((self.folder / "a.json").read_bytes().startswith(b"{"))
        self.assertEqual(self.listing(), ["a.json"])

    def test_files_get_the_usual_permissions(self):
        self.succeed(TIRED, *ONE, "-o", "a.png")
        mask = os.umask(0)
        os.umask(mask)
        self.assertEqual((self.folder / "a.png").stat().st_mode & 0o777, 0o666 & ~mask)


class PlacesThatCannotBeWritten(CliTest):
    def test_a_folder_that_is_not_there(self):
        self.fail_with(1, ["gone/a.png", "folder"], TIRED, *ONE, "-o", "gone/a.png")
        self.assertEqual(self.listing(), [])

    def test_a_folder_in_the_files_place(self):
        (self.folder / "a.png").mkdir()
        self.fail_with(1, ["a.png", "folder"], TIRED, *ONE, "-o", "a.png")

    def test_a_file_in_the_folders_place(self):
        self.write("a", "a file")
        self.fail_with(1, ["a/b.png"], TIRED, *ONE, "-o", "a/b.png")

    def test_a_file_system_that_refuses(self):
        self.fail_with(1, ["/proc/a.json"], TIRED, *ONE, "-o", "/proc/a.json")

    def test_a_wrong_place_is_found_before_the_model_is(self):
        self.fail_with(1, ["gone/a.png"], TIRED, *ONE, "-m", str(self.folder / "no-model"), "-o", "gone/a.png")

    @unittest.skipUnless(pathlib.Path("/dev/full").exists(), "no /dev/full")
    def test_a_full_disk_behind_a_stream(self):
        for kind in ["json", "csv", "png", "term"]:
            with self.subTest(kind):
                result = self.shell(f'"$ATTNVIZ" "{TIRED}" --layer 3 --head 1 -f {kind} -o - > /dev/full')
                self.assertEqual(result.code, 1, result)
                self.assertTrue(result.message.startswith("attnviz: ") and "No space left" in result.message, result)

    @unittest.skipUnless(pathlib.Path("/dev/full").exists(), "no /dev/full")
    def test_a_full_disk_behind_a_name(self):
        self.fail_with(1, ["No space left"], TIRED, *ONE, "-f", "json", "-o", "/dev/full")

    def test_a_closed_stdout(self):
        result = self.shell(f'"$ATTNVIZ" "{TIRED}" --layer 3 --head 1 >&-')
        self.assertEqual(result.code, 1, result)
        self.assertTrue(result.message.startswith("attnviz: "), result)

    def test_help_on_a_full_disk(self):
        for words in ["--help", "--version", "models", "info"]:
            with self.subTest(words):
                self.assertEqual(self.shell(f'"$ATTNVIZ" {words} > /dev/full').code, 1)


class ReadersThatGoAway(CliTest):
    """A closed pipe is a normal end: no message, exit code 0."""

    def test_head(self):
        long_text = " ".join([TIRED] * 12)
        for kind in ["json", "csv", "png", "term"]:
            with self.subTest(kind):
                result = self.shell(f'"$ATTNVIZ" "{long_text}" -f {kind} -o - | head -c 1 >/dev/null; echo "${{PIPESTATUS[0]}}"')
                self.assertEqual((result.out, result.err), (b"0\n", b""), result)

    def test_head_of_a_listing(self):
        result = self.shell('"$ATTNVIZ" --help | head -1; echo "${PIPESTATUS[0]}"')
        self.assertEqual((result.text.splitlines()[-1], result.err), ("0", b""), result)

    def test_a_reader_that_never_reads(self):
        result = self.shell(f'"$ATTNVIZ" "{TIRED}" | true; echo "${{PIPESTATUS[0]}}"')
        self.assertEqual((result.out, result.err), (b"0\n", b""), result)


class Pipes(CliTest):
    def test_json_into_python(self):
        result = self.shell(f'"$ATTNVIZ" "{TIRED}" --layer 3 --head 1 | /usr/bin/python3 -c \'import json,sys; print(json.load(sys.stdin)["maps"][0]["head"])\'')
        self.assertEqual((result.code, result.out, result.err), (0, b"1\n", b""), result)

    def test_a_named_pipe_is_written_to(self):
        os.mkfifo(self.folder / "pipe.json")
        result = self.shell(f'timeout 20 cat pipe.json > copy & "$ATTNVIZ" "{TIRED}" --layer 3 --head 1 -o pipe.json; wait')
        self.assertEqual((result.code, result.err), (0, b""), result)
        self.assertTrue((self.folder / "copy").read_bytes().startswith(b"{"))


if __name__ == "__main__":
    unittest.main()
