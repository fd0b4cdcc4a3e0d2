#include "harness/profile/fit_special.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>

#include "gpu/probe/apply.h"
#include "harness/profile/profile.h"
#include "harness/profile/samples.h"
#include "model/arith/float32.h"
#include "model/parallel.h"

namespace samebits::harness::profile {
namespace {

using gpu::probe::Of;
using gpu::probe::Unary;
using units::Instruction;
using units::SpecialFunctionMethod;
using units::SpecialFunctionTables;

/// A function, the instructions whose samples hold its table (the first that was captured), and all
/// that stand on it.
struct Function {
  const char* name;
  std::vector<Instruction> core;
  std::vector<Instruction> instructions;
};

const std::vector<Function>& Functions() {
  static const std::vector<Function> functions = {
      {"ex2",
       {Instruction::kEx2ApproxFtzF32},
       {Instruction::kEx2ApproxFtzF32, Instruction::kEx2ApproxF32}},
      {"rcp",
       {Instruction::kRcpApproxFtzF32},
       {Instruction::kRcpApproxFtzF32, Instruction::kRcpApproxF32}},
      {"rsq",
       {Instruction::kRsqrtApproxFtzF32},
       {Instruction::kRsqrtApproxFtzF32, Instruction::kRsqrtApproxF32}},
      {"sqrt",
       {Instruction::kSqrtApproxFtzF32},
       {Instruction::kSqrtApproxFtzF32, Instruction::kSqrtApproxF32}},
      {"lg2",
       {Instruction::kLg2ApproxFtzF32},
       {Instruction::kLg2ApproxFtzF32, Instruction::kLg2ApproxF32}},
      {"tanh", {Instruction::kTanhApproxF32}, {Instruction::kTanhApproxF32}},
      {"sin",
       {Instruction::kSinApproxFtzF32, Instruction::kMufuSin},
       {Instruction::kSinApproxFtzF32, Instruction::kSinApproxF32, Instruction::kMufuSin}},
      {"cos",
       {Instruction::kSinApproxFtzF32, Instruction::kMufuSin},
       {Instruction::kCosApproxFtzF32, Instruction::kCosApproxF32, Instruction::kMufuCos}},
  };
  return functions;
}

/// Tables without rows in the shapes that the SIMD code needs (special_functions/simd.h), so that
/// one table alone decides whether it applies.
SpecialFunctionTables Shapes() {
  SpecialFunctionTables tables;
  for (units::Interpolator* t :
       {&tables.ex2, &tables.rsq, &tables.sqrt, &tables.lg2, &tables.tanh, &tables.sin}) {
    t->low_bits = 17;
    t->square_first_column = 19;
  }
  tables.rcp.low_bits = 16;
  tables.rcp.square_first_column = 17;
  return tables;
}

void SetBinades(const std::vector<units::TanhBinade>& binades, SpecialFunctionTables* tables) {
  std::copy(binades.begin(), binades.end(), tables->tanh_binades.begin());
}

std::vector<units::TanhBinade> BinadesOf(const TableFit& fit) {
  std::vector<units::TanhBinade> binades;
  uint32_t row = 0;
  for (const int bits : fit.index_bits) {
    binades.push_back({static_cast<uint8_t>(bits), static_cast<uint8_t>(row)});
    row += 1u << bits;
  }
  return binades;
}

/// Results of the core domain and of the edges that a form does not give.
int64_t Misses(const Capture& capture, const UnaryCapture& unary,
               const SpecialFunctionTables& tables) {
  int64_t misses = 0;
  const auto compare = [&](const std::vector<uint32_t>& x, const std::vector<uint32_t>& y) {
    std::vector<uint32_t> model(x.size());
    gpu::probe::ApplyArray(tables, unary.operation, x.data(), model.data(), x.size());
    for (size_t i = 0; i < y.size(); ++i) misses += model[i] != y[i];
  };
  compare(Inputs(capture, unary.binades), unary.results);
  compare(capture.edges, unary.edges);
  return misses;
}

/// Recorded blocks of the core domain (one or two binades of positive arguments), or all if few
/// were recorded.
std::vector<size_t> CoreBlocks(const Capture& capture, const UnaryCapture& unary) {
  std::vector<size_t> indices;
  const int first = unary.binades.first_field * 128;
  const int last = first + unary.binades.fields * 128;
  for (size_t i = 0; i < capture.blocks.size(); ++i) {
    const bool core = capture.blocks[i] >= first && capture.blocks[i] < last;
    if (core || !capture.complete()) indices.push_back(i);
  }
  return indices;
}

int64_t BadBlocks(const Capture& capture, const UnaryCapture& unary,
                  const SpecialFunctionTables& tables, const std::vector<size_t>& indices,
                  int threads) {
  std::atomic<int64_t> bad{0};
  ParallelFor(static_cast<int64_t>(indices.size()), threads, [&](int64_t i) {
    const size_t index = indices[static_cast<size_t>(i)];
    if (gpu::probe::Fingerprint(tables, unary.operation, capture.blocks[index]) !=
        unary.fingerprints[index]) {
      ++bad;
    }
  });
  return bad;
}

/// Of all fits that give the samples, and all biases that do, the one that gives the fingerprints
/// of the core domain.
void Choose(const Capture& capture, const UnaryCapture& unary, const std::vector<TableFit>& fits,
            int threads, FunctionFit* chosen) {
  const std::vector<size_t> blocks = CoreBlocks(capture, unary);
  constexpr int64_t kMaxBiases = 64;
  int64_t fewest = -1;
  for (const TableFit& fit : fits) {
    const int64_t choices = std::min(fit.bias_choices, kMaxBiases);
    // From the middle outwards: the samples bound the bias from both sides.
    for (int64_t n = 0; n < choices && fewest != 0; ++n) {
      const int64_t middle = fit.bias_choices / 2;
      const int64_t offset = n % 2 == 0 ? n / 2 : -(n / 2 + 1);
      if (middle + offset < 0 || middle + offset >= fit.bias_choices) continue;
      FunctionFit candidate = *chosen;
      candidate.form = FunctionFit::Form::kInterpolated;
      candidate.table = fit;
      candidate.table.bias = fit.bias + middle + offset;
      candidate.binades = BinadesOf(fit);
      const int64_t bad = BadBlocks(capture, unary, TablesOf(candidate), blocks, threads);
      if (fewest >= 0 && bad >= fewest) continue;
      fewest = bad;
      *chosen = std::move(candidate);
    }
  }
}

/// Reduction and special cases in words, each told from its alternative by recorded results.
std::vector<std::string> RulesOf(const Capture& capture, const UnaryCapture& unary) {
  std::vector<std::string> rules;
  const auto result = [&](uint32_t bits) -> std::optional<uint32_t> {
    const auto found = std::find(capture.edges.begin(), capture.edges.end(), bits);
    if (found == capture.edges.end()) return std::nullopt;
    return unary.edges[static_cast<size_t>(found - capture.edges.begin())];
  };
  if (const auto nan = result(0x7FC00000u))
    rules.push_back(fmt::format("NaN gives 0x{:08X}", *nan));
  const auto subnormal = result(0x007FFFFFu), zero = result(0u);
  if (subnormal && zero) {
    rules.push_back(*subnormal == *zero ? "subnormal arguments count as zero"
                                        : "subnormal arguments are kept");
  }
  return rules;
}

void FitForm(const Capture& capture, const UnaryCapture& core, int threads, FunctionFit* fit) {
  SpecialFunctionTables rounded;
  rounded.method = SpecialFunctionMethod::kCorrectlyRounded;
  if (Misses(capture, core, rounded) == 0) {
    fit->form = FunctionFit::Form::kCorrectlyRounded;
    return;
  }
  const FunctionSamples samples = SamplesOf(capture, core);
  fit->failure = samples.failure;
  if (!samples.failure.empty()) return;
  const TableSearch search = FitTable(samples.binades, samples.shape);
  fit->failure = search.failure;
  if (!search.fits.empty()) Choose(capture, core, search.fits, threads, fit);
}

}  // namespace

SpecialFunctionTables TablesOf(const FunctionFit& fit) {
  SpecialFunctionTables tables = Shapes();
  if (fit.form == FunctionFit::Form::kCorrectlyRounded) {
    tables.method = SpecialFunctionMethod::kCorrectlyRounded;
    return tables;
  }
  TableNamed(fit.function, &tables) = fit.table.interpolator();
  if (fit.function == "tanh") SetBinades(fit.binades, &tables);
  return tables;
}

bool FunctionFit::exact() const {
  return form != Form::kNotFitted && !proofs.empty() &&
         std::all_of(proofs.begin(), proofs.end(), [](const Proof& p) { return p.exact(); });
}

const FunctionFit* SpecialFit::Find(const std::string& function) const {
  for (const FunctionFit& fit : functions) {
    if (fit.function == function) return &fit;
  }
  return nullptr;
}

bool SpecialFit::uniform() const {
  const auto all = [&](FunctionFit::Form form) {
    return !functions.empty() && std::all_of(functions.begin(), functions.end(),
                                             [&](const FunctionFit& f) { return f.form == form; });
  };
  return all(FunctionFit::Form::kInterpolated) || all(FunctionFit::Form::kCorrectlyRounded);
}

Proof Prove(const Capture& capture, const UnaryCapture& unary, const SpecialFunctionTables& tables,
            int threads) {
  Proof proof;
  proof.name = unary.name;
  proof.blocks = static_cast<int64_t>(capture.blocks.size());
  std::mutex mutex;
  ParallelFor(proof.blocks, threads, [&](int64_t i) {
    const uint16_t block = capture.blocks[static_cast<size_t>(i)];
    if (gpu::probe::Fingerprint(tables, unary.operation, block) ==
        unary.fingerprints[static_cast<size_t>(i)]) {
      return;
    }
    const std::lock_guard lock(mutex);
    proof.bad_blocks.push_back(block);
  });
  std::sort(proof.bad_blocks.begin(), proof.bad_blocks.end());
  for (size_t i = 0; i < capture.edges.size(); ++i) {
    ++proof.edges;
    if (gpu::probe::Apply(tables, unary.operation, capture.edges[i]) == unary.edges[i]) continue;
    if (proof.bad_edges++ == 0) proof.bad_input = capture.edges[i];
  }
  return proof;
}

SpecialFit FitSpecial(const Capture& capture, const FitOptions& options) {
  SpecialFit special;
  int64_t total = 0, done = 0;
  for (const Function& function : Functions()) {
    for (const Instruction i : function.instructions) total += capture.Find(Of(i)) != nullptr;
  }
  for (const Function& function : Functions()) {
    FunctionFit fit;
    fit.function = function.name;
    const UnaryCapture* core = nullptr;
    for (const Instruction i : function.core) {
      if (core == nullptr) core = capture.Find(Of(i));
    }
    if (core == nullptr || core->binades.fields == 0) continue;
    if (fit.function == "cos") {  // the table of sin
      const FunctionFit& sine = special.functions.back();
      fit.form = sine.form;
      fit.table = sine.table;
      fit.failure = sine.failure;
    } else {
      FitForm(capture, *core, options.threads, &fit);
    }
    const SpecialFunctionTables tables = TablesOf(fit);
    for (const Instruction i : function.instructions) {
      const UnaryCapture* unary = capture.Find(Of(i));
      if (unary == nullptr) continue;
      if (fit.rules.empty()) fit.rules = RulesOf(capture, *unary);
      if (fit.form != FunctionFit::Form::kNotFitted) {
        fit.proofs.push_back(Prove(capture, *unary, tables, options.threads));
      }
      if (options.progress) options.progress(++done, total);
    }
    special.functions.push_back(std::move(fit));
  }
  return special;
}

}  // namespace samebits::harness::profile
