#include "tests/model/kda_pre/case.h"

#include <boost/test/unit_test.hpp>

#include "golden/inputs.h"
#include "model/kda_pre/inputs.h"
#include "model/kda_pre/operands.h"
#include "model/kda_pre/plan.h"

namespace samebits::kda_pre {

TensorSet MakeInputs(const Config& config, std::string_view style, uint64_t seed) {
  TensorSet inputs;
  for (const Operand& operand : MakePlan(config, false).operands) {
    if (operand.spec.role == Role::kInput) inputs.tensors.emplace_back(operand.spec);
  }
  const golden::InputGenerator source(std::string(style), seed);
  GenerateInputValues(config, source, &inputs);
  CheckInputValues(config, inputs);
  return inputs;
}

TensorSet RunModel(const Config& config, const TensorSet& inputs, const Choices& choices,
                   int threads, Path path) {
  golden::MemoryImage image(MakePlan(config, true));
  for (const Tensor& tensor : inputs.tensors) image.Scatter(tensor);
  const std::vector<void*> addresses = image.addresses();
  RunLaunch(config, choices, MakeOperands(config, addresses), MakeTaps(config, true, addresses),
            threads, path);
  for (const golden::Trespass& trespass : image.CheckUntouched(inputs)) {
    BOOST_ERROR("written: " << trespass.where << " at " << trespass.offset);
  }
  return image.GatherResults();
}

std::string FirstDifference(const TensorSet& a, const TensorSet& b) {
  for (const Tensor& tensor : a.tensors) {
    const Tensor* other = b.Find(tensor.spec.role, tensor.spec.name);
    if (other == nullptr || other->data != tensor.data) return tensor.spec.name;
  }
  return "";
}

}  // namespace samebits::kda_pre
