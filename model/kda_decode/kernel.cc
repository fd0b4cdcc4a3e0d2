#include "model/kda_decode/kernel.h"

#include "model/kda_decode/axes.h"
#include "model/kda_decode/contract.h"
#include "model/kda_decode/discriminating.h"
#include "model/kda_decode/inputs.h"
#include "model/kda_decode/operands.h"
#include "model/kda_decode/owner.h"
#include "model/kda_decode/pieces.h"
#include "model/kda_decode/plan.h"
#include "model/kda_decode/profile_entries.h"
#include "model/kda_decode/reductions.h"
#include "model/kda_decode/run.h"
#include "model/kda_decode/trace.h"
#include "model/kda_decode/trees.h"
#include "model/table_kernel.h"

namespace samebits::kda_decode {
namespace {

class KdaDecode final : public TableKernel<Config, Choices> {
 public:
  KdaDecode() : TableKernel(ConfigTable(), ContractTable()) {}

  std::string_view name() const override { return "kda_decode"; }
  std::string_view doc() const override {
    return "decode core of a Kimi Delta Attention layer: convolution, norms, gate, delta rule, "
           "gated RMSNorm";
  }

  std::vector<ProfileEntry> ProfileEntries(const Contract& contract) const override {
    return kda_decode::ProfileEntries(contract);
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

  void RunStages(const Settings& settings, const Contract& contract,
                 std::span<void* const> addresses, const StageRun& stages,
                 int threads) const override {
    const Config config = ReadConfig(settings);
    Given given;
    if (!stages.given.empty()) {
      given = {MakeTaps(config, true, stages.given), MakeOperands(config, stages.given)};
    }
    kda_decode::RunStages(config, ReadChoices(contract), MakeOperands(config, addresses),
                          MakeTaps(config, true, addresses), given, stages.pieces, threads);
  }
  int64_t Pieces(const Settings& settings) const override { return ReadConfig(settings).items(); }
  PieceMap PiecesOf(const Settings& settings, const TensorSet& inputs,
                    const TensorSpec& spec) const override {
    return MapPieces(ReadConfig(settings), inputs, spec);
  }

  std::span<const Reduction* const> reductions() const override { return Reductions(); }
  std::vector<Sum> Sums(const Settings& config, const Contract& contract) const override {
    return SumsOf(MakeTrees(ReadConfig(config), ReadChoices(contract)));
  }
  Settings probe_config() const override {
    return {{"tokens", "4"}, {"record", "1"}, {"requests", "4"}, {"heads", "4"}};
  }
  std::optional<ThreadPlace> Owner(const TensorSpec& spec, int64_t index) const override {
    return OwnerOf(spec, index);
  }
  std::string_view specification() const override { return "model/kda_decode/SPEC.md"; }
};

}  // namespace

const Kernel& GetKernel() {
  static const KdaDecode kernel;
  return kernel;
}

}  // namespace samebits::kda_decode
