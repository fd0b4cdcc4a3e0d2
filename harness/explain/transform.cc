#include "harness/explain/transform.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <stdexcept>

#include "harness/compare/compare_tensors.h"
#include "harness/compare/element.h"
#include "model/arith/bfloat16.h"
#include "model/arith/float16.h"
#include "model/arith/float32.h"

namespace samebits::harness {
namespace {

using Kind = Transform::Kind;

int64_t StrideOf(const TensorSpec& spec, int dim) {
  int64_t stride = 1;
  for (size_t d = static_cast<size_t>(dim) + 1; d < spec.shape.size(); ++d) stride *= spec.shape[d];
  return stride;
}

/// Rounded to the type.
uint32_t ToBits(DType dtype, float value) {
  switch (dtype) {
    case DType::kBf16:
      return arith::RoundToBf16(value);
    case DType::kF16:
      return arith::RoundToF16(value);
    case DType::kF32:
      return arith::ToBits(arith::Canonical(value));
    case DType::kI32:
      return static_cast<uint32_t>(std::lrint(value));
  }
  return 0;
}

void SetBits(int64_t index, uint32_t bits, Tensor* tensor) {
  const size_t size = SizeOf(tensor->spec.dtype);
  std::memcpy(tensor->data.data() + static_cast<size_t>(index) * size, &bits, size);
}

Tensor MapElements(const Tensor& tensor, const std::function<uint32_t(uint32_t)>& map) {
  Tensor out(tensor.spec);
  const int64_t count = tensor.spec.elements();
  for (int64_t i = 0; i < count; ++i) SetBits(i, map(ElementBits(tensor, i)), &out);
  return out;
}

/// out[.., i, ..] = in[.., source(i), ..] along a dimension.
Tensor MapIndices(const Tensor& tensor, int dim, const std::function<int64_t(int64_t)>& source) {
  Tensor out(tensor.spec);
  const int64_t extent = tensor.spec.shape[dim], inner = StrideOf(tensor.spec, dim);
  const int64_t outer = tensor.spec.elements() / std::max<int64_t>(1, extent * inner);
  const size_t bytes = static_cast<size_t>(inner) * SizeOf(tensor.spec.dtype);
  for (int64_t i = 0; i < extent; ++i) {
    const int64_t from = source(i);
    for (int64_t o = 0; o < outer; ++o) {
      std::memcpy(out.data.data() + static_cast<size_t>(o * extent + i) * bytes,
                  tensor.data.data() + static_cast<size_t>(o * extent + from) * bytes, bytes);
    }
  }
  return out;
}

Tensor Transpose(const Tensor& tensor, int dim) {
  Tensor out(tensor.spec);
  const int64_t n = tensor.spec.shape[dim], inner = StrideOf(tensor.spec, dim + 1);
  const int64_t pages = tensor.spec.elements() / (n * n * inner);
  const size_t bytes = static_cast<size_t>(inner) * SizeOf(tensor.spec.dtype);
  for (int64_t p = 0; p < pages; ++p) {
    const std::byte* from = tensor.data.data() + static_cast<size_t>(p * n * n) * bytes;
    std::byte* to = out.data.data() + static_cast<size_t>(p * n * n) * bytes;
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        std::memcpy(to + static_cast<size_t>(i * n + j) * bytes,
                    from + static_cast<size_t>(j * n + i) * bytes, bytes);
      }
    }
  }
  return out;
}

Tensor MapValues(const Transform& transform, const Tensor& tensor) {
  const DType dtype = tensor.spec.dtype;
  const auto rounded = [&](auto round) {
    return MapElements(tensor, [&](uint32_t bits) {
      if (bits == PoisonBits(dtype)) return bits;
      return ToBits(dtype, round(ToFloat(dtype, bits)));
    });
  };
  switch (transform.kind) {
    case Kind::kFactor:
      return rounded([&](float x) { return x * transform.factor; });
    case Kind::kToBf16:
      return rounded([](float x) { return arith::Widen(arith::RoundToBf16(x)); });
    case Kind::kToBf16Rz:
      return rounded([](float x) { return arith::Widen(arith::TruncateToBf16(x)); });
    case Kind::kToF16:
      return rounded([](float x) { return arith::WidenF16(arith::RoundToF16(x)); });
    case Kind::kFlushed:
      return rounded([](float x) { return arith::FlushSubnormal(x); });
    case Kind::kUnsigned:
      return rounded([](float x) { return x == 0.0f ? 0.0f : x; });
    default:
      throw std::logic_error("not a transform of values");
  }
}

Tensor Filled(const TensorSpec& spec, uint32_t bits) {
  Tensor tensor(spec);
  const int64_t count = spec.elements();
  for (int64_t i = 0; i < count; ++i) SetBits(i, bits, &tensor);
  return tensor;
}

void AddLayouts(const TensorSpec& spec, std::vector<Transform>* list) {
  const int rank = static_cast<int>(spec.shape.size());
  for (int d = rank - 2; d >= 0; --d) {
    const bool square = spec.shape[d] == spec.shape[d + 1] && spec.shape[d] > 1;
    if (square) list->push_back({.kind = Kind::kTransposed, .dim = d});
  }
  for (int d = 0; d < rank; ++d) {
    const int64_t n = spec.shape[d];
    if (n < 2) continue;
    for (const int64_t amount : {-1, 1}) {
      list->push_back({.kind = Kind::kShifted, .dim = d, .amount = amount});
      if (n > 2) list->push_back({.kind = Kind::kRotated, .dim = d, .amount = amount});
    }
    list->push_back({.kind = Kind::kReversed, .dim = d});
    list->push_back({.kind = Kind::kBroadcast, .dim = d});
    if (n < 4 || n % 2 != 0) continue;
    for (const Kind kind : {Kind::kHalvesSwapped, Kind::kInterleaved, Kind::kParted}) {
      list->push_back({.kind = kind, .dim = d});
    }
  }
}

}  // namespace

bool MapsIndices(const Transform& transform) {
  switch (transform.kind) {
    case Kind::kShifted:
    case Kind::kRotated:
    case Kind::kReversed:
    case Kind::kBroadcast:
    case Kind::kHalvesSwapped:
    case Kind::kInterleaved:
    case Kind::kParted:
    case Kind::kPermuted:
      return true;
    default:
      return false;
  }
}

int64_t SourceIndex(const Transform& transform, int64_t extent, int64_t i) {
  const int64_t n = extent;
  switch (transform.kind) {
    case Kind::kShifted:
      return std::clamp<int64_t>(i + transform.amount, 0, n - 1);
    case Kind::kRotated:
      return (i + n + transform.amount) % n;
    case Kind::kReversed:
      return n - 1 - i;
    case Kind::kBroadcast:
      return 0;
    case Kind::kHalvesSwapped:
      return (i + n / 2) % n;
    case Kind::kInterleaved:
      return i / 2 + i % 2 * (n / 2);
    case Kind::kParted:
      return i * 2 % n + i * 2 / n;
    case Kind::kPermuted:
      return transform.source.at(i);
    default:
      throw std::logic_error("not a transform of indices");
  }
}

namespace {

/// Consecutive indices that stay together.
int64_t BlockOf(const std::vector<int64_t>& source) {
  const auto n = static_cast<int64_t>(source.size());
  int64_t block = n;
  for (int64_t run = 1, i = 1; i <= n; ++i, ++run) {
    if (i < n && source[i] == source[i - 1] + 1) continue;
    block = std::gcd(block, run);
    run = 0;
  }
  return block;
}

/// "in the order 1,0 of blocks of 128 channels", "in the order 2,0,1 of heads".
std::string OrderText(const std::vector<int64_t>& source, const std::string& dim) {
  constexpr size_t kListed = 32;
  const int64_t block = BlockOf(source);
  std::string order;
  for (size_t b = 0; b * block < source.size(); ++b) {
    order += fmt::format("{}{}", b ? "," : "",
                         b < kListed ? std::to_string(source[b * block] / block) : "...");
    if (b == kListed) break;
  }
  const std::string blocks = block > 1 ? fmt::format("blocks of {} ", block) : "";
  return fmt::format("in the order {} of {}{}s", order, blocks, dim);
}

}  // namespace

std::vector<Transform> TransformsOf(const TensorSpec& spec) {
  std::vector<Transform> list = {{.kind = Kind::kZero}};
  if (spec.dtype == DType::kI32) return list;
  list.push_back({.kind = Kind::kOne});
  for (const float factor : {-1.0f, 2.0f, 0.5f}) {
    list.push_back({.kind = Kind::kFactor, .factor = factor});
  }
  for (const Kind kind : {Kind::kFlushed, Kind::kUnsigned}) list.push_back({.kind = kind});
  if (spec.dtype == DType::kF32) {
    for (const Kind kind : {Kind::kToBf16, Kind::kToBf16Rz, Kind::kToF16}) {
      list.push_back({.kind = kind});
    }
  }
  AddLayouts(spec, &list);
  return list;
}

std::vector<Transform> TableTransformsOf(const TensorSpec& spec) {
  constexpr int64_t kNear = 4;  // places that a table is off by
  std::vector<Transform> list;
  for (int d = 0; d < static_cast<int>(spec.shape.size()); ++d) {
    const int64_t n = spec.shape[d];
    for (int64_t amount = 1; amount < std::min(n, kNear); ++amount) {
      list.push_back({.kind = Kind::kRotated, .dim = d, .amount = amount});
    }
    if (n > kNear) list.push_back({.kind = Kind::kRotated, .dim = d, .amount = -1});
    if (n > 1) list.push_back({.kind = Kind::kReversed, .dim = d});
    for (int64_t i = 0; i + 1 < std::min(n, kNear); ++i) {
      Transform swapped = {.kind = Kind::kPermuted, .dim = d};
      swapped.source.resize(n);
      std::iota(swapped.source.begin(), swapped.source.end(), int64_t{0});
      std::swap(swapped.source[i], swapped.source[i + 1]);
      list.push_back(std::move(swapped));
    }
  }
  return list;
}

Tensor Apply(const Transform& transform, const Tensor& tensor, const Tensor* other) {
  const int dim = transform.dim;
  if (MapsIndices(transform)) {
    const int64_t extent = tensor.spec.shape[dim];
    return MapIndices(tensor, dim, [&](int64_t i) { return SourceIndex(transform, extent, i); });
  }
  switch (transform.kind) {
    case Kind::kNeverWritten:
      return Filled(tensor.spec, PoisonBits(tensor.spec.dtype));
    case Kind::kZero:
      return Tensor(tensor.spec);
    case Kind::kOne:
      return Filled(tensor.spec, ToBits(tensor.spec.dtype, 1.0f));
    case Kind::kTransposed:
      return Transpose(tensor, dim);
    case Kind::kReplaced: {
      Tensor out = *other;
      out.spec = tensor.spec;
      return out;
    }
    default:
      return MapValues(transform, tensor);
  }
}

std::string Text(const Transform& transform, const TensorSpec& spec) {
  const std::string along = transform.dim < 0 ? "" : " along " + spec.dims[transform.dim];
  switch (transform.kind) {
    case Kind::kNeverWritten:
      return "never written";
    case Kind::kZero:
      return "zero";
    case Kind::kOne:
      return "one";
    case Kind::kFactor:
      if (transform.factor == -1) return "negated";
      return fmt::format("times {}", transform.factor);
    case Kind::kTransposed:
      return fmt::format("transposed ({}, {})", spec.dims[transform.dim],
                         spec.dims[transform.dim + 1]);
    case Kind::kShifted:
      return fmt::format("shifted by {}{}", transform.amount, along);
    case Kind::kRotated:
      return fmt::format("rotated by {}{}", transform.amount, along);
    case Kind::kReversed:
      return "reversed" + along;
    case Kind::kHalvesSwapped:
      return "halves swapped" + along;
    case Kind::kInterleaved:
      return "halves interleaved" + along;
    case Kind::kParted:
      return "even elements before odd ones" + along;
    case Kind::kBroadcast:
      return "that of " + spec.dims[transform.dim] + "=0" + " everywhere";
    case Kind::kPermuted:
      return OrderText(transform.source, spec.dims[transform.dim]);
    case Kind::kToBf16:
      return "rounded to bf16";
    case Kind::kToBf16Rz:
      return "truncated to bf16";
    case Kind::kToF16:
      return "rounded to f16";
    case Kind::kFlushed:
      return "subnormals flushed to zero";
    case Kind::kUnsigned:
      return "-0 turned into +0";
    case Kind::kReplaced:
      return "replaced by " + transform.other;
  }
  return {};
}

}  // namespace samebits::harness
