#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "golden/capture.h"
#include "golden/contract_text.h"
#include "golden/evidence_file.h"
#include "harness/compare/element.h"
#include "harness/dataset.h"
#include "harness/names.h"
#include "harness/provenance.h"
#include "harness/status.h"
#include "harness/verbs/verbs.h"

namespace samebits::harness {
namespace {

using golden::CaseEntry;
using golden::TensorEntry;

/// How many elements of a float tensor are of each kind.
struct Census {
  int64_t nan = 0, inf = 0, zero = 0, poison = 0;
  std::optional<float> min, max;  // finite
};

Census Count(const Tensor& tensor) {
  Census census;
  const DType dtype = tensor.spec.dtype;
  for (int64_t i = 0; i < tensor.spec.elements(); ++i) {
    const uint32_t bits = ElementBits(tensor, i);
    const float value = ToFloat(dtype, bits);
    if (bits == PoisonBits(dtype)) {
      ++census.poison;
    } else if (std::isnan(value)) {
      ++census.nan;
    } else if (std::isinf(value)) {
      ++census.inf;
    } else {
      census.zero += value == 0;
      census.min = std::min(census.min.value_or(value), value);
      census.max = std::max(census.max.value_or(value), value);
    }
  }
  return census;
}

void PrintFile(const golden::Reader& reader, const Kernel& kernel) {
  const golden::FileInfo& info = reader.info();
  fmt::print("{}: {}, {}, {}{}\n", reader.path(), golden::Name(info.schema), info.kernel,
             golden::Name(info.store), info.taps ? ", with taps" : "");
  fmt::print("made by samebits {} ({})\n", info.tool_version, info.commit);
  fmt::print("contract {} ({}), profile {}\n", info.contract.name, info.contract_hash(),
             info.contract.profile);
  PrintAssumed(stdout, kernel, info.contract);
  if (info.device) {
    fmt::print("observed on {} ({}), driver {}, kernel {} ({})\n",
               DevicesText(info.device->count, info.device->name), info.device->architecture,
               info.device->driver, info.device->kernel_symbol, info.device->kernel_hash);
  }
}

void PrintCase(const CaseEntry& entry, const Kernel& kernel) {
  fmt::print("{}  {} seed={}  {}\n", entry.id, entry.style, entry.seed,
             SettingsText(NonDefault(kernel, entry.config)));
}

void PrintTensors(const CaseEntry& entry) {
  for (const TensorEntry& tensor : entry.tensors) {
    fmt::print("  {:<8} {}  xxh3 {}\n", GroupName(tensor.spec.role), SpecText(tensor.spec),
               tensor.xxh3);
  }
}

void PrintValues(const Tensor& tensor, int64_t limit) {
  const Census census = Count(tensor);
  fmt::print("{}/{}\n", GroupName(tensor.spec.role), SpecText(tensor.spec));
  fmt::print("  {} elements: {} NaN, {} infinite, {} zero, {} never written",
             tensor.spec.elements(), census.nan, census.inf, census.zero, census.poison);
  if (census.min) fmt::print("; finite from {} to {}", *census.min, *census.max);
  fmt::print("\n");
  for (int64_t i = 0; i < std::min(limit, tensor.spec.elements()); ++i) {
    const uint32_t bits = ElementBits(tensor, i);
    fmt::print("  {}  {}  {}\n", HexBits(tensor.spec.dtype, bits),
               ValueText(tensor.spec.dtype, bits), CoordinateText(tensor.spec, i));
  }
}

void WriteFile(const golden::Reader& reader, const Kernel& kernel, JsonWriter* json) {
  const golden::FileInfo& info = reader.info();
  json->Field("file", reader.path()).Field("schema", golden::Name(info.schema));
  json->Field("kernel", info.kernel).Field("store", golden::Name(info.store));
  json->Field("taps", info.taps).Field("tool_version", info.tool_version);
  json->Field("commit", info.commit).Field("contract", info.contract.name);
  json->Field("contract_hash", info.contract_hash()).Field("profile", info.contract.profile);
  json->Map("choices", info.contract.choices);
  WriteUnits("rests_on", kernel, info.contract, json);
  if (!info.device) return;
  json->Key("device").BeginObject().Field("name", info.device->name);
  json->Field("count", info.device->count);
  json->Field("architecture", info.device->architecture).Field("driver", info.device->driver);
  json->Field("kernel_symbol", info.device->kernel_symbol);
  json->Field("kernel_hash", info.device->kernel_hash).End();
}

void WriteTensors(const CaseEntry& entry, JsonWriter* json) {
  json->Key("tensors").BeginArray();
  for (const TensorEntry& tensor : entry.tensors) {
    json->BeginObject().Field("group", GroupName(tensor.spec.role));
    json->Field("tensor", tensor.spec.name).Field("dtype", Name(tensor.spec.dtype));
    json->Strings("dims", tensor.spec.dims).Key("shape").BeginArray();
    for (int64_t extent : tensor.spec.shape) json->Value(extent);
    json->End().Field("xxh3", tensor.xxh3).End();
  }
  json->End();
}

void WriteValues(const Tensor& tensor, int64_t limit, JsonWriter* json) {
  const Census census = Count(tensor);
  json->BeginObject().Field("group", GroupName(tensor.spec.role));
  json->Field("tensor", tensor.spec.name).Field("dtype", Name(tensor.spec.dtype));
  json->Field("elements", tensor.spec.elements()).Field("nan", census.nan);
  json->Field("inf", census.inf).Field("zero", census.zero).Field("never_written", census.poison);
  json->Key("values").BeginArray();
  for (int64_t i = 0; i < std::min(limit, tensor.spec.elements()); ++i) {
    json->BeginObject().Field("index", i);
    json->Bits("element", tensor.spec.dtype, ElementBits(tensor, i)).End();
  }
  json->End().End();
}

/// The values of the selected tensors: stored, or regenerated inputs of a file of hashes.
std::vector<Tensor> Values(const InspectOptions& options, const golden::Reader& reader,
                           const CaseEntry& entry, const Kernel& kernel) {
  const TensorSelection selection(reader, {options.tensor});
  std::vector<Tensor> values;
  for (const TensorEntry& tensor : entry.tensors) {
    if (!selection.Has(tensor.spec)) continue;
    if (reader.has_values()) {
      values.push_back(reader.Read(entry, tensor));
    } else if (tensor.spec.role == Role::kInput) {
      values.push_back(reader.Inputs(entry, kernel).At(Role::kInput, tensor.spec.name));
    } else {
      throw UsageError(fmt::format("{}: {}: only its hash {} is stored", reader.path(),
                                   FullName(tensor.spec), tensor.xxh3));
    }
  }
  return values;
}

/// One case by its id, else all; with values the first alone.
std::vector<const CaseEntry*> Cases(const InspectOptions& options, const golden::Reader& reader) {
  std::vector<const CaseEntry*> cases;
  if (!options.case_id.empty()) {
    cases.push_back(&CaseNamed(reader, options.case_id));
    return cases;
  }
  for (const CaseEntry& entry : reader.cases()) {
    if (!options.tensor.empty() && !cases.empty()) break;
    cases.push_back(&entry);
  }
  return cases;
}

}  // namespace

int Inspect(const InspectOptions& options) {
  if (golden::Capture::Claims(options.file)) return InspectCapture(options);
  if (golden::IsEvidence(options.file)) return InspectEvidence(options);
  const golden::Reader reader(options.file);
  const Kernel& kernel = KernelOf(reader);
  const bool values = !options.tensor.empty();
  const std::vector<const CaseEntry*> cases = Cases(options, reader);
  std::vector<Tensor> tensors;
  if (values && !cases.empty()) tensors = Values(options, reader, *cases.front(), kernel);

  if (options.json) {
    JsonWriter json(stdout, "inspect");
    WriteFile(reader, kernel, &json);
    json.Key("cases").BeginArray();
    for (const CaseEntry* entry : cases) {
      json.BeginObject().Field("id", entry->id).Field("inputs_style", entry->style);
      json.Field("seed", entry->seed).Map("config", entry->config);
      WriteTensors(*entry, &json);
      json.End();
    }
    json.End().Key("values").BeginArray();
    for (const Tensor& tensor : tensors) WriteValues(tensor, options.limit, &json);
    return kIdentical;
  }
  if (!values) PrintFile(reader, kernel);
  for (const CaseEntry* entry : cases) {
    PrintCase(*entry, kernel);
    if (!values && (!options.case_id.empty() || cases.size() == 1)) PrintTensors(*entry);
  }
  for (const Tensor& tensor : tensors) PrintValues(tensor, options.limit);
  return kIdentical;
}

}  // namespace samebits::harness
