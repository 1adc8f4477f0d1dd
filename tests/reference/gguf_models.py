#!/usr/bin/env python3
"""Writes the parity models of the families as GGUF files, as llama.cpp's converter would: tests/parity/gguf/FAMILY.gguf.

Names come from gguf's own table, the changes to tensors are the converter's: rotary rows of Llama interleaved, Gemma's norms with
their 1 added, GPT-2's matrices transposed, GPT-NeoX's queries, keys and values put apart. The maps must then equal the golden of the
folder the model came from. Two more, "llama_q4_1" and "llama_q8_0", have random blocks of their own and a golden from the reference
on the numbers the blocks stand for. Needs torch, transformers, safetensors and gguf. Usage: gguf_models.py tests/parity
"""

import argparse
import json
import math
from pathlib import Path

import numpy as np
import torch
from gguf import MODEL_ARCH, GGMLQuantizationType, GGUFWriter, RopeScalingType, get_tensor_name_map
from gguf.quants import dequantize, quantize
from safetensors.numpy import save_file
from safetensors.torch import load_file
from transformers import LlamaConfig, LlamaForCausalLM

FOLDERS = {"bert": "bert", "gemma2": "gemma2", "gemma3": "gemma3", "gpt2": "gpt2", "gpt_neox": "gptneox", "llama": "llama",
           "llama_scaled": "llama", "phi3_longrope": "phi3", "qwen2": "qwen2", "qwen3": "qwen3"}
ARCHITECTURES = {"bert": MODEL_ARCH.BERT, "gemma2": MODEL_ARCH.GEMMA2, "gemma3": MODEL_ARCH.GEMMA3, "gpt2": MODEL_ARCH.GPT2,
                 "gptneox": MODEL_ARCH.GPTNEOX, "llama": MODEL_ARCH.LLAMA, "phi3": MODEL_ARCH.PHI3, "qwen2": MODEL_ARCH.QWEN2,
                 "qwen3": MODEL_ARCH.QWEN3}


def load_numbers(file):
    return {name: tensor.float().numpy() for name, tensor in load_file(file).items()}


def first_of(config, *names, default=None):
    return next((config[name] for name in names if config.get(name) is not None), default)


def interleave(rows, n_head):
    """Rows i and i + K/2 of each head come to stand together."""
    return rows.reshape(n_head, 2, rows.shape[0] // n_head // 2, -1).swapaxes(1, 2).reshape(rows.shape)


def converted(name, tensor, architecture, config):
    n_head = first_of(config, "num_attention_heads", "n_head")
    if architecture == "llama" and "q_proj" in name:
        return interleave(tensor, n_head)
    if architecture == "llama" and "k_proj" in name:
        return interleave(tensor, config["num_key_value_heads"])
    if architecture.startswith("gemma") and name.endswith("norm.weight"):
        return tensor + np.float32(1)
    if architecture == "gpt2" and name.endswith(("c_attn.weight", "c_proj.weight", "c_fc.weight")):
        return np.ascontiguousarray(tensor.T)
    if architecture == "gptneox" and ".query_key_value." in name:
        parts = tensor.reshape(n_head, 3, tensor.shape[0] // n_head // 3, -1).swapaxes(0, 1)
        return np.ascontiguousarray(parts).reshape(tensor.shape)
    return tensor


def rope_of(config):
    rope = config.get("rope_parameters") or {}
    if "full_attention" in rope:
        rope = rope["full_attention"]
    return {**(config.get("rope_scaling") or {}), **rope}


def llama3_factors(rope, theta, d_head):
    """What the converter stores for Llama 3.1's scaling."""
    factors = []
    for i in range(0, d_head, 2):
        wave = 2 * math.pi * theta ** (i / d_head)
        original = rope["original_max_position_embeddings"]
        low, high = rope["low_freq_factor"], rope["high_freq_factor"]
        if wave < original / high:
            factors.append(1.0)
        elif wave > original / low:
            factors.append(rope["factor"])
        else:
            smooth = (original / wave - low) / (high - low)
            factors.append(1 / ((1 - smooth) / rope["factor"] + smooth))
    return np.array(factors, dtype=np.float32)


def add_rope(writer, config, d_head, partial):
    rope = rope_of(config)
    theta = first_of(rope, "rope_theta", default=first_of(config, "rope_theta", "rotary_emb_base", default=10000.0))
    writer.add_rope_freq_base(theta)
    writer.add_rope_dimension_count(int(d_head * partial))
    kind = first_of(rope, "rope_type", "type")
    if kind == "linear":
        writer.add_rope_scaling_type(RopeScalingType.LINEAR)
        writer.add_rope_scaling_factor(rope["factor"])
    if kind == "llama3":
        writer.add_tensor("rope_freqs.weight", llama3_factors(rope, theta, d_head))
    if kind == "longrope":
        original = first_of(rope, "original_max_position_embeddings", default=config.get("original_max_position_embeddings"))
        scale = config["max_position_embeddings"] / original
        writer.add_rope_scaling_orig_ctx_len(original)
        factor = rope.get("attention_factor") or (1 if scale <= 1 else math.sqrt(1 + math.log(scale) / math.log(original)))
        writer.add_rope_scaling_attn_factors(factor)
        writer.add_tensor("rope_factors_long.weight", np.array(rope["long_factor"], dtype=np.float32))
        writer.add_tensor("rope_factors_short.weight", np.array(rope["short_factor"], dtype=np.float32))


def add_settings(writer, config, architecture):
    d_model, n_head = first_of(config, "hidden_size", "n_embd"), first_of(config, "num_attention_heads", "n_head")
    d_head = first_of(config, "head_dim", default=d_model // n_head)
    writer.add_block_count(first_of(config, "num_hidden_layers", "n_layer"))
    writer.add_context_length(first_of(config, "max_position_embeddings", "n_positions"))
    writer.add_embedding_length(d_model)
    writer.add_feed_forward_length(first_of(config, "intermediate_size", "n_inner", default=4 * d_model))
    writer.add_head_count(n_head)
    if "num_key_value_heads" in config:
        writer.add_head_count_kv(config["num_key_value_heads"])
    if "head_dim" in config:
        writer.add_key_length(d_head)
        writer.add_value_length(d_head)
    if "rms_norm_eps" in config:
        writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    else:
        writer.add_layer_norm_eps(first_of(config, "layer_norm_eps", "layer_norm_epsilon"))
    if architecture not in ("gpt2", "bert"):
        rope = rope_of(config)
        add_rope(writer, config, d_head, first_of(rope, "partial_rotary_factor", default=first_of(
            config, "partial_rotary_factor", "rotary_pct", default=1.0)))
    if config.get("sliding_window") and architecture in ("gemma2", "gemma3", "phi3"):
        writer.add_sliding_window(config["sliding_window"])
    if config.get("attn_logit_softcapping"):
        writer.add_attn_logit_softcapping(config["attn_logit_softcapping"])
    if config.get("final_logit_softcapping"):
        writer.add_final_logit_softcapping(config["final_logit_softcapping"])
    if config.get("query_pre_attn_scalar"):
        writer.add_attention_scale(config["query_pre_attn_scalar"] ** -0.5)
    if config.get("layer_types"):
        writer.add_sliding_window_pattern([kind == "sliding_attention" for kind in config["layer_types"]])
    if "sliding_attention" in (config.get("rope_parameters") or {}):
        writer.add_rope_freq_base_swa(config["rope_parameters"]["sliding_attention"]["rope_theta"])
    if architecture == "gptneox":
        writer.add_parallel_residual(config.get("use_parallel_residual", True))


def write_gguf(file, config, tensors, architecture, kind=None):
    """Matrices in blocks of `kind` where one is given; returns the stored numbers by the hub's names."""
    writer = GGUFWriter(file, architecture)
    add_settings(writer, config, architecture)
    names = get_tensor_name_map(ARCHITECTURES[architecture], first_of(config, "num_hidden_layers", "n_layer"))
    for name, tensor in sorted(tensors.items()):
        stored = names.get_name(name, try_suffixes=(".weight", ".bias"))
        if stored is None or (config.get("tie_word_embeddings") and name == "lm_head.weight"):
            print(f"{file.name}: without {name}")
            continue
        data = converted(name, tensor.astype(np.float32), architecture, config)
        if kind is not None and data.ndim == 2:
            blocks = quantize(data, kind)
            writer.add_tensor(stored, blocks, raw_dtype=kind)
        else:
            writer.add_tensor(stored, np.ascontiguousarray(data))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def write_blocks(folder, kind):
    """A llama of blocks: 6 query heads on 3 key/value heads."""
    torch.manual_seed(17)
    config = LlamaConfig(vocab_size=64, hidden_size=96, intermediate_size=32, num_hidden_layers=3, num_attention_heads=6,
                         num_key_value_heads=3, head_dim=16, max_position_embeddings=64, attn_implementation="eager")
    model = LlamaForCausalLM(config).eval()
    with torch.no_grad():
        for name, value in model.named_parameters():
            value.copy_(1 + 0.2 * torch.randn_like(value) if "norm" in name else 0.15 * torch.randn_like(value))
            if value.ndim == 2:  # rows are quantised one by one, so their order does not matter
                value.copy_(torch.from_numpy(dequantize(quantize(value.numpy(), kind), kind)))
    stem = f"llama_{kind.name.lower()}"
    state = {name: value.detach().numpy() for name, value in model.state_dict().items()}
    write_gguf(folder / f"{stem}.gguf", json.loads(config.to_json_string(use_diff=False)), state, "llama", kind)
    ids = torch.randint(0, 64, (1, 11))
    with torch.no_grad():
        maps = model(ids, output_attentions=True).attentions
    golden = {"ids": ids[0].numpy().astype(np.int32)}
    golden.update({f"pattern.{layer}": one[0].contiguous().numpy() for layer, one in enumerate(maps)})
    save_file(golden, folder / f"{stem}.golden.safetensors")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="tests/parity, which holds data/FAMILY")
    options = parser.parse_args()
    data, folder = options.folder / "data", options.folder / "gguf"
    folder.mkdir(exist_ok=True)
    for name, architecture in FOLDERS.items():
        config = json.loads((data / name / "config.json").read_text(encoding="utf-8"))
        write_gguf(folder / f"{name}.gguf", config, load_numbers(data / name / "model.safetensors"), architecture,
                   GGMLQuantizationType.BF16 if config["dtype"] == "bfloat16" else None)
    for kind in (GGMLQuantizationType.Q4_1, GGMLQuantizationType.Q8_0):
        write_blocks(folder, kind)


if __name__ == "__main__":
    main()
