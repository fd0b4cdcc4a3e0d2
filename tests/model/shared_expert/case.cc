#include "tests/model/shared_expert/case.h"

#include <fmt/format.h>

#include <cstring>
#include <stdexcept>

#include "golden/inputs.h"
#include "golden/memory_image.h"
#include "model/shared_expert/axes.h"
#include "model/shared_expert/kernel.h"
#include "model/shared_expert/operands.h"
#include "model/shared_expert/plan.h"
#include "model/shared_expert/run.h"

namespace samebits::shared_expert::testing {

Settings Small(int tp, const Settings& changes) {
  Settings settings = changes;
  const int width = tp == 2 ? 384 : 64 * tp, grid = tp == 2 ? 8 : tp == 8 ? 10 : 20;
  settings.emplace("tp", std::to_string(tp));
  settings.emplace("width", std::to_string(width));
  settings.emplace("intermediate", std::to_string(64 * tp));
  settings.emplace("grid", std::to_string(grid));
  settings.emplace("latent", std::to_string(32 * tp));
  settings.emplace("experts", std::to_string(16 * tp));
  settings.emplace("capacity", "+1");
  const auto variant = settings.find("variant");
  if (tp == 2 && variant != settings.end() && variant->second == "front") {
    settings.emplace("front_ks", "4");
  }
  return settings;
}

Case MakeCase(const Settings& settings, const std::string& style, uint64_t seed) {
  golden::CaseSpec spec;
  spec.kernel = &GetKernel();
  spec.config = GetKernel().Complete(settings);
  spec.style = style;
  spec.seed = seed;
  return {ReadConfig(settings), golden::GenerateInputs(spec)};
}

TensorSet Run(const Case& c, const Choices& choices, Path path, int threads, bool taps) {
  golden::MemoryImage image(MakePlan(c.config, taps));
  for (const Tensor& tensor : c.inputs.tensors) image.Scatter(tensor);
  const std::vector<void*> addresses = image.addresses();
  RunCase(c.config, choices, MakeOperands(c.config, addresses), MakeTaps(c.config, taps, addresses),
          threads, path);
  const auto trespasses = image.CheckUntouched(c.inputs);
  if (!trespasses.empty()) throw std::logic_error("the model wrote to " + trespasses[0].where);
  return image.GatherResults();
}

std::span<uint16_t> Bf16(TensorSet* set, std::string_view input) {
  return set->At(Role::kInput, input).view<uint16_t>();
}
std::span<const uint16_t> Bf16Output(const TensorSet& set, std::string_view name) {
  return set.At(Role::kOutput, name).view<uint16_t>();
}
std::span<const uint16_t> Bf16Tap(const TensorSet& set, std::string_view name) {
  return set.At(Role::kTap, name).view<uint16_t>();
}
std::span<const float> F32Tap(const TensorSet& set, std::string_view name) {
  return set.At(Role::kTap, name).view<float>();
}

std::string FirstDifference(const TensorSet& a, const TensorSet& b) {
  if (a.tensors.size() != b.tensors.size()) return "the number of tensors";
  for (size_t i = 0; i < a.tensors.size(); ++i) {
    const Tensor& x = a.tensors[i];
    const Tensor& y = b.tensors[i];
    if (x.spec != y.spec) return x.spec.name + " and " + y.spec.name;
    if (x.data == y.data) continue;
    const size_t size = SizeOf(x.spec.dtype);
    size_t at = 0;
    while (std::memcmp(x.data.data() + at, y.data.data() + at, size) == 0) at += size;
    uint32_t p = 0, q = 0;
    std::memcpy(&p, x.data.data() + at, size);
    std::memcpy(&q, y.data.data() + at, size);
    return fmt::format("{}[{}]: {:08x} and {:08x}", x.spec.name, at / size, p, q);
  }
  return "";
}

std::string FirstDifferentTensor(const TensorSet& a, const TensorSet& b) {
  const std::string difference = FirstDifference(a, b);
  return difference.substr(0, difference.find('['));
}

}  // namespace samebits::shared_expert::testing
