"""attnviz render: our own JSON and NPZ drawn again, plain numbers of anyone, and what is refused of them."""
import json
import math
import shlex
import struct
import sys
import unittest

from harness import IT, TIRED, CliTest, only_map

import numpy

ONE = ["--layer", "3", "--head", "1"]
SOME = ["--layer", "1,3", "--head", "0-2"]
PAIR = ["The cat sat.", "It was tired."]
VARIANTS = [
    [TIRED, *SOME], [*PAIR, *SOME], [TIRED, *SOME, "--words"], [TIRED, *SOME, "--hide-special"], [TIRED, *SOME, "--words", "--hide-special"],
    [TIRED, *SOME, "--focus", "it"], [TIRED, *SOME, "--focus", "it", "--words"], [TIRED, *SOME, "--rows", "3-7"],
    [TIRED, *SOME, "--cols", "it-too"], [TIRED, *SOME, "--pool", "4"], [TIRED, *SOME, "--pool", "4", "--pool-by", "mean"],
    [TIRED, *SOME, "--reduce", "mean"], [TIRED, *SOME, "--reduce", "max", "--reduce-over", "heads"], [TIRED, *SOME, "--reduce", "mean", "--reduce-over", "layers", "--words"],
    ["日本 \U0001F642 <b>&\"'\\ \u202e x", *ONE], [TIRED, "--layer", "all", "--head", "all"],
]
PLAIN = [[[1, 0, 0], [0.25, 0.75, 0], [0.5, 0.125, 0.375]], [[1, 0, 0], [0.5, 0.5, 0], [0, 0, 1]]]


def softmax(shape, seed=0):
    scores = numpy.random.default_rng(seed).standard_normal(shape) * 2
    weights = numpy.exp(scores)
    return weights / weights.sum(axis=-1, keepdims=True)


def png_chunks(data):
    """(kind, content) of every chunk."""
    at = 8
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        yield data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        at += 12 + size


def picture_of(data):
    return [chunk for chunk in png_chunks(data) if chunk[0] not in (b"tEXt", b"iTXt", b"zTXt")]


def without_commands(document):
    return {key: value for key, value in document.items() if key not in ("command", "source_command")}


class OwnFiles(CliTest):
    def test_json_comes_back_as_the_same_document(self):
        for words in VARIANTS:
            with self.subTest(words=words):
                bytes_before = self.succeed(*words, "-f", "json").out
                before = json.loads(bytes_before)
                after = self.succeed("render", "-", "-f", "json", stdin=bytes_before).json()
                self.assertEqual(without_commands(after), without_commands(before))
                self.assertEqual(list(after)[:-1], list(before), "the fields, and one more behind them")
                self.assertEqual(after["source_command"], before["command"])
                self.assertEqual(after["command"], "attnviz render - -f json")

    def test_npz_comes_back_as_the_same_document(self):
        for words in VARIANTS:
            with self.subTest(words=words):
                before = self.succeed(*words, "-f", "json").json()
                (self.folder / "maps.npz").write_bytes(self.succeed(*words, "-f", "npz").out)
                after = self.succeed("render", "maps.npz", "-f", "json").json()
                self.assertEqual(without_commands(after), without_commands(before))
                again = self.succeed("render", "maps.npz", "-f", "npz").out
                self.write("again.npz", again)
                self.assertEqual(without_commands(self.succeed("render", "again.npz").json()), without_commands(before))

    def test_a_second_time_changes_nothing_but_the_command(self):
        first = self.succeed(TIRED, *ONE, "-f", "json").out
        second = self.succeed("render", "-", "-f", "json", stdin=first).out
        third = self.succeed("render", "-", "-f", "json", stdin=second).out
        self.assertEqual(third, second)

    def test_the_picture_is_the_one_that_is_drawn_directly(self):
        looks = ["--values", "--dark", "--scale", "row", "--cmap", "greens"]
        for words, style in [([TIRED, *ONE], []), ([*PAIR, *ONE], []), ([TIRED, *ONE, "--focus", "it"], []), ([TIRED, *ONE, "--pool", "5"], []),
                             ([TIRED, *SOME, "--words"], []), ([TIRED, *ONE], looks)]:
            with self.subTest(words=words, style=style):
                maps = self.succeed(*words, "-f", "json").out
                drawn = self.succeed("render", "-", "-q", "-f", "png", *style, stdin=maps).out
                self.assertEqual(picture_of(drawn), picture_of(self.succeed(*words, *style, "-q", "-f", "png").out))
                self.assertIn(b"attnviz render - -f png", drawn)

    def test_every_format_is_the_one_that_is_written_directly(self):
        maps = self.succeed(TIRED, *SOME, "-f", "json").out
        for kind in ["csv", "term"]:
            self.assertEqual(self.succeed("render", "-", "-f", kind, stdin=maps).out, self.succeed(TIRED, *SOME, "-f", kind).out)
        line = self.succeed("render", "-", "-f", "jsonl", stdin=maps).out
        self.assertEqual(without_commands(json.loads(line)), without_commands(json.loads(maps)))
        self.assertEqual(line.count(b"\n"), 1)

    def test_views_are_those_of_the_text(self):
        maps = self.write("maps.json", self.succeed(TIRED, *SOME, "-f", "json").out)
        for view in [["--words"], ["--hide-special"], ["--words", "--hide-special"], ["--rows", "3-7"], ["--cols", "it-too"], ["--focus", "it"],
                     ["--pool", "4"], ["--pool", "4", "--pool-by", "mean"], ["--focus", "animal", "--words"], ["--rows", "it", "--cols", "@2"], ["--reduce", "mean"], ["--row", "it"],
                     ["--reduce", "max", "--reduce-over", "layers", "--words"]]:
            with self.subTest(view=view):
                direct = self.succeed(TIRED, *SOME, *view).json()
                self.assertEqual(without_commands(self.succeed("render", maps, *view).json()), without_commands(direct))
        self.assertEqual(self.succeed("render", maps, *ONE, "-f", "csv").out, self.succeed(TIRED, *ONE, "-f", "csv").out)

    def test_a_view_is_not_done_twice(self):
        words = self.succeed(TIRED, *ONE, "--words", "--hide-special").out
        again = self.succeed("render", "-", "--words", "--hide-special", stdin=words).json()
        self.assertEqual(without_commands(again), without_commands(json.loads(words)))

    def test_what_a_file_has_lost_is_not_made_up(self):
        cases = [
            (["--rows", "3-7"], ["--cols", "1"], ["--cols:", "a part of its maps"]), (["--pool", "4"], ["--rows", "1"], ["--rows:", "tiles"]),
            (["--pool", "4"], ["--words"], ["--words:", "holds tiles"]), (["--pool", "4"], ["--hide-special"], ["--hide-special:", "holds tiles"]),
            (["--words"], ["--focus", "it"], ["--focus:", "holds words"]), (["--hide-special"], ["--pool", "2"], ["--pool:", "special tokens"]),
        ]
        for made_with, asked, parts in cases:
            with self.subTest(made_with=made_with, asked=asked):
                maps = self.succeed(TIRED, *ONE, *made_with).out
                self.fail_with(1, parts, "render", "-", *asked, stdin=maps)

    def test_what_is_drawn_of_a_map_is_as_with_the_text(self):
        maps = self.write("maps.json", self.succeed(TIRED, *ONE, "-f", "json").out)
        for view in [["--view", "lines"], ["--row", "it"], ["--view", "text", "--row", "it#1"], ["--highlight", "it:animal"],
                     ["--rows", "3-12", "--highlight", "it:animal"], ["--view", "lines", "--row", "it", "--cols", "1-9"], ["--focus", "it", "--highlight", "it:animal"]]:
            for kind in ("svg", "png"):
                with self.subTest(view=view, kind=kind):
                    direct = self.succeed(TIRED, *ONE, *view, "-q", "-f", kind).out
                    drawn = self.succeed("render", maps, *view, "-q", "-f", kind).out
                    if kind == "png":
                        self.assertEqual(picture_of(drawn), picture_of(direct))
                    else:
                        self.assertEqual([line for line in drawn.splitlines() if b"attnviz render" not in line],
                                         [line for line in direct.splitlines() if b"attnviz " not in line])
        self.fail_with(2, ["--row: conflicts with --focus"], "render", maps, "--row", "it", "--focus", "it", "-f", "png")
        self.fail_with(1, ["is not in the text"], "render", maps, "--highlight", "it:dog", "-f", "png")

    def test_maps_that_stand_for_several(self):
        maps = self.write("maps.json", self.succeed(TIRED, *SOME, "--reduce", "mean", "--reduce-over", "heads").out)
        self.assertEqual(len(self.succeed("render", maps, "--layer", "3").json()["maps"]), 1)
        self.fail_with(2, ["--head 0: each map of", "combines several heads"], "render", maps, "--head", "0")
        self.fail_with(1, ["--reduce: the maps are already a mean of several"], "render", maps, "--reduce", "max")

    def test_layers_and_heads_are_those_of_the_file(self):
        maps = self.write("maps.json", self.succeed(TIRED, *SOME).out)
        chosen = self.succeed("render", maps, "--layer", "3", "--head", "0,2").json()
        self.assertEqual([(one["layer"], one["head"]) for one in chosen["maps"]], [(3, 0), (3, 2)])
        self.fail_with(2, ['--layer "2": there is no 2; ', "maps.json has these layers: 1, 3"], "render", maps, "--layer", "2")
        self.fail_with(2, ['--head "0-5": there is no 3; ', "these heads: 0-2"], "render", maps, "--head", "0-5")
        self.fail_with(2, ["is not a list of numbers"], "render", maps, "--head", "x")
        document = json.loads(maps.read_bytes())
        document["maps"] = [one for one in document["maps"] if (one["layer"], one["head"]) in [(1, 0), (3, 2)]]
        self.write("two.json", json.dumps(document))
        self.assertEqual(len(self.succeed("render", "two.json").json()["maps"]), 2)
        self.assertEqual(self.attnviz("render", "two.json", "-o", "two.png").code, 0)
        self.fail_with(2, ["--layer 1 --head 2: two.json has no such map"], "render", "two.json", "--layer", "1", "--head", "2")

    def test_a_line_of_a_batch(self):
        self.write("lines.txt", f"One.\n\n{TIRED}\n")
        lines = self.attnviz("batch", "lines.txt", "-q", *ONE, "-f", "jsonl").out
        self.write("maps.jsonl", lines)
        drawn = self.succeed("render", "maps.jsonl", "--line", "3").json()
        self.assertEqual(without_commands(drawn), without_commands(self.succeed(TIRED, *ONE).json()))
        self.assertEqual(self.succeed("render", "-", stdin=lines.splitlines()[0]).json()["texts"], ["One."])
        self.fail_with(1, ["maps.jsonl: holds more than one document", "--line"], "render", "maps.jsonl")
        self.fail_with(1, ["maps.jsonl: line 2: is the error record of a line", "is empty"], "render", "maps.jsonl", "--line", "2")
        self.fail_with(1, ["maps.jsonl: has no line 4; expected 1 to 3"], "render", "maps.jsonl", "--line", "4")
        self.fail_with(2, ["--line"], "render", "maps.jsonl", "--line", "0")

    def test_fields_that_are_not_known_are_named(self):
        document = self.succeed(TIRED, *ONE).json()
        self.write("maps.json", json.dumps({**document, "author": "me"}))
        result = self.attnviz("render", "maps.json")
        self.assertEqual((result.code, result.message), (0, 'attnviz: note: maps.json: field "author" is not known and was left out\n'), result)
        self.succeed("render", "maps.json", "-q")

    def test_what_was_generated_stays_marked(self):
        text = ["Once upon a time", "-m", "smollm2-135m", "--generate", "2", "--layer", "0", "--head", "0"]
        before = self.attnviz(*text)
        self.assertEqual(before.code, 0, before)
        after = self.succeed("render", "-", stdin=before.out).json()
        self.assertEqual(without_commands(after), without_commands(before.json()))
        self.assertEqual([token.get("generated", False) for token in after["queries"]][-2:], [True, True])

    def test_numpy_may_save_the_archive_again(self):
        before = self.succeed(TIRED, *SOME, "-f", "json").json()
        (self.folder / "maps.npz").write_bytes(self.succeed(TIRED, *SOME, "-f", "npz").out)
        with numpy.load(self.folder / "maps.npz", allow_pickle=False) as arrays:
            same = dict(arrays)
        other = {**same, "maps": same["maps"].astype(">f8"), "layers": same["layers"].astype(numpy.int32), "heads": same["heads"].astype(numpy.uint8)}
        for save in (numpy.savez, numpy.savez_compressed):
            for arrays in (same, other, {**same, "maps": numpy.asfortranarray(same["maps"])}):
                save(self.folder / "again.npz", **arrays)
                self.assertEqual(without_commands(self.succeed("render", "again.npz", "-f", "json").json()), without_commands(before))


class PlainNumbers(CliTest):
    def drawn(self, *words, **options):
        return self.succeed("render", *words, "-f", "json", **options).json()

    def weights(self, document):
        return numpy.array([one["weights"] for one in document["maps"]], dtype=numpy.float32)

    def test_lists_of_every_depth(self):
        cases = [
            (PLAIN[0], [(0, 0)]), (PLAIN, [(0, 0), (0, 1)]), ([PLAIN], [(0, 0), (0, 1)]), ([[one] for one in PLAIN], [(0, 0), (1, 0)]),
            ([[PLAIN]], [(0, 0), (0, 1)]), ([[PLAIN], [PLAIN]], [(0, 0), (0, 1), (1, 0), (1, 1)]),
        ]
        for lists, places in cases:
            document = self.drawn("-", stdin=json.dumps(lists).encode())
            self.assertEqual([(one["layer"], one["head"]) for one in document["maps"]], places)
            self.assertEqual(document["maps"][0]["weights"], PLAIN[0])
            self.assertEqual(document["model"], {"name": "standard input", "family": "unknown", "layers": places[-1][0] + 1, "heads": places[-1][1] + 1})
            self.assertEqual([token["text"] for token in document["queries"]], ["0", "1", "2"])
            self.assertEqual((document["texts"], document["queries"][0]["id"], document["queries"][0]["word"]), ([], None, None))

    def test_output_attentions_as_json(self):
        """A tuple of a tensor a layer, each [batch 1][heads][queries][keys], written as people write it: .tolist()."""
        attentions = [softmax((1, 4, 13, 13), layer).astype(numpy.float32) for layer in range(3)]
        self.write("a.json", json.dumps([one.tolist() for one in attentions]))
        document = self.drawn("a.json", "--tokens", ",".join("abcdefghijklm"))
        self.assertEqual([(one["layer"], one["head"]) for one in document["maps"]], [(layer, head) for layer in range(3) for head in range(4)])
        numpy.testing.assert_array_equal(self.weights(document), numpy.concatenate(attentions).reshape(12, 13, 13))
        self.assertEqual([token["text"] for token in document["keys"]], list("abcdefghijklm"))
        for precision in (numpy.float16, numpy.float64):
            self.write("a.json", json.dumps([one.astype(precision).tolist() for one in attentions]))
            self.succeed("render", "a.json")
        for digits in (3, 4, 6):
            self.write("a.json", json.dumps([numpy.round(one.astype(float), digits).tolist() for one in attentions]))
            self.succeed("render", "a.json")

    def test_arrays_of_every_type_and_order(self):
        weights = softmax((2, 3, 5, 5))
        expected = weights.reshape(6, 5, 5)
        for kind in ("<f2", ">f2", "<f4", ">f4", "<f8", ">f8"):
            for order in "CF":
                array = weights.astype(kind).copy(order=order)
                numpy.save(self.folder / "a.npy", array)
                document = self.drawn("a.npy")
                self.assertEqual([(one["layer"], one["head"]) for one in document["maps"]][-1], (1, 2))
                numpy.testing.assert_array_equal(self.weights(document), expected.astype(kind).astype(numpy.float32), f"{kind} {order}")

    def test_versions_and_ranks_of_npy(self):
        weights = softmax((4, 4)).astype(numpy.float32)
        for version in ((1, 0), (2, 0), (3, 0)):
            with open(self.folder / "a.npy", "wb") as file:
                numpy.lib.format.write_array(file, weights, version=version)
            numpy.testing.assert_array_equal(self.weights(self.drawn("a.npy"))[0], weights)
        for shape in ((1, 4, 4), (1, 1, 4, 4), (1, 1, 1, 4, 4)):
            numpy.save(self.folder / "a.npy", weights.reshape(shape))
            numpy.testing.assert_array_equal(self.weights(self.drawn("a.npy"))[0], weights)

    def test_archives_of_arrays(self):
        weights = softmax((2, 4, 4)).astype(numpy.float32)
        for save in (numpy.savez, numpy.savez_compressed):
            save(self.folder / "one.npz", weights)
            numpy.testing.assert_array_equal(self.weights(self.drawn("one.npz")), weights)
            save(self.folder / "two.npz", a=weights, b=weights[:, ::-1])
            self.fail_with(1, ['two.npz: holds 2 arrays; choose one with --array: "a", "b"'], "render", "two.npz")
            numpy.testing.assert_array_equal(self.weights(self.drawn("two.npz", "--array", "b")), weights[:, ::-1])
            self.fail_with(1, ['has no array "c"; expected one of: "a", "b"'], "render", "two.npz", "--array", "c")

    def test_through_a_pipe(self):
        """NumPy cannot go back in a pipe, and then writes sizes behind the data."""
        for save in ("savez", "savez_compressed"):
            script = f"import sys, numpy; numpy.{save}(sys.stdout.buffer, numpy.eye(3))"
            result = self.shell(f"{shlex.quote(sys.executable)} -c '{script}' | $ATTNVIZ render - -f json")
            self.assertEqual((result.code, result.err), (0, b""), result)
            self.assertEqual(only_map(result.json()), [[1, 0, 0], [0, 1, 0], [0, 0, 1]])
        result = self.shell(f"{shlex.quote(sys.executable)} -c 'import json; print(json.dumps([[1, 0], [0.5, 0.5]]))' | $ATTNVIZ render - --tokens a,b -o a.png")
        self.assertEqual(result.code, 0, result)
        self.assertTrue((self.folder / "a.png").read_bytes().startswith(b"\x89PNG"))

    def test_through_a_pipe_with_a_name(self):
        self.write("a.json", "[[1, 0], [0.5, 0.5]]")
        self.write("t.txt", "it\ntoo\n")
        result = self.shell("$ATTNVIZ render <(cat a.json) --tokens <(cat t.txt) -f json")
        self.assertEqual((result.code, result.err), (0, b""), result)
        self.assertEqual([token["text"] for token in result.json()["keys"]], ["it", "too"])

    def test_the_content_decides_not_the_name(self):
        numpy.save(self.folder / "a.npy", numpy.eye(2))
        numpy.savez(self.folder / "b.npz", numpy.eye(2))
        self.write("c.json", "[[1, 0], [0, 1]]")
        contents = [(self.folder / name).read_bytes() for name in ("a.npy", "b.npz", "c.json")]
        for name in ("x.json", "x.npy", "x.png", "x"):
            for content in contents:
                self.write(name, content)
                self.assertEqual(only_map(self.drawn(name)), [[1, 0], [0, 1]])

    def test_tokens(self):
        self.write("a.json", json.dumps(PLAIN))
        self.write("lines.txt", "[CLS]\r\nĠthe\r\n##ing\r\n")
        self.write("list.json", json.dumps(["[CLS]", "Ġthe", "##ing"]))
        for value in ("lines.txt", "list.json", '["[CLS]", "Ġthe", "##ing"]', "[CLS],Ġthe,##ing", ' [ "[CLS]","Ġthe" , "##ing" ] '):
            document = self.drawn("a.json", "--tokens", value)
            for axis in ("queries", "keys"):
                self.assertEqual([token["text"] for token in document[axis]], ["[CLS]", "Ġthe", "##ing"])
            self.assertEqual({token["kind"] for token in document["keys"]}, {"word"})
            self.assertEqual(document["maps"][0]["kind"], "self")
        shown = self.succeed("render", "a.json", "--head", "1", "--tokens", '["a b", "\\n", "\\u202e"]', "-f", "term").text
        for part in ("a␣b", "↵", "<U+202E>"):
            self.assertIn(part, shown)
        found = self.drawn("a.json", "--tokens", "list.json", "--rows", "Ġthe", "--cols", "[CLS]")
        self.assertEqual(only_map({"maps": found["maps"][:1]}), [[0.25]])

    def test_tokens_that_do_not_fit(self):
        self.write("a.json", json.dumps(PLAIN))
        self.write("four.json", '["a", "b", "c", "d"]')
        self.fail_with(1, ["a.json: its maps have 3 rows (queries); --tokens gives 4 tokens"], "render", "a.json", "--tokens", "four.json")
        self.fail_with(1, ["a.json: its maps have 3 columns (keys); --key-tokens gives 2 tokens"], "render", "a.json", "--key-tokens", "a,b")
        self.fail_with(1, ['--tokens: there is no file "tokens.txt"'], "render", "a.json", "--tokens", "tokens.txt")
        self.fail_with(1, ["--tokens: line 1, column 7: expected a token, a string"], "render", "a.json", "--tokens", '["a", 2]')
        self.write("bad.txt", b"a\n\xff\nc\n")
        self.fail_with(1, ["bad.txt: is not valid UTF-8 at byte 2"], "render", "a.json", "--tokens", "bad.txt")
        maps = self.write("own.json", self.succeed(TIRED, *ONE).out)
        self.fail_with(2, ["--tokens: ", "already has tokens"], "render", maps, "--tokens", "a,b")

    def test_rows_and_columns_of_two_texts(self):
        weights = softmax((2, 3, 5))
        self.write("a.json", json.dumps(weights.tolist()))
        document = self.drawn("a.json", "--tokens", "le,chat,blanc", "--key-tokens", "the,white,cat,sat,.")
        self.assertEqual(([token["text"] for token in document["queries"]], len(document["keys"])), (["le", "chat", "blanc"], 5))
        self.assertEqual({one["kind"] for one in document["maps"]}, {"cross"})
        self.fail_with(1, ["3 rows and 5 columns", "--key-tokens"], "render", "a.json", "--tokens", "le,chat,blanc")
        self.assertEqual([token["text"] for token in self.drawn("a.json")["keys"]], list("01234"))
        self.assertEqual(self.attnviz("render", "a.json", "--head", "1", "--tokens", "le,chat,blanc", "--key-tokens", "a,b,c,d,e", "-o", "a.png").code, 0)
        of_kind = self.drawn("a.json", "--kind", "cross", "--tokens", "le,chat,blanc", "--key-tokens", "the,white,cat,sat,.")
        self.assertEqual(without_commands(of_kind), without_commands(document))
        self.fail_with(2, ["--kind self: a.json has no such attention; expected cross"], "render", "a.json", "--kind", "self")
        for kind in ("json", "npz"):
            again = self.succeed("render", "a.json", "--tokens", "le,chat,blanc", "--key-tokens", "the,white,cat,sat,.", "-f", kind).out
            self.assertEqual(without_commands(self.drawn("-", stdin=again)), without_commands(document))

    def test_what_plain_numbers_do_not_say(self):
        self.write("a.json", json.dumps(PLAIN))
        for option in ("--words", "--hide-special"):
            self.fail_with(1, [f"{option}: a.json holds plain numbers"], "render", "a.json", option)
        self.fail_with(1, ["is JSON, which has no named arrays"], "render", "a.json", "--array", "x")

    def test_layers_count_from_0(self):
        self.write("a.json", json.dumps([PLAIN, PLAIN[::-1]]))
        self.assertEqual(only_map(self.drawn("a.json", "--layer", "1", "--head", "0")), PLAIN[1])
        self.fail_with(2, ['--layer "2": there is no 2; a.json has these layers: 0-1'], "render", "a.json", "--layer", "2")

    def test_the_page_of_the_schema_holds_for_what_is_written(self):
        try:
            import jsonschema
        except ImportError:
            self.skipTest("there is no jsonschema here")
        from harness import ROOT
        schema = json.loads((ROOT / "docs" / "attention.schema.json").read_text(encoding="utf-8"))
        self.write("a.json", json.dumps(PLAIN))
        own = self.succeed(TIRED, *ONE, "--focus", "it").out
        for document in (self.drawn("a.json"), self.drawn("a.json", "--tokens", "a,b,c", "--key-tokens", "d,e,f"), self.drawn("-", stdin=own)):
            jsonschema.validate(document, schema, cls=jsonschema.Draft202012Validator)


class Checks(CliTest):
    def refused(self, value, parts, **changes):
        weights = [[list(row) for row in one] for one in PLAIN]
        weights[1][2][0] = value
        self.write("a.json", json.dumps(weights))
        return self.fail_with(1, ["a.json: layer 0, head 1, row 2 (\"c\")", *parts], "render", "a.json", "--tokens", "a,b,c")

    def test_every_number_is_checked(self):
        self.refused(math.nan, ["column 0 (\"a\"): is not a number", "--force"])
        self.refused(math.inf, ["column 0 (\"a\"): is not finite", "--force"])
        self.refused(-math.inf, ["column 0 (\"a\"): is negative", "--force"])
        self.refused(None, ["is not a number"])
        self.refused(-0.001, ["is negative; expected a weight of 0 to 1, found -0.001"])
        self.refused(0.1, ["sums to 1.1; expected 1 within"])

    def test_only_what_is_drawn_is_checked(self):
        self.refused(math.nan, [])
        self.succeed("render", "a.json", "--head", "0", "-f", "json")

    def test_own_documents_are_checked_too(self):
        document = self.succeed(TIRED, *ONE).json()
        document["maps"][0]["weights"][IT][2] += 0.01
        self.write("a.json", json.dumps(document))
        self.fail_with(1, [f'a.json: layer 3, head 1, row {IT} ("it"): sums to 1.01'], "render", "a.json")
        document["maps"][0]["weights"][IT][2] = math.nan
        self.write("a.json", json.dumps(document))
        self.fail_with(1, [f'row {IT} ("it"), column 2 ("animal"): is not a number'], "render", "a.json")

    def test_force_draws_what_there_is_and_says_so(self):
        self.write("a.json", json.dumps([[0.5, 0.25, 0], [math.nan, -1, math.inf], [0.5, 0.5, 0]]))
        shown = self.succeed("render", "a.json", "--force", "-f", "term").text
        self.assertIn("3 cells are not valid weights; 1 row does not sum to 1", shown)
        self.assertIn("1 ??????", shown)
        for scale in ("linear", "row", "log", "robust"):
            for more in ([], ["--values"], ["--dark"]):
                self.succeed("render", "a.json", "-q", "--force", "--scale", scale, *more, "-o", f"{scale}.png")
        for kind in ("json", "jsonl", "csv", "npz"):
            self.fail_with(1, [f"-f {kind}: layer 0, head 0, row 1, column 0 is not a valid weight"], "render", "a.json", "--force", "-f", kind)
        self.fail_with(1, ["--pool: layer 0, head 0, row 1, column 0 is not a valid weight"], "render", "a.json", "--force", "--pool", "2", "-f", "term")
        part = self.succeed("render", "a.json", "--force", "--rows", "0", "-f", "json").json()
        self.assertEqual(only_map(part), [[0.5, 0.25, 0]])
        self.assertIn("1 row does not sum to 1", part["notes"])

    def test_files_that_are_none(self):
        self.fail_with(1, ["missing.json"], "render", "missing.json")
        self.fail_with(1, [str(self.folder)], "render", str(self.folder))
        self.fail_with(1, ["standard input: is empty"], "render", "-")
        self.fail_with(2, ["FILE"], "render")
        self.fail_with(1, ["standard input: is a PNG picture"], "render", "-", stdin=b"\x89PNG\r\n\x1a\n")
        result = self.attnviz("render", "--help")
        for option in ("--tokens", "--key-tokens", "--line", "--array", "--force", "--layer", "--words", "--cmap"):
            self.assertIn(option, result.text)


if __name__ == "__main__":
    unittest.main()
