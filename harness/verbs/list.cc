#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/backends.h"
#include "harness/names.h"
#include "harness/provenance.h"
#include "harness/report/json_writer.h"
#include "harness/verbs/verbs.h"
#include "model/kernel.h"

namespace samebits::harness {
namespace {

std::string LegalValues(const Axis& axis) {
  switch (axis.kind) {
    case Axis::Kind::kInteger:
      return fmt::format("{}..{}", axis.min, axis.max);
    case Axis::Kind::kWord:
      return fmt::format("{}", fmt::join(axis.words, " | "));
    case Axis::Kind::kReal:
      return "a number";
  }
  return "";
}

void PrintKernel(const Kernel& kernel) {
  fmt::print("{}: {}\n", kernel.name(), kernel.doc());
  if (!kernel.specification().empty()) fmt::print("specification: {}\n", kernel.specification());
  fmt::print("\naxes (--config axis=value)\n");
  for (const Axis& axis : kernel.axes()) {
    fmt::print("  {:<14} {} (default {}): {}\n", axis.name, LegalValues(axis), axis.default_value,
               axis.doc);
  }
  fmt::print("\nchoices of a contract (--set choice=value), what the default contract has first\n");
  const Contract contract = kernel.NamedContract("");
  for (const Choice& choice : kernel.choices()) {
    fmt::print("  {:<24} {}", choice.name, contract.choices.at(choice.name));
    for (const std::string& value : choice.values) {
      if (value != contract.choices.at(choice.name)) fmt::print(" | {}", value);
    }
    fmt::print("\n      {} First seen in {}.\n", choice.doc, choice.first_tap);
  }
  fmt::print("\ncontracts (--contract)\n");
  for (const std::string& name : kernel.contract_names()) {
    fmt::print("  {}{}\n", name, name == contract.name ? " (default)" : "");
    const std::string assumed = AssumedText(UnitsOf(kernel, kernel.NamedContract(name)));
    if (!assumed.empty()) fmt::print("      rests on assumed: {}\n", assumed);
  }
}

void WriteAxes(const Kernel& kernel, JsonWriter* json) {
  json->Key("axes").BeginArray();
  for (const Axis& axis : kernel.axes()) {
    json->BeginObject().Field("name", axis.name).Field("doc", axis.doc);
    json->Field("default", axis.default_value);
    if (axis.kind == Axis::Kind::kInteger) json->Field("min", axis.min).Field("max", axis.max);
    if (axis.kind == Axis::Kind::kWord) json->Strings("values", axis.words);
    json->End();
  }
  json->End();
}

void WriteKernel(const Kernel& kernel, JsonWriter* json) {
  json->BeginObject().Field("name", kernel.name()).Field("doc", kernel.doc());
  json->Field("specification", kernel.specification());
  WriteAxes(kernel, json);
  json->Key("choices").BeginArray();
  for (const Choice& choice : kernel.choices()) {
    json->BeginObject().Field("name", choice.name).Field("doc", choice.doc);
    json->Strings("values", choice.values).Field("first_tap", choice.first_tap);
    json->Field("kind", Name(choice.kind)).End();
  }
  json->End().Key("contracts").BeginArray();
  for (const std::string& name : kernel.contract_names()) {
    const Contract contract = kernel.NamedContract(name);
    json->BeginObject().Field("name", name).Field("profile", contract.profile);
    json->Map("choices", contract.choices);
    WriteUnits("rests_on", kernel, contract, json);
    json->End();
  }
  json->End().Field("default_contract", kernel.NamedContract("").name).End();
}

}  // namespace

int List(const ListOptions& options) {
  std::vector<const Kernel*> kernels(Kernels().begin(), Kernels().end());
  if (!options.kernel.empty()) kernels = {&KernelNamed(options.kernel)};
  if (options.json) {
    JsonWriter json(stdout, "list");
    json.Key("kernels").BeginArray();
    for (const Kernel* kernel : kernels) WriteKernel(*kernel, &json);
    json.End().Strings("input_styles", InputStyles()).Strings("backends", BackendNames());
    return 0;
  }
  for (const Kernel* kernel : kernels) {
    PrintKernel(*kernel);
    fmt::print("\n");
  }
  fmt::print("input styles (--inputs): {}\n", fmt::join(InputStyles(), ", "));
  fmt::print("backends (--backend): {}\n", fmt::join(BackendNames(), ", "));
  return 0;
}

}  // namespace samebits::harness
