#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/capture.h"
#include "harness/report/json_writer.h"
#include "harness/status.h"
#include "harness/verbs/verbs.h"

namespace samebits::harness {
namespace {

using golden::Capture;

void WriteJson(const InspectOptions& options, const Capture& capture) {
  JsonWriter json(stdout, "inspect");
  json.Field("file", options.file).Field("schema", "samebits-observed").Field("capture", true);
  json.Field("kernel", capture.kernel()).Key("cases").BeginArray();
  for (const std::string& name : capture.cases()) {
    json.BeginObject().Field("name", name).Key("tensors").BeginArray();
    for (const Capture::Stored& stored : capture.List(name)) {
      json.BeginObject().Field("tensor", stored.name).Field("dtype", stored.dtype);
      json.Field("dims", stored.dims).Strings("parts", stored.parts).Key("shape").BeginArray();
      for (const int64_t extent : stored.extents) json.Value(extent);
      json.End().End();
    }
    json.End().End();
  }
}

void PrintText(const InspectOptions& options, const Capture& capture) {
  fmt::print("{}: samebits-observed, {}, a capture made by hand: no contract, hashes or seal\n",
             options.file, capture.kernel());
  for (const std::string& name : capture.cases()) {
    fmt::print("{}\n", name);
    for (const Capture::Stored& stored : capture.List(name)) {
      fmt::print("  {} {} [{}]", stored.name, stored.dtype, fmt::join(stored.extents, ", "));
      if (!stored.dims.empty()) fmt::print(" ({})", stored.dims);
      if (!stored.parts.empty()) fmt::print("  parts of {}", fmt::join(stored.parts, ", "));
      fmt::print("\n");
    }
  }
}

}  // namespace

int InspectCapture(const InspectOptions& options) {
  const Capture capture(options.file);
  if (!options.tensor.empty() || !options.case_id.empty()) {
    throw UsageError(fmt::format(
        "{0}: --tensor, --case: a capture made by hand is listed whole; samebits compare GOLDEN "
        "{0} shows its values",
        options.file));
  }
  options.json ? WriteJson(options, capture) : PrintText(options, capture);
  return kIdentical;
}

}  // namespace samebits::harness
