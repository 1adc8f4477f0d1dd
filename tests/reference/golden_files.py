"""Makes one golden folder: a small random model as save_pretrained writes it, and the reference's values beside it.

Shared by the tables of cases (encoder_cases.py, decoder_cases.py); the layout of the files: README.md beside this file.
"""

import json
import random
import shutil

import numpy as np
import torch
import transformers
from safetensors.torch import load_file, save_file

FEW_LENGTHS = [1, 7, 19]


def without(sizes, *names):
    return {name: value for name, value in sizes.items() if name not in names}


def i32(values):
    return torch.tensor(values, dtype=torch.int32)


def spread_of(name):
    """(mean, deviation) of a parameter's values, by what its name says it is."""
    norm = any(part in name for part in ("LayerNorm", "layer_norm", "layernorm", "_norm", "ln_", "norm."))
    if norm and ("q_norm" in name or "k_norm" in name):
        return 1.8, 0.5  # a norm over a head's width decides how sharp attention is
    if norm:
        return (1.0 if name.endswith("weight") else 0.0), 0.3
    if "relative_attention_bias" in name:
        return 0.0, 0.8
    if name.endswith("bias"):
        return 0.0, 0.4
    if "embeddings_project" in name or "embedding_hidden_mapping" in name:
        return 0.0, 0.4
    if any(part in name for part in ("embeddings.", "shared.", "embed_tokens", "embed_positions", "embed_in", "wte", "wpe")):
        return 0.0, 0.7
    attending = ("query", "key", "q_lin", "k_lin", "attn.q", "attn.k", "q_proj", "k_proj", "c_attn", "qkv", "Wqkv")
    return 0.0, (0.3 if any(part in name for part in attending) else 0.2)


def randomise(model, generator, sharpness, norms_add_one):
    """Weights far from their usual start: attention is sharp, and a lost bias, scale or norm weight shows at once."""
    for name, parameter in model.named_parameters():
        values = torch.randn(parameter.shape, generator=generator)
        mean, deviation = spread_of(name)
        if any(part in name for part in ("query", "key", "q_proj", "k_proj", "c_attn", "qkv", "Wqkv")):
            deviation *= sharpness
        if norms_add_one and "norm" in name:
            mean -= 1.0  # the stored weight is what is added to one
        with torch.no_grad():
            parameter.copy_(deviation * values + mean)


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
    """Attention [L, H, T, T] and hidden states [L + 1, T, D] as the reference gives them out."""
    extra = {"token_type_ids": torch.tensor([segments])} if n_segment > 1 else {}
    with torch.no_grad():
        output = model(input_ids=torch.tensor([ids]), output_attentions=True, output_hidden_states=True, **extra)
    return torch.stack([a[0] for a in output.attentions]), torch.stack([h[0] for h in output.hidden_states])


def run_layers(model, layers, ids):
    """Attention, the stream [L + 1, T, D] before any final norm, and the head's logits [T, V] where the model has one."""
    stream = []
    first = layers[0].register_forward_pre_hook(
        lambda _, args, kwargs: stream.append((args[0] if args else kwargs["hidden_states"])[0].clone()), with_kwargs=True)
    rest = [layer.register_forward_hook(
        lambda _, args, result: stream.append((result[0] if isinstance(result, tuple) else result)[0].clone()))
        for layer in layers]
    with torch.no_grad():
        output = model(input_ids=torch.tensor([ids]), output_attentions=True)
    for hook in [first, *rest]:
        hook.remove()
    logits = output.logits[0] if "logits" in output else None
    return torch.stack([a[0] for a in output.attentions]), torch.stack(stream), logits


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


def change_config(folder, removed, added):
    """Spells config.json as the checkpoints people have do, where save_pretrained has moved on since."""
    file = folder / "config.json"
    settings = {**without(json.loads(file.read_text()), *removed), **added}
    file.write_text(json.dumps(settings, indent=2, sort_keys=True) + "\n")


def make_case(name, model_class, config, out, lengths=None, dtype=torch.float32, shards=False, old_names=False, pad=None,
              layers=None, sharpness=1.0, norms_add_one=False, removed=(), added=None):
    folder = out / name
    shutil.rmtree(folder, ignore_errors=True)
    generator = torch.Generator().manual_seed(sum(map(ord, name)))
    model = model_class(config).eval()
    randomise(model, generator, sharpness, norms_add_one)
    model.to(dtype).save_pretrained(folder, **({"max_shard_size": "20KB"} if shards else {}))
    (folder / "generation_config.json").unlink(missing_ok=True)
    if removed or added:
        change_config(folder, removed, added or {})

    # The reference reads the saved folder back, so that rounding to the stored type is part of what it computes from.
    n_segment = getattr(config, "type_vocab_size", 0)
    sequences = inputs(lengths or FEW_LENGTHS, config.vocab_size, n_segment, pad, random.Random(name))
    shown = min(4, len(sequences) - 1)
    golden = batch_tensors(sequences)
    options = dict(dtype=torch.float32, attn_implementation="eager")
    if layers is None:
        reference = transformers.AutoModel.from_pretrained(folder, **options).eval()
        maps, hidden = zip(*(run(reference, ids, segments, n_segment) for ids, segments in sequences))
        logits = None
    else:
        reference = model_class.from_pretrained(folder, **options).eval()
        blocks = reference.get_submodule(layers)
        maps, hidden, logits = zip(*(run_layers(reference, blocks, ids) for ids, _ in sequences))
    golden["maps"] = torch.cat([m.flatten() for m in maps])
    golden["hidden"] = hidden[shown].contiguous()  # [L + 1, T, D] of one sequence
    golden["hidden_sequence"] = i32([shown])
    if logits is not None and logits[shown] is not None:
        golden["logits"] = logits[shown].contiguous()  # [T, V] of the same
    save_file(golden, folder / "golden.safetensors")
    if old_names:
        rename_as_old_checkpoints(folder)
    top = torch.cat([m.amax(-1).flatten() for m in maps if m.shape[-1] > 1])
    sizes = {file.name: file.stat().st_size for file in sorted(folder.iterdir())}
    print(f"{name}: {sizes}, mean row maximum {top.mean():.3f}")
