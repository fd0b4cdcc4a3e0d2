#include "model/shared_expert/kernel.h"

#include "model/shared_expert/axes.h"
#include "model/shared_expert/contract.h"
#include "model/shared_expert/discriminating.h"
#include "model/shared_expert/inputs.h"
#include "model/shared_expert/operands.h"
#include "model/shared_expert/pieces.h"
#include "model/shared_expert/plan.h"
#include "model/shared_expert/profile_entries.h"
#include "model/shared_expert/reductions.h"
#include "model/shared_expert/run.h"
#include "model/shared_expert/trace.h"
#include "model/shared_expert/trees.h"
#include "model/table_kernel.h"

namespace samebits::shared_expert {
namespace {

class SharedExpert final : public TableKernel<Config, Choices> {
 public:
  SharedExpert() : TableKernel(ConfigTable(), ContractTable()) {}

  std::string_view name() const override { return "shared_expert"; }
  std::string_view doc() const override {
    return "shared expert of a MoE layer over tensor-parallel ranks: gate/up, SiTU, down, push to "
           "peers' mailboxes; optionally the front GEMM";
  }

  std::vector<ProfileEntry> ProfileEntries(const Contract& contract) const override {
    return shared_expert::ProfileEntries(contract);
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
    RunCase(config, ReadChoices(contract), MakeOperands(config, addresses),
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
    shared_expert::RunStages(config, ReadChoices(contract), MakeOperands(config, addresses),
                             MakeTaps(config, true, addresses), given, stages.pieces, threads);
  }
  std::vector<Sum> Sums(const Settings& config, const Contract& contract) const override {
    return SumsOf(MakeTrees(ReadConfig(config), ReadChoices(contract)));
  }
  int64_t Pieces(const Settings& settings) const override { return ReadConfig(settings).ranks(); }
  PieceMap PiecesOf(const Settings& settings, const TensorSet&,
                    const TensorSpec& spec) const override {
    return MapPieces(ReadConfig(settings), spec);
  }

  std::span<const Reduction* const> reductions() const override { return Reductions(); }
  /// A reduced layer with several K blocks per CTA; without the cap of up, h can be a power of two.
  Settings probe_config() const override {
    return {{"tp", "8"},       {"batch", "8"},      {"width", "1024"}, {"intermediate", "1024"},
            {"grid", "20"},    {"latent", "256"},   {"experts", "64"}, {"capacity", "+0"},
            {"consumer", "1"}, {"linear_beta", "0"}};
  }
};

}  // namespace

const Kernel& GetKernel() {
  static const SharedExpert kernel;
  return kernel;
}

}  // namespace samebits::shared_expert
