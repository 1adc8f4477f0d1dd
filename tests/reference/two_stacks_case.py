"""The golden of a model of two stacks: BART (Lewis et al. 2020), an encoder and a decoder that attends to it.

    python generate.py two_stacks --out tests/parity/two_stacks

A small random model, its maps of three sites, streams and scores for two pairs of texts of different lengths, without edits and with
some at each site. The stacks differ in layers, heads and widths. Compared in tests/parity/two_stacks_test.cpp; layout: README.md.
"""

import random
import shutil

import torch
import transformers
from safetensors.torch import save_file

from edit_cases import check_effects, edit_tensors, open_reference, value_tensors
from edited_runs import ATTENTION, FEED_FORWARD, Cut, HeadEdit, LeftOut, Places, run_edited
from golden_files import batch_tensors, randomise

PAIRS = [(7, 5), (11, 8)]  # tokens of source and target


def config():
    """Encoder heads of width 7, decoder heads of width 5."""
    return transformers.BartConfig(
        vocab_size=53, d_model=35, encoder_layers=3, decoder_layers=2, encoder_attention_heads=5, decoder_attention_heads=7,
        encoder_ffn_dim=43, decoder_ffn_dim=37, max_position_embeddings=21, scale_embedding=True, pad_token_id=1, bos_token_id=0,
        eos_token_id=2, decoder_start_token_id=2, forced_eos_token_id=None)


def places():
    encoder = Places("model.encoder.layers", "self_attn", "self_attn.out_proj", 5, "self_attn.out_proj", "fc2")
    decoder = Places("model.decoder.layers", "self_attn", "self_attn.out_proj", 7, "self_attn.out_proj", "fc2")
    cross = Places("model.decoder.layers", "encoder_attn", "encoder_attn.out_proj", 7, "encoder_attn.out_proj")
    return {"encoder": encoder, "decoder": decoder, "cross": cross}


def sets_of_edits(generator):
    """(pair, edits) of each run: every kind of edit at every site."""
    vector = lambda width: torch.randn(width, generator=generator)
    cuts = lambda site, layer, head, pairs: [Cut(layer, head, query, key, site) for query, key in pairs]
    return [
        (0, []),
        (1, []),
        (0, [HeadEdit(0, 3, replacement=vector(7), site="encoder"), LeftOut(2, FEED_FORWARD, "encoder")]),
        (1, [HeadEdit(1, 6, factor=0.5, site="decoder"), HeadEdit(0, 2, replacement=vector(5), site="cross")]),
        (1, [*cuts("cross", 1, 4, [(query, 3) for query in range(8)]), *cuts("decoder", 1, 0, [(4, 2), (7, 7)]),
             *cuts("encoder", 1, 3, [(5, 5)])]),  # one layer at every site, so that a cut at a wrong one shows
        (0, [*cuts("encoder", 0, 2, [(0, 6), (6, 0)]), LeftOut(1, ATTENTION, "cross")]),
        (1, [LeftOut(0, ATTENTION, "decoder"), LeftOut(1, FEED_FORWARD, "decoder"), LeftOut(0, ATTENTION, "encoder")]),
    ]


def save_model(folder, generator):
    shutil.rmtree(folder, ignore_errors=True)
    model = transformers.BartForConditionalGeneration(config()).eval()
    randomise(model, generator, 1.0, False)
    with torch.no_grad():
        model.model.shared.weight.mul_(0.6)  # drawn at 0.7 and scaled by sqrt(35)
        model.final_logits_bias.copy_(torch.randn(model.final_logits_bias.shape, generator=generator))
    model.save_pretrained(folder)
    (folder / "generation_config.json").unlink(missing_ok=True)


def make_two_stacks(arguments):
    generator = torch.Generator().manual_seed(20240608)
    save_model(arguments.out, generator)
    model = open_reference(transformers.BartForConditionalGeneration, arguments.out)
    rng = random.Random("two stacks")
    text = lambda length: ([rng.randrange(3, 53) for _ in range(length)], [0] * length)
    pairs = [(text(source), text(target)) for source, target in PAIRS]
    runs = sets_of_edits(generator)
    run = lambda pair, edits: run_edited(model, places(), edits, input_ids=torch.tensor([pairs[pair][0][0]]),
                                         decoder_input_ids=torch.tensor([pairs[pair][1][0]]))
    results = [run(*one) for one in runs]
    check_effects("two_stacks", runs, results, "decoder")
    named = lambda prefix, batch: {f"{prefix}.{key}": value for key, value in batch.items()}
    tensors = {**named("source", batch_tensors([source for source, _ in pairs])),
               **named("target", batch_tensors([target for _, target in pairs])), **edit_tensors(runs),
               **value_tensors(results, ["encoder", "decoder", "cross"], ["encoder", "decoder"])}
    save_file(tensors, arguments.out / "golden.safetensors")
    top = {site: results[0].site_maps(site).amax(-1).mean().item() for site in ("encoder", "decoder", "cross")}
    print({file.name: file.stat().st_size for file in sorted(arguments.out.iterdir())}, f"mean row maxima {top}")
