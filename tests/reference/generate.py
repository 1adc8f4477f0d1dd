"""Makes the golden attention maps of tests/parity with the ecosystem's reference implementation.

    python generate.py small --out tests/parity/data
        one folder a case: a small random model of odd shapes as save_pretrained writes it, and golden.safetensors beside it
    python generate.py default --model MODEL_FOLDER --out tests/parity/data/default_model.safetensors [--full-lines 3]
        the default model over 200 varied lines: sampled cells of every map, whole maps of the shortest few lines
    python generate.py decoder --model FILE.gguf --out tests/parity/data/default_decoder.safetensors [--every-cell FILE]
        the default decoder over 50 texts, and greedy continuations: see default_decoder.py
    python generate.py edits --models tests/parity/data --out tests/parity/edits
    python generate.py blocks --models tests/parity/data --out tests/parity/blocks
    python generate.py masked --models tests/parity/data --out tests/parity/data/masked_tokens.safetensors
    python generate.py two_stacks --out tests/parity/two_stacks
        values of the small models under edits, of their blocks, of their masked-token heads, and of an encoder-decoder: see
        edit_cases.py, block_cases.py, masked_tokens.py, two_stacks_case.py

Everything is computed in f32 with attn_implementation="eager", from the weights as they lie in the files (f16 and bf16 widened).
Layout of the goldens: see README.md beside this file.
"""

import argparse
import pathlib

import numpy as np
import torch
import transformers
from safetensors.torch import save_file

import block_cases
import decoder_cases
import default_decoder
import edit_cases
import encoder_cases
import masked_tokens
import more_decoder_cases
import two_stacks_case
from golden_files import batch_tensors, i32, make_case, run
from lines import varied_lines

SAMPLED_CELLS = 8  # cells kept of each map of the default model; even ones are a row's maximum


def make_small(arguments):
    cases = {**encoder_cases.cases(), **decoder_cases.cases(), **more_decoder_cases.cases()}
    for name, (model_class, config, options) in cases.items():
        if arguments.only is None or name in arguments.only:
            make_case(name, model_class, config, arguments.out, **options)
    if arguments.only is None:
        make_bucket_tables(arguments.out)


def make_bucket_tables(out):
    # The bucket of every distance, as the reference computes it: floating-point logarithms decide the edges.
    distances = torch.arange(-600, 601)
    from transformers.models.mpnet.modeling_mpnet import MPNetEncoder

    buckets = MPNetEncoder.relative_position_bucket(distances, num_buckets=32)
    save_file({"distances": distances.int(), "buckets": buckets.int()}, out / "relative_buckets.safetensors")
    make_log_buckets(out / "log_buckets.safetensors")


def make_log_buckets(file):
    """The same of disentangled attention, for several numbers of buckets and largest distances."""
    from transformers.models.deberta_v2.modeling_deberta_v2 import make_log_bucket_position

    distances = torch.arange(-600, 601)
    settings = [(256, 512), (8, 40), (6, 11), (32, 128), (64, 513), (4, 300), (7, 33)]
    buckets = torch.stack([make_log_bucket_position(distances, *setting).long() for setting in settings])
    save_file({"settings": i32(settings), "distances": distances.int(), "buckets": buckets.int()}, file)


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


def add_commands_on_small_models(commands):
    for name, make in (("edits", edit_cases.make_edits), ("blocks", block_cases.make_blocks), ("masked", masked_tokens.make_masked)):
        command = commands.add_parser(name)
        command.add_argument("--models", type=pathlib.Path, required=True, help="folder of the small models")
        command.add_argument("--out", type=pathlib.Path, required=True)
        if name != "masked":
            command.add_argument("--only", nargs="+", help="names of the models; all of them without it")
        command.set_defaults(make=make)
    two_stacks = commands.add_parser("two_stacks")
    two_stacks.add_argument("--out", type=pathlib.Path, required=True)
    two_stacks.set_defaults(make=two_stacks_case.make_two_stacks)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    small = commands.add_parser("small")
    small.add_argument("--out", type=pathlib.Path, required=True)
    small.add_argument("--only", nargs="+", help="names of the cases to make; all of them without it")
    small.set_defaults(make=make_small)
    default = commands.add_parser("default")
    default.add_argument("--model", type=pathlib.Path, required=True)
    default.add_argument("--out", type=pathlib.Path, required=True)
    default.add_argument("--full-lines", type=int, default=3, help="whole maps of this many lines, the shortest ones")
    default.set_defaults(make=make_default)
    decoder = commands.add_parser("decoder")
    decoder.add_argument("--model", type=pathlib.Path, required=True, help="the GGUF file")
    decoder.add_argument("--out", type=pathlib.Path, required=True)
    decoder.add_argument("--every-cell", type=pathlib.Path, help="write one more with the whole maps of every text")
    decoder.set_defaults(make=default_decoder.make_decoder)
    add_commands_on_small_models(commands)
    arguments = parser.parse_args()
    torch.manual_seed(0)
    arguments.make(arguments)


if __name__ == "__main__":
    main()
