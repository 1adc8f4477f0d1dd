"""Goldens of edited runs: a head's context scaled or replaced, pairs cut, blocks left out (include/attnviz/edits.h).

    python generate.py edits --models tests/parity/data --out tests/parity/edits

One file for each of a few small models of tests/parity/data: its maps, streams and logits under ten sets of edits and under none.
Compared in tests/parity/edits_test.cpp; the layout is in README.md.
"""

import random

import torch
import transformers
from safetensors.torch import save_file

from edited_runs import ATTENTION, FEED_FORWARD, SITES, Cut, HeadEdit, LeftOut, Places, run_edited
from golden_files import batch_tensors, i32, inputs

LENGTHS = [7, 9]  # beyond the windows of Gemma 2 (4) and ModernBERT (2 to each side)


def bert_places(layers, n_head, value="attention.self.value"):
    """Post-norm layers of BERT and DeBERTa."""
    return Places(layers, "attention.self", "attention.output.dense", n_head, "attention.output.dense", "output.dense",
                  "attention.output.LayerNorm", "output.LayerNorm", value)


def deberta_places(layers):
    return bert_places(layers, 5, "attention.self.value_proj")


def models():
    """Folder in tests/parity/data -> (class of the reference, places)."""
    modernbert = Places("model.layers", "attn", "attn.Wo", 5, "attn.Wo", "mlp.Wo", "attn_norm", "mlp_norm", "attn.Wqkv",
                        "model.final_norm")
    gpt2 = Places("transformer.h", "attn", "attn.c_proj", 5, "attn.c_proj", "mlp.c_proj", "ln_1", "ln_2", "attn.c_attn",
                  "transformer.ln_f")
    llama = Places("model.layers", "self_attn", "self_attn.o_proj", 6, "self_attn.o_proj", "mlp.down_proj", "input_layernorm",
                   "post_attention_layernorm", "self_attn.v_proj", "model.norm")
    gemma2 = Places("model.layers", "self_attn", "self_attn.o_proj", 4, "post_attention_layernorm", "post_feedforward_layernorm",
                    "input_layernorm", "pre_feedforward_layernorm", "self_attn.v_proj", "model.norm")
    return {
        "bert_masked_lm_bf16": (transformers.BertForMaskedLM, bert_places("bert.encoder.layer", 5)),
        "modernbert": (transformers.ModernBertForMaskedLM, modernbert),
        "deberta_v3": (transformers.DebertaV2ForMaskedLM, deberta_places("deberta.encoder.layer")),
        "deberta_own_projections": (transformers.DebertaV2Model, deberta_places("encoder.layer")),
        "gpt2": (transformers.GPT2LMHeadModel, gpt2),
        "llama": (transformers.LlamaForCausalLM, llama),
        "gemma2": (transformers.Gemma2ForCausalLM, gemma2),
    }


def open_reference(model_class, folder):
    return model_class.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()


def model_inputs(model, ids, segments):
    extra = {"token_type_ids": torch.tensor([segments])} if getattr(model.config, "type_vocab_size", 0) > 1 else {}
    return {"input_ids": torch.tensor([ids]), **extra}


def allowed_pairs(maps, rng, layer, n):
    """Pairs whose weight is above 0.01 in every head and whose row keeps another key that is not cut."""
    pairs = [(q, k) for q, k in (maps[layer].amin(0) > 0.01).nonzero().tolist()]
    rng.shuffle(pairs)
    chosen = {}
    for query, key in pairs:
        if query not in chosen and (maps[layer, 0, query] > 0).sum() > 2:
            chosen[query] = (query, key)
    return list(chosen.values())[:n]


def cut_all(pairs, layers, heads):
    return [Cut(layer, head, query, key) for layer in layers for head in heads for query, key in pairs]


def sets_of_edits(plain, n_head, rng, generator):
    """(text, edits) of each run. `plain` holds the unedited runs of both texts."""
    maps = [kept.site_maps("self") for kept in plain]
    n_layer = len(maps[0])
    last = n_layer - 1
    width = plain[0].context["self", 0].shape[-1] // n_head
    head = lambda: rng.randrange(n_head)
    mean_head, vector_head = head(), head()
    mean = plain[1].context["self", 1].mean(0).view(n_head, width)[mean_head].clone()
    vector = lambda: torch.randn(width, generator=generator)
    hidden_key = [(query, 1) for query in range(2, 5)]  # in reach of every window, and no row's only key
    scaled, replaced = rng.sample(range(n_head), 2)
    mixed = [LeftOut(0, ATTENTION), HeadEdit(1, scaled, factor=2.0), HeadEdit(1, replaced, replacement=vector()),
             LeftOut(1, FEED_FORWARD), *cut_all(allowed_pairs(maps[1], rng, last, 2), [last], [head()])]
    return [
        (0, []),
        (0, [HeadEdit(0, head(), factor=0.0)]),
        (1, [HeadEdit(1, head(), factor=0.5), HeadEdit(last, head(), factor=2.0)]),
        (1, [HeadEdit(1, mean_head, replacement=mean)]),
        (0, [HeadEdit(0, vector_head, replacement=vector()), HeadEdit(last, vector_head, replacement=vector())]),
        (1, cut_all(allowed_pairs(maps[1], rng, 1, 4), [1], [head()])),
        (0, cut_all([(3, 2), (5, 4)], range(n_layer), range(n_head))),
        (1, cut_all(hidden_key, [0, last], sorted(rng.sample(range(n_head), 2)))),
        (0, [LeftOut(1, ATTENTION)]),
        (1, [LeftOut(0, FEED_FORWARD), LeftOut(last, ATTENTION)]),
        (1, mixed),
    ]


def edit_tensors(runs):
    """The runs' texts and edits as tensors, a row each; edited runs are numbered from 0."""
    heads, factors, replacements, cuts, left_out = [], [], [], [], []
    for run, (_, edits) in enumerate(runs):
        for edit in edits:
            where = [run, SITES[edit.site], edit.layer]
            if isinstance(edit, HeadEdit):
                heads.append([*where, edit.head, -1 if edit.replacement is None else len(replacements)])
                factors.append(edit.factor)
                replacements += [] if edit.replacement is None else edit.replacement.tolist()
            elif isinstance(edit, Cut):
                cuts.append([*where, edit.head, edit.query, edit.key])
            else:
                left_out.append([*where, edit.block])
    return {"run_text": i32([text for text, _ in runs]), "head_edits": i32(heads), "head_factors": torch.tensor(factors),
            "replacements": torch.tensor(replacements), "cuts": i32(cuts), "left_out": i32(left_out)}


def check_effects(name, runs, results, site_of_first):
    """An edit that nothing shows could be forgotten by the program too."""
    plain = {text: kept for (text, edits), kept in zip(runs, results) if not edits}
    for number, ((text, edits), kept) in enumerate(zip(runs, results)):
        for edit in edits:
            if isinstance(edit, Cut):
                assert kept.maps[edit.site][edit.layer][edit.head, edit.query, edit.key] == 0
        if edits and text in plain:
            change = (kept.stream[site_of_first][-1] - plain[text].stream[site_of_first][-1]).abs().max()
            assert change > 0.02, f"{name}: run {number} moves the stream by {change:.4f} only"


def value_tensors(results, sites, streams):
    tensors = {f"maps.{site}": torch.cat([kept.site_maps(site).flatten() for kept in results]) for site in sites}
    for site in streams:
        tensors[f"hidden.{site}"] = torch.cat([kept.site_stream(site).flatten() for kept in results])
    if results[0].logits is not None:
        tensors["logits"] = torch.cat([kept.logits.flatten() for kept in results])
    return tensors


def make_edits(arguments):
    arguments.out.mkdir(exist_ok=True)
    for name, (model_class, place) in models().items():
        if arguments.only is not None and name not in arguments.only:
            continue
        model = open_reference(model_class, arguments.models / name)
        places = {"self": place}
        rng = random.Random("edits of " + name)
        generator = torch.Generator().manual_seed(sum(map(ord, name)))
        texts = inputs(LENGTHS, model.config.vocab_size, getattr(model.config, "type_vocab_size", 0), None, rng)
        run = lambda text, edits: run_edited(model, places, edits, **model_inputs(model, *texts[text]))
        runs = sets_of_edits([run(text, []) for text in (0, 1)], place.n_head, rng, generator)
        runs.insert(1, (1, []))
        results = [run(*one) for one in runs]
        check_effects(name, runs, results, "self")
        tensors = {**batch_tensors(texts), **edit_tensors(runs), **value_tensors(results, ["self"], ["self"])}
        file = arguments.out / f"{name}.safetensors"
        save_file(tensors, file)
        print(f"{name}: {len(runs)} runs, {file.stat().st_size} bytes")
