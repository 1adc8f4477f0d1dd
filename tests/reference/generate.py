"""Makes the golden attention maps of tests/parity with the ecosystem's reference implementation.

    python generate.py small --out tests/parity/data
        one folder a case: a small random model of odd shapes as save_pretrained writes it, and golden.safetensors beside it
    python generate.py default --model MODEL_FOLDER --out tests/parity/data/default_model.safetensors [--full-lines 3]
        the default model over 200 varied lines: sampled cells of every map, whole maps of the shortest few lines

Everything is computed in f32 with attn_implementation="eager", from the weights as they lie in the files (f16 and bf16 widened).
Layout of the goldens: see README.md beside this file.
"""

import argparse
import pathlib
import random
import shutil

import numpy as np
import torch
import transformers
from safetensors.torch import load_file, save_file

from lines import varied_lines

# Lengths around the widths of vector registers (4, 8, 16 floats and their tails), length 1 and pairs.
ALL_LENGTHS = [1, 2, 3, 5, 8, 9, 16, 17]
LONG_LENGTHS = [*ALL_LENGTHS, 33]
FEW_LENGTHS = [1, 7, 19]
SAMPLED_CELLS = 8  # cells kept of each map of the default model; even ones are a row's maximum


def base(**more):
    """Shapes shared by the BERT-like cases: nothing is a multiple of a vector, head width 7."""
    sizes = dict(vocab_size=67, hidden_size=35, num_hidden_layers=3, num_attention_heads=5, intermediate_size=53)
    return {**sizes, "max_position_embeddings": 41, "type_vocab_size": 2, **more}


def narrow(**more):
    """The same for cases about names, types and activations rather than shapes; head width 5."""
    sizes = dict(vocab_size=47, hidden_size=25, intermediate_size=31, max_position_embeddings=23)
    return base(**{**sizes, **more})


def without(sizes, *names):
    return {name: value for name, value in sizes.items() if name not in names}


def cases():
    t = transformers
    distil = dict(vocab_size=71, dim=40, n_layers=3, n_heads=5, hidden_dim=43, max_position_embeddings=37)
    albert = base(embedding_size=13, num_hidden_groups=2)
    albert_inner = narrow(embedding_size=13, num_hidden_groups=2, inner_group_num=2, num_hidden_layers=2)
    mpnet = without(base(max_position_embeddings=43), "type_vocab_size")
    return {
        "bert": (t.BertModel, t.BertConfig(**base()), dict(lengths=ALL_LENGTHS)),
        "bert_classifier": (t.BertForSequenceClassification, t.BertConfig(**narrow(hidden_act="gelu_new", num_labels=3)), {}),
        "bert_masked_lm_bf16": (t.BertForMaskedLM, t.BertConfig(**narrow(hidden_act="relu")), dict(dtype=torch.bfloat16)),
        "bert_pretraining_f16": (t.BertForPreTraining, t.BertConfig(**narrow(layer_norm_eps=0.01)), dict(dtype=torch.float16)),
        "bert_sharded": (t.BertForTokenClassification, t.BertConfig(**narrow(hidden_act="silu")), dict(shards=True)),
        "bert_old_names": (t.BertModel, t.BertConfig(**narrow()), dict(old_names=True)),
        "distilbert": (t.DistilBertForQuestionAnswering, t.DistilBertConfig(**distil), dict(lengths=ALL_LENGTHS)),
        "electra": (t.ElectraForPreTraining, t.ElectraConfig(**base(embedding_size=19)), dict(lengths=ALL_LENGTHS)),
        "electra_no_projection": (t.ElectraModel, t.ElectraConfig(**narrow(embedding_size=25)), {}),
        "albert": (t.AlbertForMaskedLM, t.AlbertConfig(**albert), dict(lengths=ALL_LENGTHS)),
        "albert_inner": (t.AlbertModel, t.AlbertConfig(**albert_inner), {}),
        "mpnet": (t.MPNetForMaskedLM, t.MPNetConfig(**mpnet), dict(lengths=LONG_LENGTHS, pad=1)),
    }


def randomise(model, generator):
    """Weights far from their usual start: attention is sharp, and a lost bias, scale or norm weight shows at once."""
    for name, parameter in model.named_parameters():
        values = torch.randn(parameter.shape, generator=generator)
        if "LayerNorm" in name or "layer_norm" in name:
            values = 0.3 * values + (1.0 if name.endswith("weight") else 0.0)
        elif "relative_attention_bias" in name:
            values = 0.8 * values
        elif name.endswith("bias"):
            values = 0.4 * values
        elif "embeddings_project" in name or "embedding_hidden_mapping" in name:
            values = 0.4 * values
        elif "embeddings." in name:
            values = 0.7 * values
        elif any(part in name for part in ("query", "key", "q_lin", "k_lin", "attn.q", "attn.k")):
            values = 0.3 * values
        else:
            values = 0.2 * values
        with torch.no_grad():
            parameter.copy_(values)


def inputs(lengths, n_vocab, n_segment, pad, rng):
    """Token ids and segment ids for each length; every other input is a pair where the model has segments."""
    sequences = []
    for index, length in enumerate(lengths):
        ids = [rng.randrange(2, n_vocab) for _ in range(length)]
        if pad is not None and length > 4:
            ids[length // 2] = pad  # a pad token that stands in the text takes no position
        second = length // 2 if n_segment > 1 and index % 2 == 1 else length
        sequences.append((ids, [0] * second + [1] * (length - second)))
    return sequences


def run(model, ids, segments, n_segment):
    extra = {"token_type_ids": torch.tensor([segments])} if n_segment > 1 else {}
    with torch.no_grad():
        output = model(input_ids=torch.tensor([ids]), output_attentions=True, output_hidden_states=True, **extra)
    return torch.stack([a[0] for a in output.attentions]), torch.stack([h[0] for h in output.hidden_states])


def i32(values):
    return torch.tensor(values, dtype=torch.int32)


def batch_tensors(sequences):
    offsets = np.cumsum([0] + [len(ids) for ids, _ in sequences]).tolist()
    flat = lambda part: i32([value for sequence in sequences for value in sequence[part]])
    return {"ids": flat(0), "segments": flat(1), "offsets": i32(offsets)}


def rename_as_old_checkpoints(folder):
    """Before 2019-07 the norm's vectors were gamma and beta; until 2023 position_ids were stored too."""
    file = folder / "model.safetensors"
    tensors = load_file(file)
    renamed = {}
    for name, tensor in tensors.items():
        renamed[name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")] = tensor
    renamed["embeddings.position_ids"] = torch.arange(23)[None]
    save_file(renamed, file)


def make_case(name, model_class, config, out, lengths=None, dtype=torch.float32, shards=False, old_names=False, pad=None):
    folder = out / name
    shutil.rmtree(folder, ignore_errors=True)
    generator = torch.Generator().manual_seed(sum(map(ord, name)))
    model = model_class(config).eval()
    randomise(model, generator)
    model.to(dtype).save_pretrained(folder, **({"max_shard_size": "20KB"} if shards else {}))
    (folder / "generation_config.json").unlink(missing_ok=True)

    # The reference reads the saved folder back, so that rounding to the stored type is part of what it computes from.
    reference = transformers.AutoModel.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    n_segment = getattr(config, "type_vocab_size", 0)
    sequences = inputs(lengths or FEW_LENGTHS, config.vocab_size, n_segment, pad, random.Random(name))
    maps, hidden = zip(*(run(reference, ids, segments, n_segment) for ids, segments in sequences))
    golden = batch_tensors(sequences)
    golden["maps"] = torch.cat([m.flatten() for m in maps])
    shown = min(4, len(sequences) - 1)
    golden["hidden"] = hidden[shown].contiguous()  # [L + 1, T, D] of one sequence
    golden["hidden_sequence"] = i32([shown])
    save_file(golden, folder / "golden.safetensors")
    if old_names:
        rename_as_old_checkpoints(folder)
    top = torch.cat([m.amax(-1).flatten() for m in maps if m.shape[-1] > 1])
    print(f"{name}: {sum(f.stat().st_size for f in folder.iterdir())} bytes, mean row maximum {top.mean():.3f}")


def make_small(arguments):
    for name, (model_class, config, options) in cases().items():
        make_case(name, model_class, config, arguments.out, **options)
    # The bucket of every distance, as the reference computes it: floating-point logarithms decide the edges.
    distances = torch.arange(-600, 601)
    from transformers.models.mpnet.modeling_mpnet import MPNetEncoder

    buckets = MPNetEncoder.relative_position_bucket(distances, num_buckets=32)
    save_file({"distances": distances.int(), "buckets": buckets.int()}, arguments.out / "relative_buckets.safetensors")


def sample_cells(attention, rng):
    """SAMPLED_CELLS cells of each [T, T] map: even ones the maximum of a random row, odd ones anywhere."""
    n_layer, n_head, length, _ = attention.shape
    shape = (n_layer, n_head, SAMPLED_CELLS)
    rows = rng.integers(0, length, shape)
    columns = rng.integers(0, length, shape)
    layers, heads, cells = np.indices(shape)
    best = attention.argmax(-1)[layers, heads, rows]
    columns = np.where(cells % 2 == 0, best, columns)
    return rows, columns, attention[layers, heads, rows, columns]


def make_default(arguments):
    tokenizer = transformers.AutoTokenizer.from_pretrained(arguments.model)
    model = transformers.AutoModel.from_pretrained(arguments.model, dtype=torch.float32, attn_implementation="eager").eval()
    sequences = []
    for first, second in varied_lines():
        encoded = tokenizer(first, second)
        sequences.append((encoded["input_ids"], encoded["token_type_ids"]))
    lengths = [len(ids) for ids, _ in sequences]
    assert max(lengths) <= 256, "row and column of a sampled cell are stored as one byte each"
    full = sorted(np.argsort(lengths, kind="stable")[: arguments.full_lines].tolist())
    rng = np.random.default_rng(20240607)
    rows, columns, values, maps = [], [], [], []
    for index, (ids, segments) in enumerate(sequences):
        attention, _ = run(model, ids, segments, 2)
        r, c, v = sample_cells(attention.numpy(), rng)
        rows.append(r), columns.append(c), values.append(v)
        if index in full:
            maps.append(attention.flatten())
    golden = batch_tensors(sequences)
    golden["cell_rows"] = torch.tensor(np.stack(rows), dtype=torch.uint8)  # [B, L, H, cells]
    golden["cell_columns"] = torch.tensor(np.stack(columns), dtype=torch.uint8)
    golden["cell_values"] = torch.tensor(np.stack(values), dtype=torch.float32)
    golden["full_lines"] = i32(full)
    golden["maps"] = torch.cat(maps)
    save_file(golden, arguments.out)
    print(f"{len(sequences)} lines, {min(lengths)} to {max(lengths)} tokens, {arguments.out.stat().st_size} bytes")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    small = commands.add_parser("small")
    small.add_argument("--out", type=pathlib.Path, required=True)
    small.set_defaults(make=make_small)
    default = commands.add_parser("default")
    default.add_argument("--model", type=pathlib.Path, required=True)
    default.add_argument("--out", type=pathlib.Path, required=True)
    default.add_argument("--full-lines", type=int, default=3, help="whole maps of this many lines, the shortest ones")
    default.set_defaults(make=make_default)
    arguments = parser.parse_args()
    torch.manual_seed(0)
    arguments.make(arguments)


if __name__ == "__main__":
    main()
