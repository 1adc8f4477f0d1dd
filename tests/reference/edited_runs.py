"""Runs the reference with edits, by hooks on its modules, and keeps what passes them: maps, streams, what each block adds.

A head's context z is the input of the attention's output projection, so a hook before that module can scale or replace a head's
columns. A pair is cut inside softmax, which every eager attention calls once with its final scores, after scale, soft cap, bias and
mask. A block is left out by zeros in place of the output of the last module before the residual sum.

edit_cases.py, block_cases.py and two_stacks_case.py say which models and edits; README.md has the layout of the files.
"""

import contextlib
import dataclasses

import torch

SITES = {"self": 0, "encoder": 1, "decoder": 2, "cross": 3}  # as include/attnviz/site.h numbers them
ATTENTION, FEED_FORWARD = 0, 1  # as include/attnviz/edits.h numbers blocks


@dataclasses.dataclass(frozen=True)
class HeadEdit:
    layer: int
    head: int
    factor: float = 0.0
    replacement: torch.Tensor | None = None  # [K]
    site: str = "self"


@dataclasses.dataclass(frozen=True)
class Cut:
    layer: int
    head: int
    query: int
    key: int
    site: str = "self"


@dataclasses.dataclass(frozen=True)
class LeftOut:
    layer: int
    block: int
    site: str = "self"


@dataclasses.dataclass(frozen=True)
class Places:
    """Where one site's parts are, as names of modules below those of `layers`."""

    layers: str
    attention: str  # the module inside which softmax is called
    projection: str  # its output projection: z [1, T, H*K] -> [1, T, D]
    n_head: int
    attention_added: str  # the last module before the attention's residual sum
    feed_forward_added: str = ""  # of the feed-forward's; empty for cross-attention, which shares its layer's
    attention_norm: str = ""
    feed_forward_norm: str = ""
    value: str = ""  # the module that makes values, alone or as the last third of what it makes
    final_norm: str = ""  # the whole name


@dataclasses.dataclass
class Kept:
    """What a run has shown, by site and layer."""

    maps: dict  # site -> list of [H, Tq, Tk]
    stream: dict  # site -> list of L + 1 times [T, D]; none for "cross"
    context: dict  # (site, layer) -> [T, H*K], after any edit
    added: dict  # (site, layer, block) -> [T, D], after any edit
    norm_input: dict  # (layer, block), or "final" -> [T, D]
    value: dict  # layer -> [T, G*K or 3*H*K]
    logits: torch.Tensor | None = None  # [T, V]

    def site_maps(self, site):
        return torch.stack(self.maps[site])  # [L, H, Tq, Tk]

    def site_stream(self, site):
        return torch.stack(self.stream[site])  # [L + 1, T, D]


def first_of(output):
    return output[0] if isinstance(output, tuple) else output


def with_z_edits(z, edits, n_head):
    """z [1, T, H*K] with the heads' columns changed."""
    z = z.clone()
    width = z.shape[-1] // n_head
    for edit in edits:
        columns = slice(edit.head * width, (edit.head + 1) * width)
        z[..., columns] = z[..., columns] * edit.factor if edit.replacement is None else edit.replacement
    return z


class Hooks:
    """Puts the hooks of a run on the model's modules."""

    def __init__(self, model, edits, kept):
        self.model, self.edits, self.kept = model, edits, kept
        self.attending = None  # (site, layer) whose softmax comes next
        self.handles = []

    def before(self, name, call):
        module = self.model.get_submodule(name)
        self.handles.append(module.register_forward_pre_hook(call, with_kwargs=True))

    def after(self, name, call):
        self.handles.append(self.model.get_submodule(name).register_forward_hook(call))

    def remove(self):
        for handle in self.handles:
            handle.remove()

    def chosen(self, kind, site, layer):
        return [edit for edit in self.edits if isinstance(edit, kind) and (edit.site, edit.layer) == (site, layer)]

    def attend(self, site, layer):
        def call(module, args, kwargs):
            self.attending = (site, layer)

        return call

    def project(self, site, layer, n_head):
        def call(module, args, kwargs):
            z = with_z_edits(args[0], self.chosen(HeadEdit, site, layer), n_head)
            self.kept.context[site, layer] = z[0]
            return (z, *args[1:]), kwargs

        return call

    def add(self, site, layer, block):
        left_out = any(edit.block == block for edit in self.chosen(LeftOut, site, layer))

        def call(module, args, output):
            assert torch.is_tensor(output)
            output = torch.zeros_like(output) if left_out else output
            self.kept.added[site, layer, block] = output[0]
            return output

        return call

    def keep_input(self, target, key):
        def call(module, args, kwargs):
            target[key] = (args[0] if args else kwargs["hidden_states"])[0].clone()

        return call

    def keep_output(self, target, key):
        def call(module, args, output):
            target[key] = first_of(output)[0].clone()

        return call

    def follow_stream(self, site, places, n_layer):
        stream = self.kept.stream.setdefault(site, [None] * (n_layer + 1))
        self.before(f"{places.layers}.0", self.keep_input(stream, 0))
        for layer in range(n_layer):
            self.after(f"{places.layers}.{layer}", self.keep_output(stream, layer + 1))

    def place(self, site, places):
        n_layer = len(self.model.get_submodule(places.layers))
        self.kept.maps[site] = [None] * n_layer
        if places.feed_forward_added:
            self.follow_stream(site, places, n_layer)
        for layer in range(n_layer):
            module = f"{places.layers}.{layer}."
            self.before(module + places.attention, self.attend(site, layer))
            self.before(module + places.projection, self.project(site, layer, places.n_head))
            self.after(module + places.attention_added, self.add(site, layer, ATTENTION))
            if places.feed_forward_added:
                self.after(module + places.feed_forward_added, self.add(site, layer, FEED_FORWARD))
            for block, norm in ((ATTENTION, places.attention_norm), (FEED_FORWARD, places.feed_forward_norm)):
                if norm:
                    self.before(module + norm, self.keep_input(self.kept.norm_input, (layer, block)))
            if places.value:
                self.after(module + places.value, self.keep_output(self.kept.value, layer))
        if places.final_norm:
            self.before(places.final_norm, self.keep_input(self.kept.norm_input, "final"))

    @contextlib.contextmanager
    def softmax(self):
        """Cuts pairs in the scores, and keeps the maps."""
        plain = torch.nn.functional.softmax

        def cutting(scores, *args, **kwargs):
            site, layer = self.attending
            self.attending = None  # a second call for one layer is no attention
            scores = scores.clone()
            for cut in self.chosen(Cut, site, layer):
                scores[0, cut.head, cut.query, cut.key] = -torch.inf
            weights = plain(scores, *args, **kwargs)
            assert not weights.isnan().any(), "all keys of a row are cut"
            self.kept.maps[site][layer] = weights[0]
            return weights

        torch.nn.functional.softmax = cutting
        try:
            yield
        finally:
            torch.nn.functional.softmax = plain


def run_edited(model, places, edits=(), **inputs):
    """Runs the model with the edits; `places` by site, `inputs` as the model's forward names them."""
    kept = Kept({}, {}, {}, {}, {}, {})
    hooks = Hooks(model, edits, kept)
    try:
        for site, place in places.items():
            hooks.place(site, place)
        with torch.no_grad(), hooks.softmax():
            output = model(**inputs)
    finally:
        hooks.remove()
    kept.logits = output.logits[0] if "logits" in output else None
    return kept
