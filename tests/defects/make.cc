#include "tests/defects/make.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "golden/inputs.h"
#include "golden/run_case.h"
#include "harness/compare/element.h"

namespace samebits::defects {
namespace {

TensorSet Run(const Capture& capture, const Settings& config, const Contract& contract,
              const TensorSet& inputs) {
  return golden::RunModel(*capture.kernel, config, contract, true, inputs, 2).results;
}

Capture Expected(const Case& c) {
  Capture capture;
  capture.kernel = FindKernel(c.kernel);
  capture.config = capture.kernel->Complete(c.config);
  capture.style = c.style;
  capture.inputs = golden::GenerateInputs({capture.kernel, capture.config, c.style, 0}, 2);
  capture.expected =
      Run(capture, capture.config, capture.kernel->NamedContract(""), capture.inputs);
  return capture;
}

void SetBits(Tensor* tensor, int64_t index, uint32_t bits) {
  const size_t size = SizeOf(tensor->spec.dtype);
  std::memcpy(tensor->data.data() + static_cast<size_t>(index) * size, &bits, size);
}

size_t DimNamed(const TensorSpec& spec, std::string_view dim) {
  const auto found = std::ranges::find(spec.dims, dim);
  if (found == spec.dims.end()) throw std::out_of_range(spec.name + " has no such dimension");
  return static_cast<size_t>(found - spec.dims.begin());
}

}  // namespace

Capture Right(const Case& c) {
  Capture capture = Expected(c);
  capture.observed = capture.expected;
  return capture;
}

Capture OtherChoice(const Case& c, const std::string& choice, const std::string& value) {
  Capture capture = Expected(c);
  Contract contract = capture.kernel->NamedContract("");
  contract.choices.at(choice) = value;
  capture.observed = Run(capture, capture.config, contract, capture.inputs);
  return capture;
}

Capture OtherAxis(const Case& c, const std::string& axis, const std::string& value) {
  Capture capture = Expected(c);
  Settings config = capture.config;
  config.at(axis) = value;
  capture.observed = Run(capture, config, capture.kernel->NamedContract(""), capture.inputs);
  return capture;
}

Capture OtherInput(const Case& c, std::string_view input,
                   const std::function<void(Tensor*)>& change) {
  Capture capture = Expected(c);
  TensorSet inputs = capture.inputs;
  change(&inputs.At(Role::kInput, input));
  capture.observed = Run(capture, capture.config, capture.kernel->NamedContract(""), inputs);
  return capture;
}

Capture OtherResult(const Case& c, Role role, std::string_view tensor,
                    const std::function<void(const Capture&, Tensor*)>& change) {
  Capture capture = Right(c);
  change(capture, &capture.observed.At(role, tensor));
  return capture;
}

void Map(Tensor* tensor, const std::function<uint32_t(uint32_t)>& bits) {
  for (int64_t i = 0; i < tensor->spec.elements(); ++i) {
    SetBits(tensor, i, bits(harness::ElementBits(*tensor, i)));
  }
}

void MapAt(Tensor* tensor, std::string_view dim, int64_t at,
           const std::function<uint32_t(uint32_t)>& bits) {
  const size_t d = DimNamed(tensor->spec, dim);
  for (int64_t i = 0; i < tensor->spec.elements(); ++i) {
    if (harness::Coordinates(tensor->spec, i)[d] != at) continue;
    SetBits(tensor, i, bits(harness::ElementBits(*tensor, i)));
  }
}

void Rotate(Tensor* tensor, std::string_view dim) {
  const TensorSpec& spec = tensor->spec;
  const size_t d = DimNamed(spec, dim);
  int64_t inner = 1;
  for (size_t i = d + 1; i < spec.shape.size(); ++i) inner *= spec.shape[i];
  const auto bytes = inner * static_cast<int64_t>(SizeOf(spec.dtype));
  const int64_t extent = spec.shape[d];
  for (auto at = tensor->data.begin(); at != tensor->data.end(); at += extent * bytes) {
    std::rotate(at, at + bytes, at + extent * bytes);
  }
}

void Transpose(Tensor* tensor) {
  const Tensor from = *tensor;
  const int64_t n = from.spec.shape.back();
  for (int64_t i = 0; i < from.spec.elements(); ++i) {
    const int64_t page = i / (n * n), row = i / n % n, column = i % n;
    SetBits(tensor, i, harness::ElementBits(from, page * n * n + column * n + row));
  }
}

}  // namespace samebits::defects
