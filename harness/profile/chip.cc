#include "harness/profile/chip.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/profile/capture_file.h"

namespace samebits::harness::profile {
namespace {

using gpu::probe::Unary;

bool Same(const OperationCheck& check) { return check.differ == 0; }

/// The function of an instruction; "" for a conversion.
std::string FunctionOf(Unary operation) {
  if (operation > Unary::kLastInstruction) return "";
  switch (static_cast<units::Instruction>(operation)) {
    case units::Instruction::kEx2ApproxFtzF32:
    case units::Instruction::kEx2ApproxF32:
      return "ex2";
    case units::Instruction::kRcpApproxFtzF32:
    case units::Instruction::kRcpApproxF32:
      return "rcp";
    case units::Instruction::kRsqrtApproxFtzF32:
    case units::Instruction::kRsqrtApproxF32:
      return "rsq";
    case units::Instruction::kSqrtApproxFtzF32:
    case units::Instruction::kSqrtApproxF32:
      return "sqrt";
    case units::Instruction::kLg2ApproxFtzF32:
    case units::Instruction::kLg2ApproxF32:
      return "lg2";
    case units::Instruction::kTanhApproxF32:
      return "tanh";
    default:
      return "sin";
  }
}

}  // namespace

bool ChipFit::exact() const {
  return std::all_of(special.functions.begin(), special.functions.end(),
                     [](const FunctionFit& f) { return f.exact(); }) &&
         std::all_of(operations.begin(), operations.end(),
                     [](const OperationCheck& c) { return c.compared && Same(c); }) &&
         std::all_of(conversions.begin(), conversions.end(),
                     [](const Proof& p) { return p.exact(); }) &&
         std::all_of(matrix.begin(), matrix.end(), [](const MatrixFit& f) { return f.exact(); });
}

ChipFit FitChip(const Capture& capture, const FitOptions& options) {
  ChipFit fit;
  fit.special = FitSpecial(capture, options);
  fit.operations = CheckOperations(
      capture, [&](const std::string& function) -> std::optional<units::SpecialFunctionTables> {
        const FunctionFit* found = fit.special.Find(function);
        if (found == nullptr || found->form == FunctionFit::Form::kNotFitted) return std::nullopt;
        return TablesOf(*found);
      });
  for (const UnaryCapture& unary : capture.unary) {
    if (!FunctionOf(unary.operation).empty()) continue;
    fit.conversions.push_back(Prove(capture, unary, {}, options.threads));
  }
  for (const MatrixCapture& matrix : capture.matrix) {
    fit.matrix.push_back(FitMatrix(capture, matrix, options.threads));
  }
  return fit;
}

Profile ProfileOf(const ChipFit& fit, const Capture& capture, const std::string& name,
                  const std::string& file) {
  Profile profile;
  profile.name = name.empty() ? capture.device.architecture : name;
  profile.architecture = capture.device.architecture;
  profile.vendor = capture.vendor;
  const bool device = capture.backend == "cuda" || capture.backend == "hip";
  const Evidence evidence = {
      device ? profiles::Evidence::kMeasured : profiles::Evidence::kReference,
      fmt::format("{}, {} {} on {}, capture {}", capture.device.name,
                  capture.device.driver.empty() ? capture.backend : "driver", capture.device.driver,
                  capture.date, CaptureHash(file))};
  // A file has one method for all functions: interpolated, unless none is.
  const auto is = [](FunctionFit::Form form) {
    return [form](const FunctionFit& f) { return f.exact() && f.form == form; };
  };
  const auto& functions = fit.special.functions;
  const bool interpolated =
      std::any_of(functions.begin(), functions.end(), is(FunctionFit::Form::kInterpolated));
  if (!interpolated) profile.method = units::SpecialFunctionMethod::kCorrectlyRounded;
  const auto kept =
      is(interpolated ? FunctionFit::Form::kInterpolated : FunctionFit::Form::kCorrectlyRounded);
  for (const FunctionFit& function : functions) {
    if (!kept(function) || function.function == "cos") continue;
    FunctionEntry entry;
    if (interpolated) {
      entry.shape = function.table.interpolator();
      entry.shape.rows = {};
      entry.rows = function.table.rows;
    }
    entry.evidence = evidence;
    profile.functions[function.function] = std::move(entry);
    if (function.function == "tanh") profile.tanh_binades = function.binades;
  }
  for (size_t i = 0; i < fit.matrix.size(); ++i) {
    if (!fit.matrix[i].exact()) continue;
    const MatrixCapture& matrix = capture.matrix[i];
    profile.matrix.push_back(
        {matrix.name, matrix.m, matrix.n, matrix.k, fit.matrix[i].unit, evidence});
  }
  return profile;
}

bool ChipCheck::same() const {
  const bool any = !unary.empty() || std::any_of(matrix.begin(), matrix.end(),
                                                 [](const MatrixCheck& m) { return m.known; });
  return any && std::all_of(unary.begin(), unary.end(), [](const Proof& p) { return p.exact(); }) &&
         std::all_of(operations.begin(), operations.end(), Same) &&
         std::all_of(matrix.begin(), matrix.end(),
                     [](const MatrixCheck& m) { return m.misses == 0; });
}

ChipCheck CheckChip(const Capture& capture, const Profile& profile, int threads) {
  ChipCheck check;
  const units::SpecialFunctionTables tables = profile.tables();
  for (const UnaryCapture& unary : capture.unary) {
    const std::string function = FunctionOf(unary.operation);
    if (!function.empty() && !profile.has(function)) {
      check.unknown.push_back(unary.name);
      continue;
    }
    check.unary.push_back(Prove(capture, unary, tables, threads));
  }
  check.operations = CheckOperations(
      capture, [&](const std::string& function) -> std::optional<units::SpecialFunctionTables> {
        if (!profile.has(function)) return std::nullopt;
        return tables;
      });
  for (const MatrixCapture& matrix : capture.matrix) {
    MatrixCheck result{matrix.name, false, static_cast<int64_t>(matrix.results.size()), 0};
    for (const MatrixEntry& entry : profile.matrix) {
      if (entry.instruction != matrix.name) continue;
      result.known = true;
      result.misses = MatrixMisses(*capture.CasesOf(matrix.k), matrix.results, entry.unit);
    }
    check.matrix.push_back(result);
  }
  return check;
}

}  // namespace samebits::harness::profile
