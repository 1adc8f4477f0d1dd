"""The picture of one head as people make it in Python: MODEL_FOLDER TEXT LAYER HEAD FILE. What compare.py sets against the program."""
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import torch
from transformers import AutoModel, AutoTokenizer


def main():
    folder, text, layer, head, file = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    inputs = tokenizer(text, return_tensors="pt")
    with torch.inference_mode():
        weights = model(**inputs, output_attentions=True).attentions[layer][0, head].numpy()
    labels = tokenizer.convert_ids_to_tokens(inputs["input_ids"][0].tolist())
    figure, axes = plt.subplots(figsize=(5.2, 5.2), dpi=96)
    image = axes.imshow(weights, cmap="Blues", vmin=0)
    axes.set_xticks(range(len(labels)), labels, rotation=90)
    axes.set_yticks(range(len(labels)), labels)
    axes.xaxis.tick_top()
    axes.set_xlabel("key (attended to)")
    axes.set_ylabel("query (attends)")
    figure.colorbar(image, label="attention weight", shrink=0.6)
    axes.set_title(f"Layer {layer}, head {head}")
    figure.savefig(file, bbox_inches="tight")


if __name__ == "__main__":
    main()
