"""Writes files of torch.save for tests/parity: the reader of pytorch_model.bin against PyTorch's own files.

    python torch_zip.py --models tests/parity/data --out tests/parity/torch_data

    *.bin            tensors of every type and kind of view, as several versions of the pickle protocol and checkpoints
    *.safetensors    the same tensors, contiguous, for comparison
    bert/            tests/parity/data/bert_classifier saved again as pytorch_model.bin, some matrices transposed
    bert_sharded/    bert_sharded saved again as pytorch_model-0000N-of-00004.bin with an index
"""

import argparse
import json
import pathlib
import shutil

import torch
from safetensors.torch import load_file, save_file


def twin(tensors):
    """Every tensor with bytes of its own, row-major: what safetensors can hold."""
    return {name: tensor.detach().clone(memory_format=torch.contiguous_format) for name, tensor in tensors.items()}


def views():
    """Tensors of each type, and views of each kind into a few storages."""
    generator = torch.Generator().manual_seed(4)
    base = torch.randn(5, 7, generator=generator)
    cube = torch.randn(3, 4, 5, generator=generator)
    return {
        "f32": base,
        "f16": base.half(),
        "bf16": base.bfloat16(),
        "f64": base.double(),
        "i64": torch.arange(-3, 4),
        "i32": torch.arange(-3, 4, dtype=torch.int32),
        "i16": torch.arange(-3, 4, dtype=torch.int16),
        "i8": torch.arange(-3, 4, dtype=torch.int8),
        "u8": torch.arange(7, dtype=torch.uint8),
        "bool": torch.tensor([True, False, True]),
        "scalar": torch.tensor(2.5),
        "empty": torch.zeros(0, 5),
        "shared": base,
        "shared_rows": base[1:4],
        "shared_flat": base.view(35),
        "transposed": base.t(),
        "transposed_again": base.t(),
        "columns": base[:, 2:5],
        "every_second": base[::2, ::3],
        "permuted": cube.permute(2, 0, 1),
        "middle": cube[:, 1:3, ::2],
        "diagonal": base.diagonal(),
        "expanded": torch.tensor([[1.0], [2.0]]).expand(2, 3),
        "expanded_ones": torch.arange(6).expand(1, -1),
        "half_transposed": base.half().t(),
        "parameter": torch.nn.Parameter(base + 1),
        "parameter_columns": torch.nn.Parameter((base + 2)[:, 1:3]),
        "name with spaces, and \u00e9": torch.ones(1),
    }


def write_views(folder):
    tensors = views()
    save_file(twin(tensors), folder / "views.safetensors")
    torch.save(tensors, folder / "views.bin")
    torch.save(tensors, folder / "views_protocol_4.bin", pickle_protocol=4)
    torch.save({"w": tensors["f32"]}, folder / "legacy.bin", _use_new_zipfile_serialization=False)


def write_checkpoint(folder):
    """What a training script saves: a state_dict with its _metadata among other things, among them an optimizer with tensors."""
    torch.manual_seed(5)
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.LayerNorm(4))
    optimizer = torch.optim.AdamW(model.parameters())
    model(torch.ones(2, 3)).sum().backward()
    optimizer.step()
    torch.save({"epoch": 3, "best": 0.5, "names": ["a", "b"], "shape": model[0].weight.shape, "random": 2**70, "model": model.state_dict(),
                "optimizer": optimizer.state_dict()}, folder / "checkpoint.bin")
    save_file(twin(model.state_dict()), folder / "checkpoint.safetensors")


def write_bert(models, out):
    """The third of the matrices is stored transposed, as a training script that ties or converts weights leaves them."""
    folder = out / "bert"
    folder.mkdir(exist_ok=True)
    source = models / "bert_classifier"
    tensors = load_file(source / "model.safetensors")
    for i, name in enumerate(sorted(tensors)):
        if tensors[name].dim() == 2 and i % 3 == 0:
            tensors[name] = tensors[name].t().contiguous().t()
    torch.save(tensors, folder / "pytorch_model.bin")
    shutil.copy(source / "config.json", folder)


def write_sharded(models, out):
    folder = out / "bert_sharded"
    folder.mkdir(exist_ok=True)
    source = models / "bert_sharded"

    def renamed(shard):
        return shard.replace("model-", "pytorch_model-").replace(".safetensors", ".bin")

    index = json.loads((source / "model.safetensors.index.json").read_text())
    for shard in sorted(set(index["weight_map"].values())):
        torch.save(load_file(source / shard), folder / renamed(shard))
    index["weight_map"] = {name: renamed(shard) for name, shard in index["weight_map"].items()}
    (folder / "pytorch_model.bin.index.json").write_text(json.dumps(index, indent=2, sort_keys=True) + "\n")
    shutil.copy(source / "config.json", folder)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--models", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    arguments.out.mkdir(exist_ok=True)
    write_views(arguments.out)
    write_checkpoint(arguments.out)
    write_bert(arguments.models, arguments.out)
    write_sharded(arguments.models, arguments.out)


if __name__ == "__main__":
    main()
