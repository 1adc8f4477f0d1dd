"""docs/ADDING_A_MODEL.md followed to the letter: the family it adds is known and computes what BERT does under other names."""
import re
import unittest

from addition_test import AdditionTest
from tiny_model import tensor_shapes, write_tiny_model

# BERT's names of a layer's parts and those that the page's family uses.
NAMES = {
    "encoder.layer.": "layers.",
    "attention.self.query": "attention.q",
    "attention.self.key": "attention.k",
    "attention.self.value": "attention.v",
    "attention.output.dense": "attention.out",
    "attention.output.LayerNorm": "attention_norm",
    "intermediate.dense": "ffn.up",
    "output.dense": "ffn.down",
    "output.LayerNorm": "ffn_norm",
}


def robin_name(name):
    for ours, theirs in NAMES.items():
        name = name.replace(ours, theirs) if name.startswith("encoder.layer.") or name.startswith("layers.") else name
    return name


class Model(AdditionTest):
    PAGE = "ADDING_A_MODEL.md"

    def setUp(self):
        super().setUp()
        self.bert = write_tiny_model(self.folder / "bert")
        shapes = {robin_name(name): shape for name, shape in tensor_shapes().items()}
        config = {"model_type": "robin", "architectures": ["RobinModel"], "intermediate_size": None, "ffn_dim": 24}
        self.robin = write_tiny_model(self.folder / "robin", config, shapes)

    def test_the_new_family_computes_what_it_says(self):
        command = ["the cat sat", "--layer", "all", "--head", "all", "-f", "json"]
        maps = [self.added(*command, "-m", folder).json()["maps"] for folder in [self.bert, self.robin]]
        self.assertEqual(len(maps[0]), 15)
        self.assertEqual(*maps)

    def test_the_program_without_it_does_not_know_it(self):
        self.fail_with(1, ["robin"], "the cat sat", "-m", self.robin, "-f", "json")

    def test_a_missing_tensor_is_named_as_the_page_does(self):
        shapes = {name: shape for name, shape in tensor_shapes().items()}
        shapes = {robin_name(name): shape for name, shape in shapes.items() if not re.search(r"1\.intermediate\.dense\.bias", name)}
        config = {"model_type": "robin", "intermediate_size": None, "ffn_dim": 24}
        broken = write_tiny_model(self.folder / "broken", config, shapes)
        self.fail_with(1, ["layers.1.ffn.up.bias"], "the cat sat", "-m", broken, "-f", "json", program=self.program)


if __name__ == "__main__":
    unittest.main()
