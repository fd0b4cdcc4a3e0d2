#include "harness/profile/report.h"

#include <fmt/format.h>

#include <filesystem>

#include "harness/profile/capture_file.h"
#include "harness/profile/matrix_parameters.h"
#include "harness/report/json_writer.h"

namespace samebits::harness::profile {
namespace {

/// "0x3f80-0x3f83 0x7f80": runs of blocks, the first eight.
std::string BlocksText(const std::vector<uint16_t>& blocks) {
  std::string text;
  int runs = 0;
  for (size_t i = 0; i < blocks.size();) {
    size_t j = i;
    while (j + 1 < blocks.size() && blocks[j + 1] == blocks[j] + 1) ++j;
    if (++runs > 8) return text + " ...";
    text += fmt::format("{}0x{:04x}", text.empty() ? "" : " ", blocks[i]);
    if (j > i) text += fmt::format("-0x{:04x}", blocks[j]);
    i = j + 1;
  }
  return text;
}

std::string ProofText(const Proof& proof) {
  const std::string scope = proof.blocks == gpu::probe::kAllBlocks
                                ? "all 2^32 inputs"
                                : fmt::format("{} blocks of 65536 inputs", proof.blocks);
  if (proof.exact()) return fmt::format("{}: exact ({})", proof.name, scope);
  std::string text =
      fmt::format("{}: {} of {} blocks differ", proof.name, proof.bad_blocks.size(), proof.blocks);
  if (!proof.bad_blocks.empty()) text += ": " + BlocksText(proof.bad_blocks);
  if (proof.bad_edges > 0) {
    text += fmt::format("; {} of {} single inputs differ, first 0x{:08x}", proof.bad_edges,
                        proof.edges, proof.bad_input);
  }
  return text;
}

void WriteProof(const Proof& proof, JsonWriter* json) {
  json->BeginObject().Field("instruction", proof.name).Field("exact", proof.exact());
  json->Field("blocks", proof.blocks).Key("differing_blocks").BeginArray();
  for (const uint16_t block : proof.bad_blocks) json->Value(block);
  json->End().Field("single_inputs", proof.edges).Field("single_inputs_differ", proof.bad_edges);
  json->End();
}

std::string OperationText(const OperationCheck& check) {
  if (!check.compared)
    return fmt::format("{}: not compared ({} is not known)", check.name, check.function);
  if (check.differ == 0) return fmt::format("{}: exact ({} results)", check.name, check.results);
  return fmt::format("{}: {} of {} results differ, first {}", check.name, check.differ,
                     check.results, check.first);
}

void WriteOperations(const std::vector<OperationCheck>& checks, JsonWriter* json) {
  json->Key("operations").BeginArray();
  for (const OperationCheck& check : checks) {
    json->BeginObject().Field("operation", check.name).Field("compared", check.compared);
    json->Field("results", check.results).Field("differ", check.differ).End();
  }
  json->End();
}

const char* FormName(FunctionFit::Form form) {
  if (form == FunctionFit::Form::kInterpolated) return "interpolated";
  return form == FunctionFit::Form::kCorrectlyRounded ? "correctly_rounded" : "not_fitted";
}

std::string TableText(const units::Interpolator& t, size_t rows) {
  return fmt::format(
      "{} rows, {} bits of x, square from column {}, {} fraction bits, c0 << {}, c2 << {}, bias {}",
      rows, t.low_bits, t.square_first_column, t.fraction_bits, t.c0_shift, t.c2_shift, t.bias);
}

void PrintFunction(const FunctionFit& fit) {
  if (fit.form == FunctionFit::Form::kNotFitted) {
    fmt::print("{:<5} not fitted: {}\n", fit.function, fit.failure);
    return;
  }
  fmt::print("{:<5} {}{}\n", fit.function,
             fit.form == FunctionFit::Form::kCorrectlyRounded
                 ? std::string("correctly rounded")
                 : TableText(fit.table.interpolator(), fit.table.rows.size()),
             fit.exact() ? "" : "; not exact");
  for (const std::string& rule : fit.rules) fmt::print("      {}\n", rule);
  for (const Proof& proof : fit.proofs) fmt::print("      {}\n", ProofText(proof));
}

void PrintMatrix(const MatrixFit& fit) {
  fmt::print("{}: ", fit.name);
  if (fit.misses != 0) {
    std::string tags;
    for (const std::string& tag : fit.missed) tags += " " + tag;
    fmt::print("not fitted: the nearest ({}) misses {} of {} cases:{}\n", Name(fit.unit.op),
               fit.misses, fit.cases, tags);
    return;
  }
  fmt::print("{}, all {} cases; NaN 0x{:08x}\n", Name(fit.unit.op), fit.cases, fit.unit.nan_bits);
  for (const Sensitivity& s : fit.parameters) {
    fmt::print("      {} = {}", s.parameter, s.value);
    if (!s.nearest.empty()) fmt::print(" ({} misses {})", s.nearest, s.nearest_misses);
    if (!s.same.empty()) {
      fmt::print("; not decided, {} also:", s.same.size());
      for (const std::string& value : s.same) fmt::print(" {}", value);
    }
    fmt::print("\n");
  }
  fmt::print("      {} of {} cases depend on where in the tile they are computed ({} places)\n",
             fit.placements_differ, fit.cases, fit.placements);
}

void WriteDevice(const Capture& capture, JsonWriter* json) {
  json->Key("device").BeginObject().Field("name", capture.device.name);
  json->Field("architecture", capture.device.architecture).Field("driver", capture.device.driver);
  json->Field("runtime", capture.device.runtime).Field("clock_mhz", capture.clock_mhz);
  json->Field("backend", capture.backend).Field("date", capture.date).End();
}

void WriteFit(const std::string& file, const Capture& capture, const ChipFit& fit) {
  JsonWriter json(stdout, "profile fit");
  json.Field("file", file).Field("exact", fit.exact());
  WriteDevice(capture, &json);
  json.Key("functions").BeginArray();
  for (const FunctionFit& f : fit.special.functions) {
    json.BeginObject().Field("function", f.function).Field("form", FormName(f.form));
    json.Field("exact", f.exact()).Field("failure", f.failure);
    if (f.form == FunctionFit::Form::kInterpolated) {
      json.Field("rows", f.table.rows.size()).Field("low_bits", f.table.low_bits);
      json.Field("square_first_column", f.table.square_first_column);
      json.Field("fraction_bits", f.table.fraction_bits).Field("bias", f.table.bias);
    }
    json.Strings("rules", f.rules).Key("proofs").BeginArray();
    for (const Proof& proof : f.proofs) WriteProof(proof, &json);
    json.End().End();
  }
  json.End().Key("conversions").BeginArray();
  for (const Proof& proof : fit.conversions) WriteProof(proof, &json);
  json.End();
  WriteOperations(fit.operations, &json);
  json.Key("matrix").BeginArray();
  for (const MatrixFit& m : fit.matrix) {
    json.BeginObject().Field("instruction", m.name).Field("exact", m.exact());
    json.Field("cases", m.cases).Field("misses", m.misses).Field("sum", Name(m.unit.op));
    json.Field("nan_bits", fmt::format("0x{:08x}", m.unit.nan_bits))
        .Key("parameters")
        .BeginObject();
    for (const Sensitivity& s : m.parameters) {
      json.Key(s.parameter).BeginObject().Field("value", s.value).Field("nearest", s.nearest);
      json.Field("nearest_misses", s.nearest_misses).Strings("also", s.same).End();
    }
    json.End().End();
  }
}

std::string EvidenceText(const Evidence& evidence) {
  return fmt::format("{}: {}", profiles::ToString(evidence.kind), evidence.source);
}

void PrintProfile(const Profile& profile) {
  fmt::print("{} ({})\n", profile.name, profile.architecture);
  for (const auto& [name, entry] : profile.functions) {
    fmt::print("{:<5} {}\n      {}\n", name,
               profile.method == units::SpecialFunctionMethod::kInterpolated
                   ? TableText(entry.shape, entry.rows.size())
                   : std::string("correctly rounded"),
               EvidenceText(entry.evidence));
  }
  for (const MatrixEntry& entry : profile.matrix) {
    fmt::print("{}: {}", entry.instruction, Name(entry.unit.op));
    for (const MatrixParameter& parameter : MatrixParameters()) {
      if (!parameter.used(entry.unit.op)) continue;
      fmt::print(", {} {}", parameter.name, parameter.get(entry.unit));
    }
    fmt::print(", NaN 0x{:08x}\n      {}\n", entry.unit.nan_bits, EvidenceText(entry.evidence));
  }
}

void WriteEvidence(const Evidence& evidence, JsonWriter* json) {
  json->Field("evidence", profiles::ToString(evidence.kind)).Field("source", evidence.source);
}

void WriteProfile(const Profile& profile) {
  JsonWriter json(stdout, "profile show");
  json.Field("name", profile.name).Field("architecture", profile.architecture);
  json.Key("functions").BeginObject();
  for (const auto& [name, entry] : profile.functions) {
    json.Key(name).BeginObject().Field("rows", entry.rows.size());
    WriteEvidence(entry.evidence, &json);
    json.End();
  }
  json.End().Key("matrix").BeginArray();
  for (const MatrixEntry& entry : profile.matrix) {
    json.BeginObject().Field("instruction", entry.instruction).Field("sum", Name(entry.unit.op));
    for (const MatrixParameter& parameter : MatrixParameters()) {
      if (parameter.used(entry.unit.op)) json.Field(parameter.name, parameter.get(entry.unit));
    }
    WriteEvidence(entry.evidence, &json);
    json.End();
  }
}

}  // namespace

void ReportCapture(const std::string& file, const Capture& capture, bool json) {
  const std::string hash = CaptureHash(file);
  const auto bytes = static_cast<int64_t>(std::filesystem::file_size(file));
  if (json) {
    JsonWriter writer(stdout, "profile capture");
    writer.Field("file", file).Field("hash", hash).Field("bytes", bytes);
    WriteDevice(capture, &writer);
    writer.Field("blocks", capture.blocks.size());
    return;
  }
  fmt::print("{}: {} ({}), {} MHz, driver {}, {}\n", file, capture.device.name,
             capture.device.architecture, capture.clock_mhz, capture.device.driver, capture.date);
  fmt::print(
      "{} instructions on {} blocks of 65536 inputs, {} matrix instructions; {} bytes, hash {}\n",
      capture.unary.size(), capture.blocks.size(), capture.matrix.size(), bytes, hash);
}

void ReportFit(const std::string& file, const Capture& capture, const ChipFit& fit, bool json) {
  if (json) return WriteFit(file, capture, fit);
  fmt::print("{}: {} ({}), {}\n", file, capture.device.name, capture.device.architecture,
             capture.date);
  for (const FunctionFit& function : fit.special.functions) PrintFunction(function);
  for (const Proof& proof : fit.conversions) fmt::print("{}\n", ProofText(proof));
  for (const OperationCheck& check : fit.operations) fmt::print("{}\n", OperationText(check));
  for (const MatrixFit& matrix : fit.matrix) PrintMatrix(matrix);
  fmt::print("{}\n", fit.exact() ? "exact: every recorded result follows from the above"
                                 : "not exact: see above");
}

void ReportCheck(const std::string& file, const Profile& profile, const ChipCheck& check,
                 bool json) {
  if (json) {
    JsonWriter writer(stdout, "profile check");
    writer.Field("file", file).Field("profile", profile.name).Field("same", check.same());
    writer.Key("instructions").BeginArray();
    for (const Proof& proof : check.unary) WriteProof(proof, &writer);
    writer.End().Strings("unknown", check.unknown);
    WriteOperations(check.operations, &writer);
    writer.Key("matrix").BeginArray();
    for (const MatrixCheck& m : check.matrix) {
      writer.BeginObject().Field("instruction", m.instruction).Field("known", m.known);
      writer.Field("cases", m.cases).Field("misses", m.misses).End();
    }
    return;
  }
  for (const Proof& proof : check.unary) fmt::print("{}\n", ProofText(proof));
  for (const std::string& name : check.unknown) fmt::print("{}: not in the profile\n", name);
  for (const OperationCheck& operation : check.operations) {
    fmt::print("{}\n", OperationText(operation));
  }
  for (const MatrixCheck& m : check.matrix) {
    if (!m.known) {
      fmt::print("{}: not in the profile\n", m.instruction);
    } else if (m.misses == 0) {
      fmt::print("{}: exact ({} cases)\n", m.instruction, m.cases);
    } else {
      fmt::print("{}: {} of {} cases differ\n", m.instruction, m.misses, m.cases);
    }
  }
  fmt::print("{} {} profile {}\n", file, check.same() ? "agrees with" : "differs from",
             profile.name);
}

void ReportProfiles(const std::string& name_or_file, bool json) {
  if (!name_or_file.empty()) {
    const Profile profile = LoadProfile(name_or_file);
    if (json) return WriteProfile(profile);
    return PrintProfile(profile);
  }
  if (json) {
    JsonWriter(stdout, "profile show").Strings("profiles", ProfileNames());
    return;
  }
  for (const std::string& name : ProfileNames()) PrintProfile(LoadProfile(name));
}

}  // namespace samebits::harness::profile
