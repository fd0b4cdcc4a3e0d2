#include "harness/compare/element.h"
#include "harness/slice/write.h"

namespace samebits::harness {
namespace {

void WriteElement(const Slice& slice, const ElementRef& element, JsonWriter* json) {
  const TensorSpec& spec = slice.SpecOf(element);
  json->Field("group", GroupName(element.role)).Field("tensor", element.tensor);
  json->Field("index", element.index).Key("at").BeginObject();
  const std::vector<int64_t> coordinates = Coordinates(spec, element.index);
  for (size_t d = 0; d < spec.dims.size(); ++d) json->Field(spec.dims[d], coordinates[d]);
  json->End();
}

void WriteNode(const Slice& slice, const SlicedElement& s, size_t index, JsonWriter* json) {
  const TraceNode& node = s.expected.nodes[index];
  json->BeginObject().Field("op", node.op);
  if (!node.label.empty()) json->Field("label", node.label);
  if (node.kind == TraceNode::Kind::kElement) WriteElement(slice, node.element, json);
  if (!node.operands.empty()) {
    json->Key("operands").BeginArray();
    for (const int operand : node.operands) json->Value(operand);
    json->End();
  }
  json->Field("dtype", Name(node.dtype)).Bits("expected", node.dtype, node.bits);
  if (s.observed) json->Bits("given", node.dtype, s.observed->nodes[index].bits);
  json->End();
}

void WriteSliced(const Slice& slice, const SlicedElement& s, JsonWriter* json) {
  json->BeginObject();
  WriteElement(slice, s.element, json);
  json->Field("stage", s.stage).Bits("expected", s.spec.dtype, s.expected_bits);
  if (s.observed) {
    json->Bits("observed", s.spec.dtype, s.observed_bits).Field("stored", s.observed_stored);
    json->Field("blame", Name(s.blame));
    if (s.first_difference >= 0) json->Field("first_difference", s.first_difference);
  }
  json->Field("root", s.expected.root).Key("nodes").BeginArray();
  for (size_t i = 0; i < s.expected.nodes.size(); ++i) WriteNode(slice, s, i, json);
  json->End().End();
}

}  // namespace

void Write(const Slice& slice, const SliceTitle& title, JsonWriter* json) {
  json->Field("kernel", title.kernel).Field("contract", title.contract);
  json->Field("case", title.case_text).Field("expected", title.expected);
  if (!title.observed.empty()) json->Field("observed", title.observed);
  json->Strings("findings", Findings(slice, title)).Field("operations", slice.operations());
  json->Key("path").BeginArray();
  for (const int place : slice.path) json->Value(place);
  json->End().Key("elements").BeginArray();
  for (const SlicedElement& s : slice.elements) WriteSliced(slice, s, json);
  json->End();
}

}  // namespace samebits::harness
