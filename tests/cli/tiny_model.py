"""A BERT of a few thousand random numbers, written with the standard library alone, for tests that break a model or count its parts.

Odd on purpose: 3 layers x 5 heads of width 4, so that nothing can pass that takes 12 heads, or as many layers as heads, for granted.
"""
import json
import math
import random
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "fuzz"))
import make_torch_zip as torch_zip  # noqa: E402

N_LAYER, N_HEAD, D_HEAD, D_FFN, N_POSITION = 3, 5, 4, 24, 24
D_MODEL = N_HEAD * D_HEAD
VOCAB = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "b", "##b", "the", "cat", "sat", "##s", ".", ","]

CONFIG = {
    "architectures": ["BertModel"],
    "model_type": "bert",
    "hidden_act": "gelu",
    "hidden_size": D_MODEL,
    "intermediate_size": D_FFN,
    "layer_norm_eps": 1e-12,
    "max_position_embeddings": N_POSITION,
    "num_attention_heads": N_HEAD,
    "num_hidden_layers": N_LAYER,
    "type_vocab_size": 2,
    "vocab_size": len(VOCAB),
}


def tensor_shapes():
    shapes = {
        "embeddings.word_embeddings.weight": [len(VOCAB), D_MODEL],
        "embeddings.position_embeddings.weight": [N_POSITION, D_MODEL],
        "embeddings.token_type_embeddings.weight": [2, D_MODEL],
        "embeddings.LayerNorm.weight": [D_MODEL],
        "embeddings.LayerNorm.bias": [D_MODEL],
    }
    for layer in range(N_LAYER):
        linears = {
            "attention.self.query": [D_MODEL, D_MODEL],
            "attention.self.key": [D_MODEL, D_MODEL],
            "attention.self.value": [D_MODEL, D_MODEL],
            "attention.output.dense": [D_MODEL, D_MODEL],
            "intermediate.dense": [D_FFN, D_MODEL],
            "output.dense": [D_MODEL, D_FFN],
        }
        for name, shape in linears.items():
            shapes[f"encoder.layer.{layer}.{name}.weight"] = shape
            shapes[f"encoder.layer.{layer}.{name}.bias"] = shape[:1]
        for name in ["attention.output.LayerNorm", "output.LayerNorm"]:
            shapes[f"encoder.layer.{layer}.{name}.weight"] = [D_MODEL]
            shapes[f"encoder.layer.{layer}.{name}.bias"] = [D_MODEL]
    return shapes


def random_numbers(shapes, seed):
    """A list of floats for each name."""
    numbers = random.Random(seed)
    return {name: [numbers.gauss(0, 0.6) for _ in range(math.prod(shape))] for name, shape in shapes.items()}


def torch_bytes(shapes, seed=1):
    """The same numbers as torch.save writes them, a storage a tensor; every second matrix is stored transposed."""
    pairs, entries = [], []
    for i, (name, numbers) in enumerate(random_numbers(shapes, seed).items()):
        shape, strides = shapes[name], [1]
        if len(shape) == 2:
            rows, columns = shape
            strides = [columns, 1]
            if i % 2 == 1:
                numbers = [numbers[r * columns + c] for c in range(columns) for r in range(rows)]
                strides = [1, rows]
        where = torch_zip.storage(key=str(i), n=len(numbers))
        pairs.append((name, torch_zip.tensor(shape, strides, where=where)))
        entries.append(torch_zip.Entry(f"m/data/{i}", struct.pack(f"<{len(numbers)}f", *numbers)))
    return torch_zip.zip_of([torch_zip.Entry("m/data.pkl", torch_zip.state(*pairs)), *entries])


def safetensors_bytes(shapes, seed=1):
    """Random f32 numbers in safetensors' layout: u64 header size, JSON header, data without a hole."""
    header, data = {}, bytearray()
    for name, numbers in random_numbers(shapes, seed).items():
        shape, begin = shapes[name], len(data)
        data += struct.pack(f"<{len(numbers)}f", *numbers)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [begin, len(data)]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + bytes(data)


def write_tiny_model(folder, config=None, shapes=None):
    """A complete model folder; `config` changes fields (None removes one), `shapes` replaces the tensors."""
    folder.mkdir(parents=True)
    fields = {**CONFIG, **(config or {})}
    (folder / "config.json").write_text(json.dumps({key: value for key, value in fields.items() if value is not None}))
    (folder / "vocab.txt").write_text("\n".join(VOCAB) + "\n")
    (folder / "tokenizer_config.json").write_text(json.dumps({"do_lower_case": True, "tokenizer_class": "BertTokenizer"}))
    (folder / "model.safetensors").write_bytes(safetensors_bytes(shapes or tensor_shapes()))
    return folder


def decoder_shapes():
    """Llama's names and shapes at the same sizes; every head has a key/value head of its own."""
    shapes = {"model.embed_tokens.weight": [len(VOCAB), D_MODEL], "model.norm.weight": [D_MODEL]}
    for layer in range(N_LAYER):
        stem = f"model.layers.{layer}"
        for name in "qkvo":
            shapes[f"{stem}.self_attn.{name}_proj.weight"] = [D_MODEL, D_MODEL]
        for name in ["gate", "up"]:
            shapes[f"{stem}.mlp.{name}_proj.weight"] = [D_FFN, D_MODEL]
        shapes[f"{stem}.mlp.down_proj.weight"] = [D_MODEL, D_FFN]
        for name in ["input", "post_attention"]:
            shapes[f"{stem}.{name}_layernorm.weight"] = [D_MODEL]
    return shapes


def write_tiny_decoder(folder, config):
    """A decoder with the same tokenizer; `config` says which of Llama's relatives."""
    decoder = {"architectures": None, "type_vocab_size": None, "layer_norm_eps": None, "hidden_act": "silu", "tie_word_embeddings": True,
               "num_key_value_heads": N_HEAD}
    return write_tiny_model(folder, {**decoder, **config}, decoder_shapes())
