#include "harness/slice/slice.h"

#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <optional>
#include <vector>

#include "harness/compare/compare_tensors.h"
#include "harness/dataset.h"
#include "harness/names.h"
#include "harness/output_file.h"
#include "harness/slice/write.h"
#include "harness/status.h"
#include "harness/suggest.h"
#include "harness/text_file.h"
#include "harness/verbs/verbs.h"

namespace samebits::harness {
namespace {

using golden::CaseEntry;
using golden::Reader;

const CaseEntry& OnlyCase(const Reader& reader, const std::string& id) {
  if (!id.empty()) return CaseNamed(reader, id);
  if (reader.cases().size() == 1) return reader.cases().front();
  throw UsageError(fmt::format("{}: --case: expected one of its {} cases", reader.path(),
                               reader.cases().size()));
}

const CaseEntry& ObservedCase(const Reader& observed, const CaseEntry& wanted) {
  if (const CaseEntry* entry = Counterpart(observed, wanted)) return *entry;
  throw UsageError(fmt::format("{}: has no case of the configuration and inputs of {}",
                               observed.path(), wanted.id));
}

/// The tap or output of that name; an output where both have it, unless the name says taps/.
TensorSpec TensorNamed(const std::vector<TensorSpec>& specs, const std::string& name) {
  std::optional<TensorSpec> found;
  std::vector<std::string> names;
  for (const TensorSpec& spec : specs) {
    if (spec.role == Role::kInput) continue;
    names.push_back(name.find('/') == std::string::npos ? spec.name : FullName(spec));
    if (spec.name == name || FullName(spec) == name) found = spec;
  }
  if (!found) throw UsageError(UnknownName("tap or output", name, names));
  return *found;
}

/// Index of the dimension of that name, or the only one that starts so.
size_t DimensionNamed(const TensorSpec& spec, const std::string& name) {
  std::vector<size_t> found;
  for (size_t d = 0; d < spec.dims.size(); ++d) {
    if (spec.dims[d] == name) return d;
    if (spec.dims[d].starts_with(name)) found.push_back(d);
  }
  if (found.size() == 1) return found.front();
  throw UsageError(UnknownName("dimension of " + spec.name, name, spec.dims));
}

/// "h=3,v=41": dimensions that are not named are 0.
int64_t IndexOf(const TensorSpec& spec, const std::vector<std::string>& words) {
  std::vector<int64_t> at(spec.dims.size(), 0);
  std::vector<bool> given(spec.dims.size());
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    if (equals == std::string::npos) {
      throw UsageError(fmt::format("--at: expected DIM=INDEX, got \"{}\"", word));
    }
    const size_t d = DimensionNamed(spec, word.substr(0, equals));
    if (given[d]) {
      throw UsageError(fmt::format("--at: dimension {} is given twice", spec.dims[d]));
    }
    given[d] = true;
    const char* end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data() + equals + 1, end, at[d]);
    if (error != std::errc() || stop != end || at[d] < 0 || at[d] >= spec.shape[d]) {
      throw UsageError(fmt::format("--at: {}: expected 0..{}, got \"{}\"", spec.dims[d],
                                   spec.shape[d] - 1, word.substr(equals + 1)));
    }
  }
  int64_t index = 0;
  for (size_t d = 0; d < at.size(); ++d) index = index * spec.shape[d] + at[d];
  return index;
}

/// Where the files first differ, in dataflow order; in `tensor` alone, if that is given.
std::optional<ElementRef> FirstDifference(const Reader& golden, const CaseEntry& entry,
                                          const Reader& observed, const CaseEntry& other,
                                          const std::string& tensor) {
  CaseReport report;
  for (const golden::TensorEntry& expected : entry.tensors) {
    const TensorSpec& spec = expected.spec;
    const golden::TensorEntry* actual = other.Find(spec.role, spec.name);
    const bool wanted = tensor.empty() || tensor == spec.name || tensor == FullName(spec);
    if (spec.role == Role::kInput || !wanted || actual == nullptr || actual->spec != spec ||
        actual->xxh3 == expected.xxh3) {
      continue;
    }
    const Tensor truth = golden.Read(entry, expected);
    auto diff = CompareTensors(truth, ReadCaptured(observed, other, *actual, truth));
    if (diff) report.diffs.push_back(std::move(*diff));
  }
  report.SortByDataflow();
  if (report.diffs.empty()) return std::nullopt;
  const TensorDiff& first = report.diffs.front();
  return ElementRef{first.spec.role, first.spec.name, first.first.index};
}

/// What the user named, or with two files where they first differ.
ElementRef Asked(const SliceOptions& options, const Kernel& kernel, const Reader& golden,
                 const CaseEntry& entry, const Reader* observed, const CaseEntry* other) {
  const bool search = options.tensor.empty() || options.at.empty();
  if (search && observed != nullptr && golden.has_values() && observed->has_values()) {
    const auto first = FirstDifference(golden, entry, *observed, *other, options.tensor);
    if (first) return *first;
    if (options.tensor.empty()) {
      throw UsageError(fmt::format("{}: no difference to {}: expected --tensor and --at",
                                   options.observed, options.file));
    }
  }
  if (options.tensor.empty()) {
    const Reader* hashes = !golden.has_values()                             ? &golden
                           : observed != nullptr && !observed->has_values() ? observed
                                                                            : nullptr;
    if (observed == nullptr || hashes == nullptr) {
      throw UsageError("samebits slice: expected --tensor and --at");
    }
    throw UsageError(fmt::format(
        "{}: holds no values (--store hashes) to find a difference in: expected --tensor and --at",
        hashes->path()));
  }
  const TensorSpec spec = TensorNamed(Tensors(kernel.Plan(entry.config, true)), options.tensor);
  return {spec.role, spec.name, IndexOf(spec, options.at)};
}

void Emit(const SliceOptions& options, const Slice& slice, const SliceTitle& title) {
  if (!options.output.empty()) {
    WriteTextFile(options.output, MakeSlicePage(slice, title), options.force);
  }
  if (options.json) {
    JsonWriter json(stdout, "slice");
    if (!options.output.empty()) json.Field("output", options.output);
    Write(slice, title, &json);
  } else if (options.output.empty()) {
    Print(stdout, slice, title, options.depth);
  } else {
    for (const std::string& finding : Findings(slice, title)) fmt::print("{}\n", finding);
    fmt::print("{}: {} operations of {} elements\n", options.output, slice.operations(),
               slice.elements.size());
  }
}

}  // namespace

int SliceVerb(const SliceOptions& options) {
  CheckOutput(options.output, {options.file, options.observed});
  const Reader golden(options.file);
  const Kernel& kernel = KernelOf(golden);
  const CaseEntry& entry = OnlyCase(golden, options.case_id);
  const GoldenElements expected(golden, entry, kernel, ThreadCount(options.threads));

  std::optional<Reader> second;
  const CaseEntry* other = nullptr;
  std::unique_ptr<ObservedElements> observed;
  if (!options.observed.empty()) {
    second.emplace(Reader::OpenObserved(options.observed, golden, kernel));
    if (second->info().kernel != golden.info().kernel) {
      throw UsageError(fmt::format("{}: expected kernel {} as in {}, got {}", options.observed,
                                   golden.info().kernel, options.file, second->info().kernel));
    }
    other = &ObservedCase(*second, entry);
    observed = std::make_unique<ObservedElements>(*second, *other, kernel, golden.info().contract,
                                                  expected);
  }
  const ElementRef element =
      Asked(options, kernel, golden, entry, second ? &*second : nullptr, other);
  const Slice slice = MakeSlice(kernel, entry.config, golden.info().contract, expected,
                                observed.get(), {.element = element, .stages = options.stages});
  const SliceTitle title = {
      .kernel = std::string(kernel.name()),
      .contract = golden.info().contract.name,
      .case_text = fmt::format("case {} {} seed={} {}", entry.id, entry.style, entry.seed,
                               SettingsText(NonDefault(kernel, entry.config))),
      .expected = options.file,
      .observed = options.observed};
  Emit(options, slice, title);
  const bool differs =
      observed && slice.elements.front().observed_bits != slice.elements.front().expected_bits;
  return differs ? kDivergent : kIdentical;
}

}  // namespace samebits::harness
