"""llama.cpp on the same tokens, without attention weights, which it does not give: MODEL N_TOKENS THREADS REPEATS -> one line of JSON.

The text's tokens are evaluated in one batch and the cache is emptied before each run. Loading is not counted, two runs warm up.
"""
import json
import sys
import time

from llama_cpp import Llama


def main():
    path, n_token, n_thread, n_repeat = sys.argv[1], *map(int, sys.argv[2:5])
    model = Llama(path, n_ctx=n_token, n_batch=n_token, n_ubatch=n_token, n_threads=n_thread, n_threads_batch=n_thread, verbose=False)
    tokens = [1000 + 37 * i % 20000 for i in range(n_token)]
    times = []
    for repeat in range(n_repeat + 2):
        model.reset()
        start = time.perf_counter()
        model.eval(tokens)
        if repeat >= 2:
            times.append((time.perf_counter() - start) * 1000)
    times.sort()
    print(json.dumps({"min_ms": round(times[0], 3), "median_ms": round(times[len(times) // 2], 3)}))


if __name__ == "__main__":
    main()
