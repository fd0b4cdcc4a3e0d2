#!/usr/bin/python3
"""A user's program for `samebits reveal kda_decode --backend exec:... --stage dot`.

Computes the tap `dot` of token 0: keys after convolution, SiLU and normalisation, the state after
its decay, and their dot products in an order of its own: neighbours first, products rounded.
"""
import json
import pathlib
import sys

import numpy as np

folder = pathlib.Path(sys.argv[1])
request = json.loads((folder / "request.json").read_text())
tensors = {(t["group"], t["name"]): t for t in request["tensors"]}
TYPES = {"bf16": np.uint16, "f16": np.float16, "f32": np.float32, "i32": np.int32}


def read(name):
    tensor = tensors["inputs", name]
    values = np.fromfile(folder / tensor["file"], TYPES[tensor["dtype"]]).reshape(tensor["shape"])
    if tensor["dtype"] == "bf16":
        values = (values.astype(np.uint32) << 16).view(np.float32)
    return values


def pairwise(terms):
    while terms.shape[-1] > 1:
        terms = terms[..., 0::2] + terms[..., 1::2]
    return terms[..., 0]


heads, tokens, requests = (int(request["config"][axis]) for axis in ("heads", "tokens", "requests"))
shape = tensors["taps", "dot"]["shape"]  # request, token, head, value
x = read("x").reshape(requests, tokens, 3, heads, 128)[:, 0, 1]
weight = read("weights").reshape(3, 4, heads, 128)[1, 3]
with np.errstate(over="ignore", invalid="ignore"):
    key = x * weight  # the probes leave the convolution's history at zero
    key = key / (np.float32(1) + np.exp(-key))
    key = key / np.sqrt((key * key).sum(-1, keepdims=True) + np.float32(1e-6))
    slots = read("slots").reshape(requests, -1)[:, 0]
    state = read("state")[slots]  # the probes switch the decay off
    dot = np.zeros(shape, np.float32)
    dot[:, 0] = pairwise(state * key[:, :, None, :])
dot.tofile(folder / tensors["taps", "dot"]["file"])
