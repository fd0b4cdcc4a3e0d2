#include "tests/gpu/simt/kda_decode_case.h"

#include <cstring>

#include "gpu/simt/backend.h"
#include "model/kda_decode/axes.h"
#include "model/kda_decode/kernel.h"
#include "tests/model/kda_decode/case.h"

namespace samebits::gpu::kda_ws {
namespace {

constexpr size_t kAlignment = 256;

/// Calls visit(byte offset in the allocation, first element, elements) for every run of elements
/// that follow each other.
template <typename Visit>
void ForRuns(const Operand& operand, const Visit& visit) {
  const auto& shape = operand.spec.shape;
  const auto size = static_cast<int64_t>(SizeOf(operand.spec.dtype));
  const bool dense = !shape.empty() && operand.strides.back() == size;
  const int64_t run = dense ? shape.back() : 1;
  for (int64_t e = 0; e < operand.spec.elements(); e += run) {
    int64_t rest = e, offset = operand.offset;
    for (size_t d = shape.size(); d-- > 0;) {
      offset += rest % shape[d] * operand.strides[d];
      rest /= shape[d];
    }
    visit(offset, e, run);
  }
}

}  // namespace

Image::Image(const MemoryPlan& plan, const TensorSet& inputs) : plan_(&plan) {
  for (const Allocation& allocation : plan.allocations) {
    std::vector<std::byte>& bytes = memory_.emplace_back();
    bytes.resize((static_cast<size_t>(allocation.bytes) + kAlignment) / 2 * 2 + kAlignment);
    FillPoison(DType::kBf16, bytes);
  }
  for (const Operand& operand : plan.operands) {
    if (operand.spec.role != Role::kInput) continue;
    const Tensor& tensor = inputs.At(Role::kInput, operand.spec.name);
    const size_t size = SizeOf(operand.spec.dtype);
    std::byte* to = start(static_cast<size_t>(operand.allocation));
    ForRuns(operand, [&](int64_t offset, int64_t e, int64_t run) {
      std::memcpy(to + offset, tensor.data.data() + static_cast<size_t>(e) * size,
                  static_cast<size_t>(run) * size);
    });
  }
}

std::byte* Image::start(size_t allocation) {
  std::byte* p = memory_[allocation].data();
  const auto misfit = reinterpret_cast<uintptr_t>(p) % kAlignment;
  return misfit == 0 ? p : p + (kAlignment - misfit);
}

const std::byte* Image::start(size_t allocation) const {
  return const_cast<Image*>(this)->start(allocation);
}

std::vector<void*> Image::addresses() {
  std::vector<void*> addresses;
  for (size_t i = 0; i < memory_.size(); ++i) addresses.push_back(start(i));
  return addresses;
}

std::string Image::FirstDifference(const Image& other) const {
  for (size_t i = 0; i < memory_.size(); ++i) {
    const int64_t bytes = plan_->allocations[i].bytes;
    if (std::memcmp(start(i), other.start(i), static_cast<size_t>(bytes)) == 0) continue;
    for (int64_t at = 0; at < bytes; ++at) {
      if (start(i)[at] != other.start(i)[at]) return NameOf(i, at);
    }
  }
  return "";
}

std::string Image::NameOf(size_t allocation, int64_t offset) const {
  std::string name = plan_->allocations[allocation].name + " byte " + std::to_string(offset);
  for (const Operand& operand : plan_->operands) {
    if (static_cast<size_t>(operand.allocation) != allocation) continue;
    const auto size = static_cast<int64_t>(SizeOf(operand.spec.dtype));
    ForRuns(operand, [&](int64_t at, int64_t e, int64_t run) {
      if (offset < at || offset >= at + run * size) return;
      name = operand.spec.name + " element " + std::to_string(e + (offset - at) / size);
    });
  }
  return name;
}

Case::Case(const Settings& partial, bool with_taps, uint64_t seed) : taps(with_taps) {
  const Kernel& kernel = kda_decode::GetKernel();
  settings = kernel.Complete(partial);
  config = kda_decode::ReadConfig(settings);
  plan = kernel.Plan(settings, taps);
  inputs = kda_decode::testing::MakeCase(partial, kda_decode::testing::HashSource(seed)).inputs;
}

Image Case::RunModel() const {
  const Kernel& kernel = kda_decode::GetKernel();
  Image image(plan, inputs);
  kernel.Run(settings, kernel.NamedContract("kda_ws.sm_90"), taps, image.addresses(), 2);
  return image;
}

Image Case::RunSimt(uint64_t schedule, int ctas,
                    const std::function<void(const Params&)>& kernel) const {
  Image image(plan, inputs);
  const std::vector<void*> addresses = image.addresses();
  if (!kernel) {
    SimtKdaDecode().Launch(settings, {.taps = taps, .ctas = ctas, .schedule = schedule}, addresses);
    return image;
  }
  const HostLaunch launch = PrepareHostLaunch(config, plan, taps, ctas, addresses);
  simt::Launch(launch.shape, {.schedule = schedule}, launch.units, launch.memory,
               [&] { kernel(launch.params); });
  return image;
}

}  // namespace samebits::gpu::kda_ws
