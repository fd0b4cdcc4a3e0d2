#include "model/kda_pre/kernel.h"

#include "model/kda_pre/axes.h"
#include "model/kda_pre/contract.h"
#include "model/kda_pre/discriminating.h"
#include "model/kda_pre/inputs.h"
#include "model/kda_pre/operands.h"
#include "model/kda_pre/pieces.h"
#include "model/kda_pre/plan.h"
#include "model/kda_pre/profile_entries.h"
#include "model/kda_pre/reductions.h"
#include "model/kda_pre/run.h"
#include "model/kda_pre/trace.h"
#include "model/kda_pre/trees.h"
#include "model/table_kernel.h"

namespace samebits::kda_pre {
namespace {

class KdaPre final : public TableKernel<Config, Choices> {
 public:
  KdaPre() : TableKernel(ConfigTable(), ContractTable()) {}

  std::string_view name() const override { return "kda_pre"; }
  std::string_view doc() const override {
    return "AttnRes seam, input norm, in_proj and the core of a Kimi Delta Attention layer in one "
           "persistent launch";
  }

  std::vector<ProfileEntry> ProfileEntries(const Contract& contract) const override {
    return kda_pre::ProfileEntries(contract);
  }

  MemoryPlan Plan(const Settings& config, bool taps) const override {
    return MakePlan(ReadConfig(config), taps);
  }
  void GenerateInputs(const Settings& config, const InputSource& source,
                      TensorSet* inputs) const override {
    GenerateInputValues(ReadConfig(config), source, inputs);
  }
  std::vector<Settings> discriminating_configs() const override { return DiscriminatingConfigs(); }
  void CheckInputs(const Settings& config, const TensorSet& inputs) const override {
    CheckInputValues(ReadConfig(config), inputs);
  }

  void Run(const Settings& settings, const Contract& contract, bool taps,
           std::span<void* const> addresses, int threads) const override {
    const Config config = ReadConfig(settings);
    RunLaunch(config, ReadChoices(contract), MakeOperands(config, addresses),
              MakeTaps(config, taps, addresses), threads);
  }
  Trace TraceElement(const Settings& config, const Contract& contract, const ElementRef& element,
                     const ElementSource& source) const override {
    return TraceOf(ReadConfig(config), ReadChoices(contract), element, source);
  }
  std::optional<Settings> EarlierLaunches(const Settings& settings) const override {
    Config config = ReadConfig(settings);
    if (config.steps == 1) return std::nullopt;
    --config.steps;
    return WriteConfig(config);
  }

  void RunStages(const Settings& settings, const Contract& contract,
                 std::span<void* const> addresses, const StageRun& stages,
                 int threads) const override {
    const Config config = ReadConfig(settings);
    Given given;
    if (!stages.given.empty()) {
      given = {MakeTaps(config, true, stages.given), MakeOperands(config, stages.given)};
    }
    kda_pre::RunStages(config, ReadChoices(contract), MakeOperands(config, addresses),
                       MakeTaps(config, true, addresses), given, stages.pieces, threads);
  }
  std::vector<Sum> Sums(const Settings& config, const Contract& contract) const override {
    return SumsOf(MakeTrees(ReadConfig(config), ReadChoices(contract)));
  }
  int64_t Pieces(const Settings& settings) const override { return ReadConfig(settings).requests; }
  PieceMap PiecesOf(const Settings& settings, const TensorSet& inputs,
                    const TensorSpec& spec) const override {
    return MapPieces(ReadConfig(settings), inputs, spec);
  }

  std::span<const Reduction* const> reductions() const override { return Reductions(); }
  /// Eight sources: the mix of one of them is exact.
  Settings probe_config() const override {
    return {{"requests", "4"}, {"nblocks", "7"}, {"delta", "none"}};
  }
};

}  // namespace

const Kernel& GetKernel() {
  static const KdaPre kernel;
  return kernel;
}

}  // namespace samebits::kda_pre
