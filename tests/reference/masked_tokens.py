"""Scores of the masked-token heads of the small encoders, at every row.

    python generate.py masked --models tests/parity/data --out tests/parity/data/masked_tokens.safetensors

The next-token heads' are in the models' own goldens (`logits`). Compared in tests/parity/logits_test.cpp.
"""

import random

import torch
import transformers
from safetensors.torch import save_file

from edit_cases import model_inputs, open_reference
from golden_files import batch_tensors, inputs

# One for each way in which a file spells its head: tied or not, of the embedding's width or the model's, older names.
CASES = ["albert", "bert_masked_lm_bf16", "bert_old_masked_lm", "bert_pretraining_f16", "bert_untied_masked_lm",
         "camembert_masked_lm", "deberta_masked_lm", "deberta_v3", "distilbert_masked_lm", "electra_generator", "modernbert",
         "mpnet", "roberta_masked_lm", "xlm_roberta"]


def make_masked(arguments):
    tensors = {}
    for name in CASES:
        model = open_reference(transformers.AutoModelForMaskedLM, arguments.models / name)
        rng = random.Random("masked tokens of " + name)
        texts = inputs([1, 7, 9], model.config.vocab_size, getattr(model.config, "type_vocab_size", 0), None, rng)
        with torch.no_grad():
            rows = [model(**model_inputs(model, *text)).logits[0] for text in texts]
        case = {**batch_tensors(texts), "logits": torch.cat(rows)}
        tensors |= {f"{name}.{key}": value for key, value in case.items()}
        print(f"{name}: largest score {case['logits'].abs().max():.2f}")
    save_file(tensors, arguments.out)
