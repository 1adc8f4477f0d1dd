"""The golden of the default decoder, a GGUF file in blocks: maps on fifty texts, and greedy continuations of a few prompts.

The reference (LlamaForCausalLM, f32, eager) computes from the numbers that the gguf package makes of the blocks. Its table of
names and the order of rotary rows are those of llama.cpp's converter, undone here. Called by generate.py; the layout: README.md.
"""

import gguf
import numpy as np
import torch
import transformers
from gguf.quants import dequantize
from safetensors.torch import save_file

from decoder_lines import PROMPTS, decoder_lines
from golden_files import batch_tensors, i32
from greedy import continue_greedily

SAMPLED_CELLS = 4  # cells kept of each map; even ones are a row's maximum
LARGEST_WHOLE = 8  # tokens of the text whose maps are kept whole
N_NEW = 20


def setting(reader, name):
    return reader.fields[name].contents()


def read_config(reader):
    d_model, n_head = setting(reader, "llama.embedding_length"), setting(reader, "llama.attention.head_count")
    assert setting(reader, "llama.rope.dimension_count") == d_model // n_head
    return transformers.LlamaConfig(
        vocab_size=setting(reader, "llama.vocab_size"), hidden_size=d_model, num_attention_heads=n_head,
        num_key_value_heads=setting(reader, "llama.attention.head_count_kv"), num_hidden_layers=setting(reader, "llama.block_count"),
        intermediate_size=setting(reader, "llama.feed_forward_length"), max_position_embeddings=setting(reader, "llama.context_length"),
        rms_norm_eps=setting(reader, "llama.attention.layer_norm_rms_epsilon"), tie_word_embeddings=True,
        rope_parameters=dict(rope_type="default", rope_theta=setting(reader, "llama.rope.freq_base")),
        bos_token_id=setting(reader, "tokenizer.ggml.bos_token_id"), eos_token_id=setting(reader, "tokenizer.ggml.eos_token_id"))


def split_halves(rows, n_head):
    """Rows 2 i and 2 i + 1 of each head come to stand half a head apart."""
    return rows.reshape(n_head, rows.shape[0] // n_head // 2, 2, -1).swapaxes(1, 2).reshape(rows.shape)


def read_model(file):
    reader = gguf.GGUFReader(file)
    config = read_config(reader)
    stored = {tensor.name: dequantize(tensor.data, tensor.tensor_type) for tensor in reader.tensors}
    model = transformers.LlamaForCausalLM(config).eval()
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.LLAMA, config.num_hidden_layers)
    weights = {}
    for name in model.state_dict():
        if name == "lm_head.weight":
            continue  # tied
        numbers = stored.pop(names.get_name(name, try_suffixes=(".weight",)))
        if "q_proj" in name:
            numbers = split_halves(numbers, config.num_attention_heads)
        if "k_proj" in name:
            numbers = split_halves(numbers, config.num_key_value_heads)
        weights[name] = torch.tensor(numbers, dtype=torch.float32)
    assert not stored, stored.keys()
    missing = model.load_state_dict(weights, strict=False)
    assert missing.missing_keys in ([], ["lm_head.weight"]) and not missing.unexpected_keys
    model.tie_weights()
    model.set_attn_implementation("eager")
    return model


def maps_of(model, ids):
    with torch.no_grad():
        return torch.stack([one[0] for one in model(torch.tensor([ids]), output_attentions=True).attentions])


def sample_cells(maps, rng):
    """SAMPLED_CELLS cells of each [T, T] map: even ones the maximum of a random row, odd ones any that a causal row may have."""
    n_layer, n_head, length, _ = maps.shape
    shape = (n_layer, n_head, SAMPLED_CELLS)
    rows = rng.integers(0, length, shape)
    columns = rng.integers(0, rows + 1)
    layers, heads, cells = np.indices(shape)
    columns = np.where(cells % 2 == 0, maps.argmax(-1)[layers, heads, rows], columns)
    return rows, columns, maps[layers, heads, rows, columns]


def add_cells(golden, maps):
    rng = np.random.default_rng(20240912)
    rows, columns, values = zip(*(sample_cells(one.numpy(), rng) for one in maps))
    golden["cell_rows"] = torch.tensor(np.stack(rows), dtype=torch.uint8)  # [B, L, H, cells]
    golden["cell_columns"] = torch.tensor(np.stack(columns), dtype=torch.uint8)
    golden["cell_values"] = torch.tensor(np.stack(values), dtype=torch.float32)


def save_with_maps(golden, maps, full, file):
    whole = {"full_lines": i32(full), "maps": torch.cat([maps[index].flatten() for index in full])}
    save_file({**golden, **whole}, file)
    print(f"{file.name}: {file.stat().st_size} bytes, whole maps of {len(full)} texts")


def make_decoder(arguments):
    tokenizer = transformers.AutoTokenizer.from_pretrained(arguments.model.parent, gguf_file=arguments.model.name)
    model = read_model(arguments.model)
    texts = [tokenizer(line)["input_ids"] for line in decoder_lines()]
    lengths = [len(ids) for ids in texts]
    assert 1 == min(lengths) and max(lengths) <= 256, "row and column of a sampled cell are stored as one byte each"
    golden = batch_tensors([(ids, [0] * len(ids)) for ids in texts])
    golden |= continue_greedily(model, [tokenizer(prompt)["input_ids"] for prompt in PROMPTS], N_NEW)
    for prompt, gap in zip(PROMPTS, golden["greedy_gaps"].tolist()):
        print(f"{prompt!r}: smallest gap {gap:.4f}")
    maps = [maps_of(model, ids) for ids in texts]
    add_cells(golden, maps)
    print(f"{len(texts)} texts, {min(lengths)} to {max(lengths)} tokens")
    short = max((length, index) for index, length in enumerate(lengths) if length <= LARGEST_WHOLE)[1]
    save_with_maps(golden, maps, [short], arguments.out)
    if arguments.every_cell:
        save_with_maps(golden, maps, list(range(len(texts))), arguments.every_cell)
