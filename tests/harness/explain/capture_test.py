"""Captures made by the snippet of docs/explain.md: parts of tensors, other orders of dimensions."""
import json, re, subprocess, sys, types
import h5py
import numpy as np

SAMEBITS, DOC, FOLDER = sys.argv[1:4]


class Tensor:
    """What the snippet asks of a PyTorch tensor."""

    def __init__(self, array, dtype):
        self.array, self.dtype = array, dtype

    def detach(self):
        return self

    cpu = contiguous = detach

    def view(self, dtype):
        return Tensor(self.array.view(np.int16), dtype)

    def numpy(self):
        return self.array


def run(*arguments, status=0):
    done = subprocess.run([SAMEBITS, *arguments], cwd=FOLDER, capture_output=True, text=True)
    assert done.returncode == status, (arguments, done.returncode, done.stdout, done.stderr)
    return done


def snippet():
    torch = types.SimpleNamespace(bfloat16="bfloat16", float16="float16", int16="int16")
    code = re.search(r"```python\n(.*?)\nwrite_observed\(", open(DOC).read(), re.S).group(1)
    space = {"torch": torch}
    exec(code.replace("import h5py, torch", "import h5py"), space)
    return space["write_observed"]


def values(path):
    """Tensors of the only case by name, as PyTorch has them."""
    with h5py.File(f"{FOLDER}/{path}", locking=False) as f:
        case = next(iter(f["cases"].values()))
        found = {}
        for group in ("taps", "outputs"):
            for name, d in case[group].items():
                dtype = "bfloat16" if d.attrs["dtype"] == b"bf16" else "float32"
                found[f"{group}/{name}"] = Tensor(d[()], dtype)
        return case.attrs["id"].decode(), found


def explain(tensors, status=1, case=None):
    write_observed(f"{FOLDER}/seen.h5", "kda_decode", case or CASE[:8], tensors)
    done = run("explain", "golden.h5", "seen.h5", "--json", status=status)
    return json.loads(done.stdout)["cases"][0]


def names(case):
    return {change["name"] for finding in case["findings"] for change in finding["changes"]} | {
        change["name"] for finding in case["findings"]
        for other in finding["alternatives"] for change in other}


def part(tensor, *index):
    return Tensor(np.ascontiguousarray(tensor.array[index]), tensor.dtype)


write_observed = snippet()
CONFIG = ["--config", "tokens=2,heads=2,requests=2"]
run("generate", "kda_decode", *CONFIG, "-o", "golden.h5", "--store", "hashes", "--force")
run("generate", "kda_decode", *CONFIG, "-o", "same.h5", "--taps", "--force")
run("generate", "kda_decode", *CONFIG, "-o", "other.h5", "--taps", "--force", "--set",
    "update_multiply_add=separate,out_rounding=none")
CASE = json.loads(
    run("inspect", "golden.h5", "--json").stdout)["cases"][0]["id"]
same, other = values("same.h5")[1], values("other.h5")[1]

# Outputs alone, whole: both faults from the outputs.
outputs = {name: (t, {}) for name, t in other.items() if name.startswith("outputs/")}
assert {"update_multiply_add", "out_rounding"} <= names(explain(outputs))

# The state as [k][v].
state = other["outputs/state"]
turned = Tensor(np.ascontiguousarray(state.array.swapaxes(2, 3)), "float32")
turned_case = explain({"outputs/state": (turned, {"dims": "slot,head,key,value"})})
assert names(turned_case) == {"update_multiply_add"}, turned_case

# The same without saying so is a transposed state.
claimed = explain({"outputs/state": (Tensor(np.ascontiguousarray(
    same["outputs/state"].array.swapaxes(2, 3)), "float32"), {})})
assert "transposed (value, key)" in claimed["findings"][0]["sentence"], claimed

# One head, and one token without its dimension.
after = other["taps/state.after"]
head = explain({"taps/state.after": (part(after, slice(None), slice(None), slice(1, 2)), {"head": [1]})})
assert names(head) == {"update_multiply_add"}, head
token = explain({"taps/state.after": (part(after, slice(None), 0),
                                      {"token": 0, "dims": "request,head,value,key"})})
assert names(token) == {"update_multiply_add"}, token

# A bf16 output as float32 values; another name for the only case; nothing wrong.
wide = same["outputs/output"].array.astype(np.uint32) << 16
assert explain({"outputs/output": (Tensor(wide.view(np.float32), "float32"), {})}, 0,
               "anything")["verdict"] == "identical"

# float64 too, where every value is one of the type.
dot = same["taps/dot"].array.astype(np.float64)
assert explain({"taps/dot": (Tensor(dot, "float64"), {}),
                "outputs/output": (Tensor(wide.view(np.float32).astype(np.float64), "float64"), {})},
               0)["verdict"] == "identical"
assert "f64" in run("inspect", "seen.h5").stdout

# compare reads captures.
done = run("compare", "same.h5", "seen.h5")
assert "identical" in done.stdout, done.stdout

# So do slice and minimize: down to where the bits part, and to a smaller case.
write_observed(f"{FOLDER}/seen.h5", "kda_decode", CASE, {
    "taps/state.after": (part(after, slice(None), slice(None), slice(1, 2)), {"head": [1]})})
done = run("slice", "same.h5", "seen.h5", status=1)
assert "taps/state.after" in done.stdout and "head=1" in done.stdout, done.stdout
assert "the bits part here" in done.stdout, done.stdout
done = run("slice", "same.h5", "seen.h5", "--tensor", "state.after", "--at", "head=0", status=0)
done = run("minimize", "same.h5", "seen.h5", "--backend", "model", "--set",
           "update_multiply_add=separate,out_rounding=none", "--runs", "3", "-o", "small.h5", "--force")
assert "first difference: taps/state.after" in done.stdout, done.stdout

# inspect lists them; what wants a seal says which verb reads them.
done = run("inspect", "seen.h5")
assert "taps/state.after f32 [2, 2, 1, 128, 128]  parts of head" in done.stdout, done.stdout
assert json.loads(run("inspect", "seen.h5", "--json").stdout)["cases"][0]["tensors"][0]["parts"] == ["head"]
for verb in (["check", "seen.h5"], ["verify", "seen.h5", "--backend", "model"],
             ["compare", "seen.h5", "same.h5"]):
    done = run(*verb, status=2)
    assert "samebits explain GOLDEN seen.h5" in done.stderr, done.stderr
    assert done.stderr.count("\n") == 1, done.stderr

# An input that was captured wrongly: the results follow from the golden one.
with h5py.File(f"{FOLDER}/same.h5", locking=False) as f:
    slots = next(iter(f["cases"].values()))["inputs"]["slots"][()]
turned_slots = Tensor(np.ascontiguousarray(slots[::-1]), "int32")
wrong = explain({"inputs/slots": (turned_slots, {}), **{n: (t, {}) for n, t in same.items()}})
assert "as in the golden file, not as captured" in wrong["findings"][0]["sentence"], wrong

# Inputs alone say nothing about the computation.
write_observed(f"{FOLDER}/inputs.h5", "kda_decode", CASE, {"inputs/slots": (Tensor(slots, "int32"), {})})
assert "nothing but inputs was compared" in run("compare", "same.h5", "inputs.h5", status=77).stdout
assert "found inputs alone" in run("explain", "same.h5", "inputs.h5", status=2).stderr

# Errors name the tensor and what was expected.
def error(tensors, text):
    write_observed(f"{FOLDER}/seen.h5", "kda_decode", CASE, tensors)
    done = run("explain", "golden.h5", "seen.h5", status=4)
    assert text in done.stderr and done.stderr.count("\n") == 1, done.stderr

error({"taps/dot": (part(other["taps/dot"], slice(None), slice(None), 0), {})}, "attribute dims")
error({"taps/dot": (part(other["taps/dot"], slice(None), slice(None), slice(0, 1)), {})},
      "dimension head: expected extent 2")
error({"taps/dots": (other["taps/dot"], {})}, "not a tensor of kernel")
error({"outputs/output": (Tensor(np.full((4, 256), 1.1, np.float32), "float32"), {})},
      "outputs/output: element 0: expected a value of bf16, found 1.1 ")
dot = same["taps/dot"].array.astype(np.float64)
dot.flat[5] = 0.1
error({"taps/dot": (Tensor(dot, "float64"), {})},
      "taps/dot: element 5: expected a value of float32, found 0.1")
error({"taps/dot": (Tensor(same["taps/dot"].array.astype(">f4"), "float32"), {})},
      "found a big-endian float of 4 bytes")
# Captured inputs, parts of them too, are what the model runs on: the results no longer follow.
with h5py.File(f"{FOLDER}/same.h5", locking=False) as f:
    group = next(iter(f["cases"].values()))["inputs"]
    x, slots = group["x"][()], group["slots"][()]
row = (Tensor(np.zeros_like(x[:1]), "bfloat16"), {"token_row": [0]})
output = (same["outputs/output"], {})
assert explain({"inputs/x": row, "outputs/output": output})["verdict"] != "identical"

# Operands that no kernel may read are refused.
write_observed(f"{FOLDER}/seen.h5", "kda_decode", CASE,
               {"inputs/slots": (Tensor(np.full_like(slots, 99), "int32"), {}),
                "outputs/output": output})
done = run("explain", "golden.h5", "seen.h5", status=2)
assert "slots" in done.stderr and done.stderr.count("\n") == 1, done.stderr

# What was read is never replaced.
for verb in (["report", "golden.h5", "same.h5"], ["slice", "golden.h5", "--tensor", "dot", "--at", "value=1"],
             ["minimize", "golden.h5", "same.h5"]):
    done = run(*verb, "-o", "golden.h5", "--force", status=2)
    assert "expected another file" in done.stderr, done.stderr
print("captures: explained")
