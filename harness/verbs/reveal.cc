#include "harness/reveal/reveal.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "harness/backends.h"
#include "harness/names.h"
#include "harness/progress.h"
#include "harness/provenance.h"
#include "harness/report/case_report.h"
#include "harness/reveal/program.h"
#include "harness/run_on_backend.h"
#include "harness/status.h"
#include "harness/suggest.h"
#include "harness/verbs/verbs.h"
#include "harness/version.h"

namespace samebits::harness {
namespace {

constexpr std::string_view kProgramPrefix = "exec:";

/// Who is probed, and the contract that its trees are held against.
struct Probed {
  std::string name;  // for people
  Contract contract;
  Launcher launch;
};

Probed OpenProbed(const RevealOptions& options, const Kernel& kernel, const Settings& config) {
  const std::string name = options.backend.empty() ? BestBackend(kernel) : options.backend;
  const Contract asked = ParseContract(kernel, options.contract, options.choices);
  if (name.starts_with(kProgramPrefix)) {
    const auto program =
        std::make_shared<ProgramLauncher>(kernel, config, name.substr(kProgramPrefix.size()));
    return {name, asked, [program](const TensorSet& inputs) { return program->Launch(inputs); }};
  }
  const bool model = name == kModelBackend;
  const Contract computed =
      model && !options.computes.empty() ? ParseContract(kernel, options.computes, {}) : asked;
  auto target =
      std::make_shared<Target>(model ? OpenModel(kernel, computed, ThreadCount(options.threads))
                                     : OpenBackend(name, kernel));
  const bool own = options.contract.empty() && options.choices.empty() && !model;
  return {fmt::format("{} ({})", name, target->device->info().name), own ? target->contract : asked,
          [&kernel, config, target](const TensorSet& inputs) {
            return RunOnBackend(kernel, *target, config, inputs, {.taps = true}).tensors;
          }};
}

/// The user's axes over the kernel's, or alone where the two do not go together.
Settings ProbeConfig(const RevealOptions& options, const Kernel& kernel) {
  const Settings asked = ParseAxes(kernel, "--config", options.config);
  Settings config = asked;
  config.merge(kernel.probe_config());
  try {
    return kernel.Complete(config);
  } catch (const ConfigError&) {
    return kernel.Complete(asked);
  }
}

std::vector<const Reduction*> Selected(const RevealOptions& options, const Kernel& kernel) {
  std::vector<std::string> names;
  for (const Reduction* reduction : kernel.reductions()) names.emplace_back(reduction->name());
  if (names.empty()) {
    throw UsageError(fmt::format("{}: the kernel describes no reductions to probe", kernel.name()));
  }
  if (options.stages.empty()) return {kernel.reductions().begin(), kernel.reductions().end()};
  std::vector<const Reduction*> selected;
  for (const std::string& stage : options.stages) {
    const auto at = std::find(names.begin(), names.end(), stage);
    if (at == names.end()) throw UsageError(UnknownName("stage", stage, names));
    selected.push_back(kernel.reductions()[static_cast<size_t>(at - names.begin())]);
  }
  return selected;
}

std::string BlockText(const BlockFacts& block) {
  const bool late = block.late.value_or(false);
  std::string text = fmt::format("sums {} products {} the accumulator", block.products,
                                 late ? "at once, then" : "and");
  if (!late) text += " at once";
  text += block.fraction_bits ? fmt::format(", keeps {} fraction bits", *block.fraction_bits)
                              : std::string(", loses no bit");
  if (!block.rounding.empty()) text += ", rounds " + block.rounding;
  return text;
}

std::string FusionText(const Revealed& revealed) {
  if (order::Count(revealed.tree).matrix > 0) return "products are summed inside the unit";
  if (!revealed.fused) return "no input can tell fused from separate products";
  return *revealed.fused ? "products are fused onto sums" : "products are rounded before sums";
}

class Output {
 public:
  Output(const RevealOptions& options, const Kernel& kernel, const Probed& probed,
         const Settings& config) {
    if (!options.json) {
      fmt::print("{} on {}, against contract {}, {}\n", kernel.name(), probed.name,
                 probed.contract.name, SettingsText(NonDefault(kernel, config)));
      PrintAssumed(stdout, kernel, probed.contract);
      return;
    }
    json_ = std::make_unique<JsonWriter>(stdout, "reveal");
    json_->Field("commit", Commit()).Field("kernel", kernel.name()).Field("backend", probed.name);
    json_->Field("contract", probed.contract.name).Map("config", NonDefault(kernel, config));
    WriteUnits("rests_on", kernel, probed.contract, json_.get());
    json_->Key("reductions").BeginArray();
  }

  void Add(const Reduction& reduction, const Revealed& revealed, const Judgement& judgement) {
    ++(judgement.equal() ? equal_ : different_);
    if (json_) {
      Write(reduction, revealed, judgement);
    } else {
      Print(reduction, revealed, judgement);
    }
  }

  int Finish() {
    if (json_) {
      json_->End().Key("summary").BeginObject().Field("equal", equal_);
      json_->Field("different", different_).End();
    } else {
      fmt::print("{} equal, {} different\n", equal_, different_);
    }
    return different_ > 0 ? kDivergent : kIdentical;
  }
  void Fail(const char* reason) {
    if (json_) json_->End().Field("error", reason);
  }

 private:
  static void Print(const Reduction& reduction, const Revealed& revealed,
                    const Judgement& judgement) {
    fmt::print("{:<9} {}: {}\n", judgement.equal() ? "equal" : "different", reduction.name(),
               reduction.doc());
    fmt::print("  revealed  {}\n", order::ToText(revealed.tree));
    if (!judgement.equal()) fmt::print("  contract  {}\n", order::ToText(judgement.contract));
    if (judgement.difference) {
      fmt::print("  first difference at {}\n    revealed  {}\n    contract  {}\n",
                 judgement.difference->path, judgement.difference->a, judgement.difference->b);
    }
    if (!judgement.other.empty()) fmt::print("  {}\n", judgement.other);
    if (revealed.block) fmt::print("  unit: {}\n", BlockText(*revealed.block));
    fmt::print("  {}; {} probes in {} launches", FusionText(revealed), revealed.probes,
               revealed.launches);
    if (revealed.checked > 0) {
      fmt::print(", {} of {} further triples fit", revealed.checked - revealed.contradicted,
                 revealed.checked);
    }
    if (revealed.compared > 0) {
      fmt::print(", {} of {} sums of random values have its bits",
                 revealed.compared - revealed.unequal, revealed.compared);
    }
    fmt::print("\n");
    std::fflush(stdout);
  }

  void Write(const Reduction& reduction, const Revealed& revealed, const Judgement& judgement) {
    json_->BeginObject().Field("stage", reduction.name()).Field("doc", reduction.doc());
    json_->Field("equal", judgement.equal()).Field("revealed", order::ToText(revealed.tree));
    json_->Field("contract", order::ToText(judgement.contract));
    json_->Field("revealed_dot", order::ToDot(revealed.tree));
    json_->Field("contract_dot", order::ToDot(judgement.contract));
    if (judgement.difference) {
      json_->Key("first_difference").BeginObject().Field("path", judgement.difference->path);
      json_->Field("revealed", judgement.difference->a).Field("contract", judgement.difference->b);
      json_->End();
    }
    if (!judgement.other.empty()) json_->Field("other_difference", judgement.other);
    if (revealed.fused) json_->Field("fused", *revealed.fused);
    if (revealed.plus_zero) json_->Field("plus_zero", *revealed.plus_zero);
    if (revealed.block) {
      json_->Key("unit").BeginObject().Field("products", revealed.block->products);
      if (revealed.block->fraction_bits) {
        json_->Field("fraction_bits", *revealed.block->fraction_bits);
      }
      json_->Field("rounding", revealed.block->rounding);
      if (revealed.block->late) json_->Field("accumulator_late", *revealed.block->late);
      json_->End();
    }
    json_->Field("probes", revealed.probes).Field("launches", revealed.launches);
    json_->Field("checked", revealed.checked).Field("contradicted", revealed.contradicted);
    json_->Field("compared", revealed.compared).Field("unequal", revealed.unequal).End();
  }

  std::unique_ptr<JsonWriter> json_;
  int equal_ = 0, different_ = 0;
};

void WriteDot(const std::string& folder, const Reduction& reduction, const Revealed& revealed,
              const Judgement& judgement) {
  if (folder.empty()) return;
  std::filesystem::create_directories(folder);
  for (const auto& [kind, tree] :
       {std::pair("revealed", &revealed.tree), std::pair("contract", &judgement.contract)}) {
    std::ofstream(fmt::format("{}/{}.{}.dot", folder, reduction.name(), kind))
        << order::ToDot(*tree);
  }
}

}  // namespace

int Reveal(const RevealOptions& options) {
  const Kernel& kernel = KernelNamed(options.kernel);
  const std::vector<const Reduction*> selected = Selected(options, kernel);
  const Settings config = ProbeConfig(options, kernel);
  const Probed probed = OpenProbed(options, kernel, config);
  Output output(options, kernel, probed, config);
  Progress progress("reveal", static_cast<int64_t>(selected.size()));
  try {
    for (const Reduction* reduction : selected) {
      const Revealed revealed = Reveal(kernel, *reduction, config, probed.launch);
      const Judgement judgement = Judge(*reduction, config, probed.contract, revealed);
      WriteDot(options.dot, *reduction, revealed, judgement);
      progress.Clear();
      output.Add(*reduction, revealed, judgement);
      progress.Step();
    }
  } catch (const std::exception& error) {
    progress.Clear();
    output.Fail(error.what());
    throw;
  }
  progress.Clear();
  return output.Finish();
}

}  // namespace samebits::harness
