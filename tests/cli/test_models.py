"""Models: what info and models say, names and folders, and every way a model folder can be broken."""
import json
import os
import shutil
import struct
import unittest

from harness import DEFAULT_MODEL, PROGRAM, ROOT, TIRED, CliTest
from tiny_model import CONFIG, D_MODEL, N_HEAD, N_LAYER, tensor_shapes, torch_bytes, torch_zip, write_tiny_model

ONE = ["--layer", "0", "--head", "0"]


class Listings(CliTest):
    def test_info(self):
        text = self.succeed("info").text
        for part in ["bert", "6", "12", "384", "30522", "512", "weights"]:
            self.assertIn(part, text)

    def test_info_of_a_folder(self):
        write_tiny_model(self.folder / "tiny")
        text = self.succeed("info", "-m", "tiny").text
        for part in ["bert", str(N_LAYER), str(N_HEAD), str(D_MODEL)]:
            self.assertIn(part, text)

    def test_info_passes_over_what_is_no_file(self):
        tiny = write_tiny_model(self.folder / "tiny")
        (tiny / "folder.json").mkdir()
        (tiny / "link.json").symlink_to("nowhere")
        os.mkfifo(tiny / "pipe.json")
        (tiny / "model.json").symlink_to("config.json")
        text = self.succeed("info", "-m", "tiny").text
        self.assertIn("model.json", text)
        for name in ["folder.json", "link.json", "pipe.json"]:
            self.assertNotIn(name, text)

    def test_models(self):
        text = self.succeed("models").text
        self.assertIn("minilm-l6", text)
        self.assertIn("Apache-2.0", text)


class OddShapes(CliTest):
    """Nothing may take 12 heads, or as many heads as layers, for granted."""

    def setUp(self):
        super().setUp()
        write_tiny_model(self.folder / "tiny")

    def test_all_heads_of_all_layers(self):
        document = self.succeed("The cats sat.", "-m", "tiny").json()
        self.assertEqual([(m["layer"], m["head"]) for m in document["maps"]], [(l, h) for l in range(N_LAYER) for h in range(N_HEAD)])
        self.assertEqual(document["model"], {"name": "tiny", "family": "bert", "layers": N_LAYER, "heads": N_HEAD})

    def test_the_overview_picture(self):
        self.succeed("The cats sat.", "-m", "tiny", "-o", "a.png")

    def test_range_messages_use_the_models_counts(self):
        self.fail_with(2, ["--layer", "3", "0 to 2"], "a", "-m", "tiny", "--layer", "3")
        self.fail_with(2, ["--head", "5", "0 to 4"], "a", "-m", "tiny", "--head", "5")

    def test_limit_of_this_model(self):
        self.fail_with(1, ["32", "24"], "a " * 30, "-m", "tiny", *ONE)

    def test_a_path_with_a_slash_at_the_end_or_through_a_link(self):
        (self.folder / "link").symlink_to("tiny")
        for path in ["tiny/", "./tiny", "link", str(self.folder / "tiny")]:
            with self.subTest(path):
                self.succeed("a", "-m", path, *ONE)

    def test_from_another_folder(self):
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        self.folder = elsewhere
        self.succeed("a", "-m", "../tiny", *ONE)


class TorchFiles(CliTest):
    """The same tensors in pytorch_model.bin, every second matrix transposed, give the same bytes out."""

    def setUp(self):
        super().setUp()
        write_tiny_model(self.folder / "tiny")
        self.before = self.succeed("The cats sat.", "-m", "tiny").out
        self.weights = self.folder / "tiny" / "pytorch_model.bin"
        self.weights.write_bytes(torch_bytes(tensor_shapes()))
        (self.folder / "tiny" / "model.safetensors").unlink()

    def test_same_output(self):
        self.assertEqual(self.succeed("The cats sat.", "-m", "tiny").out, self.before)

    def test_info_names_the_file(self):
        text = self.succeed("info", "-m", "tiny").text
        self.assertIn("pytorch_model.bin (", text)
        self.assertIn(f"{len(tensor_shapes())} tensors", text)

    def test_nothing_is_executed(self):
        call = b"cos\nsystem\n" + torch_zip.tuple_of(torch_zip.text("touch executed")) + b"R"
        self.weights.write_bytes(torch_zip.torch(torch_zip.pickle(call)))
        self.fail_with(1, ["pytorch_model.bin", "os.system", "not a tensor", "nothing in the file was executed"], "a", "-m", "tiny", *ONE)
        self.assertFalse((self.folder / "executed").exists())


class UnknownModels(CliTest):
    def test_a_slip(self):
        self.fail_with(1, ["minilm-l7", "did you mean", "minilm-l6"], TIRED, "-m", "minilm-l7", *ONE)

    def test_nothing_like_it(self):
        result = self.fail_with(1, ["zzzzzzzzzzzz"], TIRED, "-m", "zzzzzzzzzzzz", *ONE)
        self.assertNotIn("did you mean", result.message)

    def test_a_folder_that_is_not_there(self):
        self.fail_with(1, ["gone/model"], TIRED, "-m", "gone/model", *ONE)

    def test_a_file_instead_of_a_folder(self):
        self.write("model.bin", "x")
        self.fail_with(1, ["model.bin"], TIRED, "-m", "./model.bin", *ONE)

    def test_a_program_without_its_model_gives_the_command_that_gets_it(self):
        program = self.folder / "lone" / "bin" / "attnviz"
        program.parent.mkdir(parents=True)
        shutil.copy2(PROGRAM, program)
        share = self.folder / "lone" / "share" / "attnviz"
        share.mkdir(parents=True)
        shutil.copy2(ROOT / "data" / "models.json", share)
        self.fail_with(1, ["minilm-l6", "get_model.py"], TIRED, *ONE, program=program)

    def test_a_program_without_its_share_folder(self):
        program = self.folder / "lone" / "bin" / "attnviz"
        program.parent.mkdir(parents=True)
        shutil.copy2(PROGRAM, program)
        self.fail_with(1, ["models.json"], TIRED, *ONE, program=program)


class BrokenFolders(CliTest):
    def setUp(self):
        super().setUp()
        self.model = write_tiny_model(self.folder / "tiny")
        self.weights = self.model / "model.safetensors"

    def refused(self, *parts):
        self.fail_with(1, ["tiny", *parts], "the cat", "-m", "tiny", *ONE)
        self.assertEqual(self.attnviz("info", "-m", "tiny").code in (0, 1), True)

    def rewrite_header(self, change):
        data = self.weights.read_bytes()
        (size,) = struct.unpack_from("<Q", data)
        header = json.loads(data[8:8 + size])
        change(header)
        text = json.dumps(header).encode()
        self.weights.write_bytes(struct.pack("<Q", len(text)) + text + data[8 + size:])

    def test_no_config(self):
        (self.model / "config.json").unlink()
        self.refused("config.json")

    def test_a_config_that_is_no_json(self):
        for text in ["", "{", "[]", '{"model_type": "bert"', "null", '"bert"', "\xff"]:
            with self.subTest(text):
                (self.model / "config.json").write_text(text, encoding="latin-1")
                self.refused("config.json")

    def test_an_unsupported_architecture_lists_the_supported(self):
        for kind in ["t5", "mamba", "Bert "]:
            with self.subTest(kind):
                (self.model / "config.json").write_text(json.dumps({**CONFIG, "model_type": kind}))
                self.refused(kind.strip(), "bert", "distilbert", "electra", "albert", "mpnet")

    def test_a_config_that_does_not_say_what_it_is(self):
        left = {key: value for key, value in CONFIG.items() if key not in ("model_type", "architectures")}
        (self.model / "config.json").write_text(json.dumps(left))
        self.refused("model_type")

    def test_config_values_that_cannot_be(self):
        for key, value in [("num_attention_heads", 0), ("num_attention_heads", 3), ("num_hidden_layers", 0), ("hidden_size", -20), ("hidden_size", "20"),
                           ("num_attention_heads", 1.5), ("vocab_size", None), ("hidden_act", "swoosh"), ("num_hidden_layers", 10**30),
                           ("position_embedding_type", "relative_key"), ("is_decoder", "maybe")]:
            with self.subTest(f"{key} = {value}"):
                (self.model / "config.json").write_text(json.dumps({k: v for k, v in {**CONFIG, key: value}.items() if v is not None}))
                self.refused("config.json")

    def test_a_config_that_promises_more_than_the_weights_hold(self):
        (self.model / "config.json").write_text(json.dumps({**CONFIG, "num_hidden_layers": N_LAYER + 1}))
        self.refused(f"layer.{N_LAYER}")

    def test_no_weights(self):
        self.weights.unlink()
        self.refused("model.safetensors")

    def test_no_vocabulary(self):
        (self.model / "vocab.txt").unlink()
        self.refused("vocab.txt")

    def test_a_vocabulary_larger_than_the_table(self):
        with open(self.model / "vocab.txt", "a") as file:
            file.write("".join(f"extra{n}\n" for n in "abc"))
        result = self.attnviz("extrab", "-m", "tiny", *ONE)
        self.assertEqual((result.code, result.out), (1, b""), result)
        self.assertTrue(result.message.startswith("attnviz: ") and "vocabulary" in result.message, result)

    def test_weights_cut_short_anywhere(self):
        data = self.weights.read_bytes()
        for length in [0, 1, 7, 8, 9, 100, len(data) // 2, len(data) - 1]:
            with self.subTest(length):
                self.weights.write_bytes(data[:length])
                self.refused("model.safetensors")

    def test_weights_with_a_tail(self):
        self.weights.write_bytes(self.weights.read_bytes() + b"\0")
        self.refused("model.safetensors")

    def test_a_header_size_past_the_file(self):
        data = self.weights.read_bytes()
        for size in [2**64 - 1, 2**63, 2**40, len(data), 0]:
            with self.subTest(size):
                self.weights.write_bytes(struct.pack("<Q", size) + data[8:])
                self.refused("model.safetensors")

    def test_a_git_lfs_pointer_instead_of_weights(self):
        self.weights.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 90868376\n")
        self.refused("model.safetensors")

    def test_a_missing_tensor_is_named(self):
        name = "encoder.layer.0.attention.self.key.weight"
        self.weights.unlink()
        shutil.rmtree(self.model)
        write_tiny_model(self.model, shapes={key: shape for key, shape in tensor_shapes().items() if key != name})
        self.refused("layer.0.attention.self.key.weight", f"[{D_MODEL}, {D_MODEL}]")

    def test_a_wrong_shape_says_expected_and_found(self):
        shutil.rmtree(self.model)
        write_tiny_model(self.model, shapes={**tensor_shapes(), "encoder.layer.1.output.dense.weight": [D_MODEL, 23]})
        self.refused("layer.1.output.dense.weight", f"[{D_MODEL}, 24]", f"[{D_MODEL}, 23]")

    def test_offsets_that_lie(self):
        name = "embeddings.LayerNorm.bias"
        original = self.weights.read_bytes()
        for begin, end in [(0, 80), (80, 0), (-1, 80), (2**63, 2**63 + 80), (0, 10**12), ("0", "80")]:
            with self.subTest(f"{begin}..{end}"):
                self.weights.write_bytes(original)
                self.rewrite_header(lambda header: header[name].update(data_offsets=[begin, end]))
                self.refused("model.safetensors")

    def test_a_type_nobody_knows(self):
        self.rewrite_header(lambda header: header["embeddings.LayerNorm.bias"].update(dtype="F33"))
        self.refused("F33")

    def test_shards_that_leave_the_folder(self):
        os.rename(self.weights, self.folder / "outside.safetensors")
        index = {"weight_map": {name: "../outside.safetensors" for name in tensor_shapes()}}
        (self.model / "model.safetensors.index.json").write_text(json.dumps(index))
        self.refused("../outside.safetensors")

    def test_a_missing_shard(self):
        self.weights.unlink()
        (self.model / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {name: "part-2.safetensors" for name in tensor_shapes()}}))
        self.refused("part-2.safetensors")

    def test_no_output_is_left_by_a_broken_model(self):
        self.weights.write_bytes(b"")
        self.fail_with(1, ["model.safetensors"], "the cat", "-m", "tiny", *ONE, "-o", "a.png")
        self.assertEqual([name for name in self.listing() if not name.startswith("tiny/")], [])


class SavedFolders(CliTest):
    """Folders as training leaves them load as they are."""

    def test_a_prefix_and_a_classifier_on_top(self):
        shapes = {"bert." + name: shape for name, shape in tensor_shapes().items()}
        shapes.update({"bert.pooler.dense.weight": [D_MODEL, D_MODEL], "bert.pooler.dense.bias": [D_MODEL], "classifier.weight": [2, D_MODEL], "classifier.bias": [2]})
        write_tiny_model(self.folder / "classifier", config={"architectures": ["BertForSequenceClassification"]}, shapes=shapes)
        self.succeed("the cat", "-m", "classifier", *ONE)

    def test_a_broken_copy_of_the_default_model(self):
        copy = self.folder / "copy"
        copy.mkdir()
        for path in DEFAULT_MODEL.iterdir():
            if path.name != "model.safetensors":
                (copy / path.name).symlink_to(path)
        with open(DEFAULT_MODEL / "model.safetensors", "rb") as file:
            (copy / "model.safetensors").write_bytes(file.read(1 << 20))
        self.fail_with(1, ["model.safetensors"], TIRED, "-m", "copy", *ONE)


if __name__ == "__main__":
    unittest.main()
