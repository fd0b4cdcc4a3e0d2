#!/usr/bin/python3
"""Reads a golden file by golden/schema.md alone, and makes its input values again.

Usage: read_with_h5py.py FILE TENSOR=TEXTURE:SCALE...
"""
import sys

import h5py
import numpy as np

M = (1 << 64) - 1
G = 0x9E3779B97F4A7C15
F = np.float32


def mix(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & M
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & M
    return z ^ (z >> 31)


def key(style, seed, tensor):
    h = 0xCBF29CE484222325
    for byte in f"{style}/{seed}/{tensor}".encode():
        h = ((h ^ byte) * 0x100000001B3) & M
    return mix(h)


def bf16(value):
    bits = int(F(value).view(np.uint32))
    return (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16


def encode(dtype, value):
    return bf16(value) if dtype == "bf16" else int(F(value).view(np.uint32))


class Generator:
    def __init__(self, style, seed, tensor, dtype, shape, texture, scale):
        self.key, self.style, self.dtype = key(style, seed, tensor), style, dtype
        self.texture, self.scale = texture, F(scale)
        self.columns = shape[-1] if len(shape) > 0 else 1
        self.rows = shape[-2] if len(shape) > 1 else 1

    def draw(self, i):
        return mix((self.key + (i + 1) * G) & M)

    def asymmetry(self, i):
        row, column = i // self.columns % self.rows, i % self.columns
        return F(0.5) if self.texture in ("weight", "state") and row > column else F(1)

    def noise(self, i, d, factor):
        bell = sum((d >> (16 * k)) & 0xFFFF for k in range(4)) - 131070
        v = F(F(F(bell) * F(factor)) * self.scale)
        if self.texture == "gain":
            return encode(self.dtype, F(F(1) + v))
        return encode(self.dtype, F(v * self.asymmetry(i)))

    def bits(self, i):
        return getattr(self, self.style)(i)

    def realistic(self, i):
        return self.noise(i, self.draw(i), 2.0**-15)

    def wide(self, i):
        d = self.draw(i)
        sign = 0 if self.texture == "gain" else d >> 63
        pattern = sign << 31 | (127 - 24 + ((d >> 32) & 0xFFFF) % 33) << 23 | d & 0x7FFFFF
        v = np.uint32(pattern).view(F)
        return encode(self.dtype, F(F(v * self.scale) * self.asymmetry(i)))

    def tiny(self, i):
        d = self.draw(i)
        if d >> 62 == 0:
            return self.noise(i, mix((d + G) & M), 2.0**-15)
        fraction, shift = (7, 15) if self.dtype == "bf16" else (23, 31)
        sign = 0 if self.texture == "gain" else (d >> 61) & 1
        return sign << shift | ((d >> 32) & 3) << fraction | d & ((1 << fraction) - 1)

    def cancelling(self, i):
        if self.texture == "gain":
            return self.realistic(i)
        even = i - i % 2
        bits = self.noise(even, self.draw(even), 2.0 ** (-13 if self.texture == "logit" else -9))
        if i % 2 == 0:
            return bits
        sign, changed = (0x8000, 1) if self.dtype == "bf16" else (0x80000000, 0xFF)
        return bits ^ sign ^ (self.draw(i) & changed)

    def onehot(self, i):
        row, column = i // self.columns % self.rows, i % self.columns
        lattice = 3 * row + 5 * column + i // (self.rows * self.columns)
        if self.texture == "weight":
            return encode(self.dtype, lattice % 7 - 3)
        if self.texture == "state":
            return encode(self.dtype, lattice % 31 - 15)
        if self.texture == "gain":
            return encode(self.dtype, 1 + self.draw(i) % 2)
        if self.texture == "logit":
            return encode(self.dtype, self.draw(i) % 5 - 2)
        blocks = -(-self.columns // 128)
        block = column // 128
        width = min(128, self.columns - 128 * block)
        h = self.draw(i // self.columns * blocks + block)
        return encode(self.dtype, 1 + (h >> 32) % 3 if column % 128 == h % width else 0)


def main():
    path = sys.argv[1]
    recipes = dict(argument.split("=") for argument in sys.argv[2:])
    checked = 0
    with open(path, "rb") as file:
        seal = file.read(512).rstrip(b"\0").decode().split("\n")
        body = file.read()
    assert seal[0] == "samebits-file 1" and seal[1] == f"bytes {512 + len(body)}", seal
    with h5py.File(path, "r") as f:
        assert f.attrs["schema"] == b"samebits-golden" and f.attrs["schema_version"] == 1
        for case in sorted(f["cases"].values(), key=lambda c: c.attrs["index"]):
            style, seed = case.attrs["inputs_style"].decode(), int(case.attrs["seed"])
            for line in case["tensors"][:]:
                name, dtype, dims, xxh3 = line.decode().split(" ")
                data = case[name]
                assert data.attrs["dtype"].decode() == dtype
                assert data.attrs["xxh3"].decode() == xxh3
                shape = tuple(int(d.split("=")[1]) for d in dims.split(",")) if dims != "scalar" else ()
                assert data.shape == shape
                bits = data[()]
                assert bits.dtype == {"bf16": "<u2", "f16": "<u2", "f32": "<f4", "i32": "<i4"}[dtype]
                if dtype == "f32":
                    bits = bits.view(np.uint32)
                tensor = name.split("/")[1]
                if name.startswith("inputs/") and tensor in recipes and style not in ("specials", "discriminating"):
                    texture, scale = recipes[tensor].split(":")
                    g = Generator(style, seed, tensor, dtype, shape, texture, float(scale))
                    again = [g.bits(i) for i in range(bits.size)]
                    assert again == bits.reshape(-1).tolist(), (style, name)
                    checked += 1
    assert checked > 0
    print(f"{checked} input tensors made again")


if __name__ == "__main__":
    np.seterr(all="ignore")
    main()
