"""All attention patterns of a model by a peer: ENGINE MODEL N_TOKENS BATCH THREADS REPEATS -> one line of JSON with min_ms and median_ms.

torch: transformers with eager attention, since no other implementation of PyTorch's gives the patterns. onnx: ONNX Runtime on the
same graph, exported once and cut to the attentions, so that nothing runs which they do not need. Tokenizing is counted, loading is
not; two runs warm up. MODEL is a folder as save_pretrained writes it, or (torch) a .gguf file.
"""
import json
import pathlib
import sys
import time

import torch
from tokenizers import Tokenizer
from transformers import AutoModel, AutoTokenizer

WORDS = "the old house by the river was sold to a family who wanted to keep it as it had been when they first saw".split()


class Attentions(torch.nn.Module):
    """Nothing but the patterns comes out."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_ids):
        return self.model(input_ids=input_ids, output_attentions=True).attentions


def open_torch(path):
    if path.suffix == ".gguf":
        names = {"pretrained_model_name_or_path": path.parent, "gguf_file": path.name}
        model = AutoModel.from_pretrained(**names, attn_implementation="eager", dtype=torch.float32).eval()
        tokenizer = AutoTokenizer.from_pretrained(**names)
        return model, lambda texts: tokenizer(texts)["input_ids"]
    model = AutoModel.from_pretrained(path, attn_implementation="eager", dtype=torch.float32).eval()
    tokenizer = Tokenizer.from_file(str(path / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return model, lambda texts: [encoding.ids for encoding in tokenizer.encode_batch(texts)]


def run_torch(path, n_thread):
    torch.set_num_threads(n_thread)
    model, encode = open_torch(path)

    def run(texts):
        with torch.inference_mode():
            return [a.shape for a in model(input_ids=torch.tensor(encode(texts)), output_attentions=True).attentions]

    return run, encode


def run_onnx(path, n_thread):
    import onnxruntime

    model, encode = open_torch(path)
    graph = pathlib.Path(sys.argv[0]).resolve().parents[2] / "build" / "bench" / f"{path.name}.onnx"
    if not graph.exists():
        graph.parent.mkdir(parents=True, exist_ok=True)
        outputs = [f"attention_{layer}" for layer in range(model.config.num_hidden_layers)]
        axes = {name: {0: "batch", 2: "query", 3: "key"} for name in outputs} | {"input_ids": {0: "batch", 1: "token"}}
        torch.onnx.export(Attentions(model), (torch.ones(2, 16, dtype=torch.long),), str(graph), input_names=["input_ids"],
                          output_names=outputs, dynamic_axes=axes, opset_version=17, dynamo=False)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = n_thread
    session = onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
    return lambda texts: [a.shape for a in session.run(None, {"input_ids": encode(texts)})], encode


def text_of(n_token, encode):
    text = WORDS[0]
    for i in range(1, 4 * n_token):
        if len(encode([text])[0]) >= n_token:
            break
        text += " " + WORDS[i % len(WORDS)]
    assert len(encode([text])[0]) == n_token, "no text of that many tokens"
    return text


def main():
    engine, path = sys.argv[1], pathlib.Path(sys.argv[2])
    n_token, batch, n_thread, n_repeat = map(int, sys.argv[3:7])
    run, encode = {"torch": run_torch, "onnx": run_onnx}[engine](path, n_thread)
    texts = [text_of(n_token, encode)] * batch
    times = []
    for repeat in range(n_repeat + 2):
        start = time.perf_counter()
        shapes = run(texts)
        took = (time.perf_counter() - start) * 1000
        assert all(shape[0] == batch and shape[-1] == n_token for shape in shapes)
        if repeat >= 2:
            times.append(took)
    times.sort()
    print(json.dumps({"min_ms": round(times[0], 3), "median_ms": round(times[len(times) // 2], 3)}))


if __name__ == "__main__":
    main()
