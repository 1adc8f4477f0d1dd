"""Goldens of what each block and each head adds to the stream, and of the norms' statistics (taps of include/attnviz/request.h).

    python generate.py blocks --models tests/parity/data --out tests/parity/blocks

Captured by hooks on the models of edit_cases.py; products with a head's part of the output projection are in f64 from the f32 values
captured. Compared in tests/parity/block_outputs_test.cpp; the layout is in README.md.
"""

import random

import torch
from safetensors.torch import save_file

from edit_cases import model_inputs, models, open_reference
from edited_runs import ATTENTION, FEED_FORWARD, run_edited
from golden_files import batch_tensors, inputs

LENGTH = 9


def output_matrix(module):
    """[D, H*K] of an output projection; GPT-2's Conv1D stores it as [in, out]."""
    return (module.weight.T if type(module).__name__ == "Conv1D" else module.weight).detach().double()


def norm_statistics(module, rows):
    """[T, 2]: what the norm subtracts, and what it multiplies with before its weights."""
    rows = rows.double()
    if isinstance(module, torch.nn.Identity):
        return torch.tensor([[0.0, 1.0]]).repeat(len(rows), 1)
    if isinstance(module, torch.nn.LayerNorm):
        mean = rows.mean(-1)
        factor = (rows.var(-1, unbiased=False) + module.eps).rsqrt()
    else:
        epsilon = module.eps if hasattr(module, "eps") else module.variance_epsilon
        mean = torch.zeros(len(rows), dtype=torch.float64)
        factor = (rows.square().mean(-1) + epsilon).rsqrt()
    return torch.stack([mean, factor], -1).float()


def head_tensors(kept, matrix, layer, n_head):
    """z W_O[h] [H, T, D] and |a v W_O[h]| [H, T, T] of a layer."""
    z = kept.context["self", layer].double()
    width = z.shape[-1] // n_head
    values = kept.value[layer].double()
    n_group = n_head if values.shape[-1] == 3 * n_head * width else values.shape[-1] // width
    values = values[:, -n_group * width:]
    outs, lengths = [], []
    for head in range(n_head):
        part = matrix[:, head * width:(head + 1) * width]  # [D, K]
        group = head // (n_head // n_group)
        value = values[:, group * width:(group + 1) * width]
        outs.append(z[:, head * width:(head + 1) * width] @ part.T)
        lengths.append(kept.maps["self"][layer][head].double() * (value @ part.T).norm(dim=-1))
    return torch.stack(outs).float(), torch.stack(lengths).float()


def block_tensors(model, place, kept):
    n_layer = len(kept.maps["self"])
    module = lambda layer, name: model.get_submodule(f"{place.layers}.{layer}.{name}")
    heads = [head_tensors(kept, output_matrix(module(layer, place.projection)), layer, place.n_head) for layer in range(n_layer)]
    norms = {ATTENTION: place.attention_norm, FEED_FORWARD: place.feed_forward_norm}
    statistics = lambda block: torch.stack([norm_statistics(module(layer, norms[block]), kept.norm_input[layer, block])
                                            for layer in range(n_layer)])
    tensors = {
        "attention_out": torch.stack([kept.added["self", layer, ATTENTION] for layer in range(n_layer)]),
        "feed_forward_out": torch.stack([kept.added["self", layer, FEED_FORWARD] for layer in range(n_layer)]),
        "head_out": torch.stack([out for out, _ in heads]),
        "pair_norm": torch.stack([length for _, length in heads]),
        "attention_norm": statistics(ATTENTION),
        "feed_forward_norm": statistics(FEED_FORWARD),
        "hidden": kept.site_stream("self"),
    }
    if place.final_norm:
        tensors["final_norm"] = norm_statistics(model.get_submodule(place.final_norm), kept.norm_input["final"])
    return tensors


def make_blocks(arguments):
    arguments.out.mkdir(exist_ok=True)
    for name, (model_class, place) in models().items():
        if arguments.only is not None and name not in arguments.only:
            continue
        model = open_reference(model_class, arguments.models / name)
        rng = random.Random("blocks of " + name)
        texts = inputs([LENGTH], model.config.vocab_size, getattr(model.config, "type_vocab_size", 0), None, rng)
        kept = run_edited(model, {"self": place}, **model_inputs(model, *texts[0]))
        tensors = {**batch_tensors(texts), **block_tensors(model, place, kept)}
        file = arguments.out / f"{name}.safetensors"
        save_file({key: value.contiguous() for key, value in tensors.items()}, file)
        print(f"{name}: {file.stat().st_size} bytes")
