"""attnviz batch: one output a line and head, under names that sort and never collide; a bad line stops nothing but itself."""
import json
import os
import select
import subprocess
import unittest

import jsonschema
from harness import STAGES, PROGRAM, ROOT, SECONDS, TIRED, WIDE, CliTest
from tiny_model import tensor_shapes, write_tiny_model

SCHEMA = json.loads((ROOT / "docs" / "attention.schema.json").read_text())


class Batch(CliTest):
    def batch(self, text, *words, **options):
        return self.attnviz("batch", self.write("lines.txt", text), *words, **options)

    def names(self, folder="maps"):
        return [name.removeprefix(folder + "/") for name in self.listing() if name.startswith(folder + "/")]

    def test_one_picture_a_line_and_head(self):
        result = self.batch(f"{TIRED}\n{WIDE}\n", "--layer", "3", "--head", "1,5", "-o", "maps/")
        self.assertEqual((result.code, result.out), (0, b""), result)
        self.assertEqual(self.names(), ["000001-L03-H01.png", "000001-L03-H05.png", "000002-L03-H01.png", "000002-L03-H05.png"])
        for name in self.names():
            self.assertTrue((self.folder / "maps" / name).read_bytes().startswith(b"\x89PNG"))

    def test_each_map_is_what_a_single_run_gives(self):
        self.batch(f"A short line.\n{TIRED}\n", "--layer", "3", "--head", "1", "-o", "maps", "-f", "json")
        alone = self.succeed(TIRED, "--layer", "3", "--head", "1").json()
        (second,) = [name for name in self.names() if name.startswith("000002")]
        document = json.loads((self.folder / "maps" / second).read_text())
        self.assertEqual((document["texts"], document["maps"]), ([TIRED], alone["maps"]))

    def test_csv(self):
        self.batch("A line.\n", "--layer", "0", "--head", "0", "-o", "maps", "-f", "csv")
        (name,) = self.names()
        self.assertTrue(name.endswith(".csv"))
        self.assertTrue((self.folder / "maps" / name).read_text().startswith("layer,head,"))

    def test_from_a_pipe(self):
        result = self.attnviz("batch", "-", "--layer", "3", "--head", "1", "-o", "maps", stdin=f"{TIRED}\n".encode())
        self.assertEqual(result.code, 0, result)
        self.assertEqual(self.names(), ["000001-L03-H01.png"])

    def test_no_newline_at_the_end_and_dos_line_ends(self):
        result = self.batch("one line\r\nand another", "--layer", "0", "--head", "0", "-o", "maps", "-f", "json")
        self.assertEqual(result.code, 0, result)
        texts = [json.loads((self.folder / "maps" / name).read_text())["texts"] for name in self.names()]
        self.assertEqual(texts, [["one line"], ["and another"]])

    def test_a_bad_line_is_named_and_the_others_are_made(self):
        lines = ["good one", "", "cat " * 600, "good two"]
        result = self.batch("\n".join(lines) + "\n", "--layer", "0", "--head", "0", "-o", "maps")
        self.assertEqual(result.code, 1, result)
        self.assertEqual(self.names(), ["000001-L00-H00.png", "000004-L00-H00.png"])
        bad = [line for line in result.message.splitlines() if line.startswith("attnviz: ")]
        for part in ["line 2", "line 3", "512"]:
            self.assertTrue(any(part in line for line in bad), result)
        self.assertFalse(any("line 1:" in line or "line 4:" in line for line in bad), result)

    def test_an_invalid_line_is_named(self):
        result = self.batch(b"good\nnot \xff good\n", "--layer", "0", "--head", "0", "-o", "maps")
        self.assertEqual(result.code, 1, result)
        self.assertIn("line 2", result.message)
        self.assertEqual(self.names(), ["000001-L00-H00.png"])

    def test_a_line_too_long_for_a_whole_map_is_named(self):
        shapes = tensor_shapes()
        shapes["embeddings.position_embeddings.weight"][0] = 5000
        model = write_tiny_model(self.folder / "tiny", {"max_position_embeddings": 5000}, shapes)
        text = "the cat\n" + "the " * 4200 + "\nthe cat sat\n"
        result = self.batch(text, "-m", model, "--layer", "0", "--head", "0", "-o", "maps", "-f", "csv")
        self.assertEqual(result.code, 1, result)
        self.assertIn("lines.txt: line 2: text: a map of 4202 x 4202 tokens is too large", result.message)
        self.assertIn("2 of 3 lines done", result.message)
        self.assertEqual(self.names(), ["000001-L00-H00.csv", "000003-L00-H00.csv"])

    def test_a_line_with_too_many_maps_is_named(self):
        shapes = tensor_shapes()
        shapes["embeddings.position_embeddings.weight"][0] = 4000
        model = write_tiny_model(self.folder / "tiny", {"max_position_embeddings": 4000}, shapes)
        result = self.batch("the cat\n" + "the " * 3600 + "\n", "-m", model, "-o", "maps", "-f", "csv")
        self.assertEqual(result.code, 1, result)
        self.assertIn("line 2: text: 15 maps of 3602 x 3602 tokens are more than can be kept", result.message)
        self.assertIn("--head", result.message)
        self.assertEqual(len(self.names()), 15)

    def test_weights_cut_short_while_they_are_mapped(self):
        """The first line's output is a pipe that is not read until the file is cut; the second line then needs its bytes."""
        shapes = tensor_shapes()
        shapes["embeddings.position_embeddings.weight"][0] = 2000
        model = write_tiny_model(self.folder / "tiny", {"max_position_embeddings": 2000}, shapes)
        (self.folder / "maps").mkdir()
        os.mkfifo(self.folder / "maps" / "000001-L02-H00.csv")
        pipe = os.open(self.folder / "maps" / "000001-L02-H00.csv", os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, pipe)
        lines = self.write("lines.txt", ("the " * 1500 + "\n") * 2)
        command = [PROGRAM, "batch", lines, "-m", model, "--layer", "2", "--head", "0", "-o", "maps", "-f", "csv"]
        with subprocess.Popen(command, cwd=self.folder, env=self.environment(), stderr=subprocess.PIPE) as process:
            self.assertTrue(select.select([pipe], [], [], SECONDS)[0])
            os.truncate(model / "model.safetensors", 0)
            os.set_blocking(pipe, True)
            while os.read(pipe, 1 << 16):
                pass
            message = process.stderr.read().decode()
        self.assertEqual(process.returncode, 1, message)
        self.assertTrue(message.startswith("attnviz: a file of the model became shorter"), message)
        self.assertEqual(len(message.splitlines()), 1, message)

    def test_nothing_in_the_file(self):
        result = self.batch("", "--layer", "0", "--head", "0", "-o", "maps")
        self.assertEqual(result.code, 1, result)
        self.assertEqual(self.names(), [])

    def test_a_missing_file(self):
        self.fail_with(1, ["gone.txt"], "batch", "gone.txt", "--layer", "0", "--head", "0", "-o", "maps")
        self.assertEqual(self.listing(), [])

    def test_a_file_in_the_folders_place(self):
        self.write("maps", "a file")
        result = self.batch("a line\n", "--layer", "0", "--head", "0", "-o", "maps")
        self.assertEqual(result.code, 1, result)
        self.assertIn("maps", result.message)
        self.assertEqual((self.folder / "maps").read_text(), "a file")

    def test_the_folder_must_be_given(self):
        result = self.batch("a line\n", "--layer", "0", "--head", "0")
        self.assertEqual(result.code, 2, result)

    def test_names_of_many_lines_sort_as_the_lines_do(self):
        lines = [f"line number {n}" for n in range(1, 13)]
        self.batch("\n".join(lines), "--layer", "0", "--head", "0,11", "-o", "maps", "-f", "json")
        found = [json.loads((self.folder / "maps" / name).read_text()) for name in sorted(self.names())]
        self.assertEqual([(d["texts"][0], d["maps"][0]["head"]) for d in found], [(line, head) for line in lines for head in (0, 11)])

    def test_threads_change_no_byte(self):
        text = f"{TIRED}\n{WIDE}\n\nA third, short line.\n" + "".join(f"Line {n} of many.\n" for n in range(20)) + "\n"
        seen = []
        for threads in ("1", "2", "3"):
            result = self.batch(text, "--layer", "3", "--head", "1,2", "-o", "maps", "--threads", threads)
            files = {name: (self.folder / "maps" / name).read_bytes() for name in self.names()}
            self.assertEqual(len(files), 2 * 23, result)
            seen.append((result.code, result.err, files))
        self.assertTrue(seen[0] == seen[1] == seen[2], "the bytes differ")
        self.assertLess(seen[0][1].index(b"line 3:"), seen[0][1].index(b"line 25:"))

    def test_a_line_of_json_a_line(self):
        result = self.batch(f"{TIRED}\n\nA short line.\n", "--layer", "3", "--head", "1,5", "-f", "jsonl")
        self.assertEqual(result.code, 1, result)
        good, bad, short = map(json.loads, result.text.splitlines())
        alone = self.succeed(TIRED, "--layer", "3", "--head", "1,5").json()
        self.assertEqual((good["line"], bad["line"], short["line"]), (1, 2, 3))
        self.assertEqual({**good, "line": 0, "command": ""}, {**alone, "line": 0, "command": ""})
        self.assertEqual((sorted(bad), sorted(bad["error"]), bad["error"]["kind"]), (["error", "line"], ["kind", "message"], "input"))
        self.assertIn("is empty", bad["error"]["message"])
        self.assertEqual(short["texts"], ["A short line."])
        jsonschema.Draft202012Validator(SCHEMA).validate(good)

    def test_lines_of_json_into_a_file_whatever_the_threads(self):
        text = "".join(f"Line {n} of {'very ' * (n % 5)}many.\n" for n in range(30))
        seen = set()
        for threads in ("1", "2", "3"):
            result = self.batch(text, "--layer", "all", "--head", "all", "-o", "maps.jsonl", "--threads", threads)
            self.assertEqual((result.code, result.out), (0, b""), result)
            seen.add((self.folder / "maps.jsonl").read_bytes())
        self.assertEqual(len(seen), 1)
        documents = [json.loads(line) for line in seen.pop().splitlines()]
        self.assertEqual([document["line"] for document in documents], list(range(1, 31)))
        self.assertEqual({len(document["maps"]) for document in documents}, {72})
        self.assertEqual(self.listing(), ["lines.txt", "maps.jsonl"])

    def test_a_reader_that_stops_is_a_normal_end(self):
        self.write("lines.txt", "A line of text.\n" * 3000)
        result = self.shell("$ATTNVIZ batch lines.txt -q -f jsonl | head -n 1 | wc -l")
        self.assertEqual((result.code, result.err, result.text.strip()), (0, b"", "1"), result)

    def test_nothing_but_special_tokens_to_hide_costs_that_line_alone(self):
        result = self.batch("[SEP]\nA word.\n", "--layer", "0", "--head", "0", "--hide-special", "-o", "maps")
        self.assertEqual((result.code, self.names()), (1, ["000002-L00-H00.png"]), result)
        self.assertIn("line 1: ", result.message)

    def test_timings_go_to_stderr(self):
        result = self.batch("A word.\n", "--layer", "0", "--head", "0", "-q", "--timings", "-f", "jsonl")
        self.assertEqual([line.split()[0] for line in result.message.splitlines()], STAGES, result)
        self.assertEqual(len(result.text.splitlines()), 1)


if __name__ == "__main__":
    unittest.main()
