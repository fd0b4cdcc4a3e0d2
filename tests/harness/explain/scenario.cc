#include "tests/harness/explain/scenario.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "golden/inputs.h"
#include "golden/run_case.h"
#include "harness/compare/element.h"
#include "harness/explain/explanation_report.h"

namespace samebits::testing {

using harness::Deviation;
using harness::Evidence;
using harness::Hypothesis;

Evidence Observe(const Scenario& scenario) { return Observe(scenario, {}); }

namespace {

Evidence Expect(const Scenario& scenario) {
  const Kernel& kernel = *FindKernel(scenario.kernel);
  Evidence evidence;
  evidence.kernel = &kernel;
  evidence.config = kernel.Complete(scenario.config);
  evidence.contract = kernel.NamedContract("");
  evidence.inputs =
      golden::GenerateInputs({&kernel, evidence.config, scenario.style, scenario.seed}, 1);
  return evidence;
}

/// What a run of the model on these inputs leaves.
void AddResults(const Scenario& scenario, const Hypothesis& changes, const TensorSet& inputs,
                Evidence* evidence) {
  golden::ModelRun run =
      golden::RunModel(*evidence->kernel, harness::Changed(evidence->config, changes),
                       harness::Changed(evidence->contract, changes), scenario.taps, inputs, 2);
  for (const TensorSpec& spec : harness::ResultsOf(*evidence->kernel, evidence->config)) {
    if (Tensor* tensor = run.results.Find(spec.role, spec.name)) {
      evidence->observed.push_back({std::move(*tensor), golden::Everything(spec)});
    }
  }
}

}  // namespace

Evidence Observe(const Scenario& scenario, const Hypothesis& changes) {
  Evidence evidence = Expect(scenario);
  AddResults(scenario, changes, evidence.inputs, &evidence);
  return evidence;
}

Evidence Observe(const Scenario& scenario, std::string_view input,
                 const harness::Transform& transform) {
  Evidence evidence = Expect(scenario);
  TensorSet inputs = evidence.inputs;
  Tensor& changed = inputs.At(Role::kInput, input);
  changed = harness::Apply(transform, changed);
  AddResults(scenario, {}, inputs, &evidence);
  return evidence;
}

harness::Observation& Seen(Evidence* evidence, std::string_view name) {
  for (harness::Observation& seen : evidence->observed) {
    if (harness::FullName(seen.values.spec) == name) return seen;
  }
  throw std::out_of_range("not observed: " + std::string(name));
}

void TakePieces(const std::vector<int64_t>& pieces, const Evidence& from, Evidence* to) {
  for (size_t t = 0; t < to->observed.size(); ++t) {
    Tensor& tensor = to->observed[t].values;
    const PieceMap map = to->kernel->PiecesOf(to->config, to->inputs, tensor.spec);
    const size_t bytes = static_cast<size_t>(map.block) * SizeOf(tensor.spec.dtype);
    for (size_t b = 0; b < map.pieces.size(); ++b) {
      if (std::ranges::find(pieces, map.pieces[b]) == pieces.end()) continue;
      std::memcpy(tensor.data.data() + b * bytes, from.observed[t].values.data.data() + b * bytes,
                  bytes);
    }
  }
}

void Flip(harness::Observation* seen, int count, uint32_t bits) {
  Tensor& tensor = seen->values;
  const DType dtype = tensor.spec.dtype;
  for (int64_t i = 3; count > 0; i += 7) {
    const uint32_t old = harness::ElementBits(tensor, i % tensor.spec.elements());
    if (old == PoisonBits(dtype) || harness::ToFloat(dtype, old) == 0) continue;
    const uint32_t flipped = old ^ bits;
    std::memcpy(tensor.data.data() + i % tensor.spec.elements() * SizeOf(dtype), &flipped,
                SizeOf(dtype));
    --count;
  }
}

bool Says(const harness::Explanation& explanation, const std::string& tensor,
          const std::string& text) {
  for (const harness::Finding& finding : explanation.findings) {
    if (finding.sentence.find(tensor) == std::string::npos) continue;
    if (finding.sentence.find(text) != std::string::npos) return true;
    for (const Hypothesis& other : finding.alternatives) {
      if (other.at(0).to.find(text) != std::string::npos) return true;
    }
  }
  return false;
}

Deviation ChangeOf(const Scenario& scenario, const std::string& name, const std::string& value) {
  const Contract contract = FindKernel(scenario.kernel)->NamedContract("");
  return {Deviation::Kind::kChoice, name, contract.choices.at(name), value, {}};
}

bool Names(const harness::Explanation& explanation, const Deviation& change) {
  const auto has = [&](const Hypothesis& changes) {
    return std::ranges::find(changes, change) != changes.end();
  };
  return std::ranges::any_of(explanation.findings, [&](const harness::Finding& finding) {
    return has(finding.changes) || std::ranges::any_of(finding.alternatives, has);
  });
}

std::string Describe(const harness::Explanation& explanation) {
  std::string text =
      std::string(harness::Name(explanation.verdict)) + " " + explanation.named_contract + "\n";
  for (const harness::Finding& finding : explanation.findings) {
    text += finding.sentence + "\n";
    for (const Hypothesis& other : finding.alternatives) {
      text += "  or " + harness::ChangesText(other) + "\n";
    }
  }
  return text;
}

}  // namespace samebits::testing
