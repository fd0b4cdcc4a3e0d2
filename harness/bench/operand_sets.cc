#include "harness/bench/operand_sets.h"

#include <algorithm>

#include "golden/inputs.h"
#include "golden/memory_image.h"

namespace samebits::harness {

OperandSets::OperandSets(gpu::Device* device, const Kernel& kernel, const Settings& config,
                         int64_t bytes, int least, int most) {
  golden::MemoryImage image(kernel.Plan(config, false));
  const golden::CaseSpec spec{.kernel = &kernel, .config = config};
  for (const Tensor& input : golden::GenerateInputs(spec, 8).tensors) image.Scatter(input);
  int64_t set_bytes = 0;
  for (size_t a = 0; a < image.allocations(); ++a) set_bytes += std::ssize(image.block(a));
  const int64_t sets = std::clamp<int64_t>(bytes / set_bytes, least, most);
  for (int64_t s = 0; s < sets; ++s) {
    std::vector<void*> addresses;
    for (size_t a = 0; a < image.allocations(); ++a) {
      memory_.push_back(device->Allocate(std::ssize(image.block(a))));
      device->Upload(memory_.back().get(), image.block(a).data(), std::ssize(image.block(a)));
      addresses.push_back(static_cast<std::byte*>(memory_.back().get()) +
                          golden::MemoryImage::kGuardBytes);
    }
    addresses_.push_back(std::move(addresses));
  }
}

}  // namespace samebits::harness
