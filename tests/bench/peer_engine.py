"""The same work as attnviz_engine_time, by PyTorch: MODEL_FOLDER N_TOKENS THREADS REPEATS -> one line of JSON.

Eager attention, since no other implementation gives the patterns. Loading is not counted, two runs warm up.
"""
import json
import sys
import time

import torch
from transformers import AutoModel


def main():
    folder, n_token, n_thread, n_repeat = sys.argv[1], *map(int, sys.argv[2:5])
    torch.set_num_threads(n_thread)
    model = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    ids = torch.tensor([[(1000 + 37 * i) % model.config.vocab_size for i in range(n_token)]])
    times = []
    with torch.inference_mode():
        for repeat in range(n_repeat + 2):
            start = time.perf_counter()
            attentions = model(input_ids=ids, output_attentions=True).attentions
            took = (time.perf_counter() - start) * 1000
            assert len(attentions) == model.config.num_hidden_layers and attentions[0].shape[-2:] == (n_token, n_token)
            if repeat >= 2:
                times.append(took)
    times.sort()
    print(json.dumps({"min_ms": round(times[0], 3), "median_ms": round(times[len(times) // 2], 3)}))


if __name__ == "__main__":
    main()
