"""Greedy continuations by the reference: what a generating program must write, token for token.

    python greedy.py --models tests/parity/data --out tests/parity/data/greedy.safetensors

does it for every small causal model there; default_decoder.py uses continue_greedily for the default decoder. A prompt is only
taken where the best token leads by more than SMALLEST_GAP at every step, so that rounding cannot decide a token.
"""

import argparse
import pathlib
import random

import torch
from safetensors.torch import save_file

import decoder_cases
import more_decoder_cases
from golden_files import i32

N_NEW = 8
SMALLEST_GAP = 1e-3
TRIALS = 60
# One token, a few, and more than every window (4) and the length from which LongRoPE turns otherwise (12); with 9 and N_NEW the
# text crosses that length.
PROMPT_LENGTHS = [1, 4, 9, 14]


def continue_one(model, prompt, n_new):
    """Ids that follow, and the smallest lead of a chosen token in the logits of its step."""
    with torch.no_grad():
        found = model.generate(torch.tensor([prompt]), attention_mask=torch.ones(1, len(prompt), dtype=torch.long), do_sample=False,
                               max_new_tokens=n_new, output_logits=True, return_dict_in_generate=True)
    new = found.sequences[0, len(prompt):].tolist()
    best = torch.stack([step[0] for step in found.logits]).topk(2).values
    return new, float((best[:, 0] - best[:, 1]).min())


def without_cache(model, prompt, n_new):
    ids = list(prompt)
    for _ in range(n_new):
        with torch.no_grad():
            ids.append(int(model(torch.tensor([ids]), use_cache=False).logits[0, -1].argmax()))
    return ids[len(prompt):]


def as_tensors(prompts, found):
    def offsets(lists):
        return i32([sum(map(len, lists[:i])) for i in range(len(lists) + 1)])

    new = [ids for ids, _ in found]
    return {"greedy_prompts": i32(sum(prompts, [])), "greedy_prompt_offsets": offsets(prompts), "greedy_ids": i32(sum(new, [])),
            "greedy_offsets": offsets(new), "greedy_gaps": torch.tensor([gap for _, gap in found])}


def continue_greedily(model, prompts, n_new):
    found = [continue_one(model, prompt, n_new) for prompt in prompts]
    assert all(gap > SMALLEST_GAP for _, gap in found), found
    return as_tensors(prompts, found)


def clear_prompts(name, model, n_vocab):
    """For each length a random prompt whose continuation is clear and, of those tried, has the most different tokens."""
    rng = random.Random(name)
    prompts = []
    for length in PROMPT_LENGTHS:
        best = (0, None, None)
        for _ in range(TRIALS):
            prompt = [rng.randrange(2, n_vocab) for _ in range(length)]
            new, gap = continue_one(model, prompt, N_NEW)
            if gap > SMALLEST_GAP and len(set(new)) > best[0]:
                best = (len(set(new)), prompt, new)
            if best[0] > 2:
                break
        _, prompt, new = best
        if prompt is None:
            raise SystemExit(f"{name}: no prompt of {length} tokens has a clear continuation")
        assert new == without_cache(model, prompt, N_NEW), (name, prompt)
        prompts.append(prompt)
    return prompts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    torch.set_num_threads(1)  # the models are tiny
    golden = {}
    for name, (model_class, config, _) in {**decoder_cases.cases(), **more_decoder_cases.cases()}.items():
        if not hasattr(model_class, "generate"):
            continue  # the model without its head
        model = model_class.from_pretrained(arguments.models / name, dtype=torch.float32, attn_implementation="eager").eval()
        model.generation_config.eos_token_id = None  # a random model ends anywhere; a continuation here never does
        model.generation_config.pad_token_id = 0
        tensors = continue_greedily(model, clear_prompts(name, model, config.vocab_size), N_NEW)
        golden |= {f"{name}.{part}": tensor for part, tensor in tensors.items()}
        print(name, "smallest gaps", [round(gap, 4) for gap in tensors["greedy_gaps"].tolist()])
    save_file(golden, arguments.out)


if __name__ == "__main__":
    main()
