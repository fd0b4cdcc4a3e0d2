#include "harness/profile/capture_file.h"

#include <algorithm>
#include <cstring>
#include <fstream>

#include "golden/hdf5.h"
#include "golden/integrity_error.h"
#include "golden/seal.h"
#include "golden/temporary_file.h"
#include "model/arith/float32.h"
#include "model/contract.h"

namespace samebits::harness::profile {
namespace {

using golden::H5Node;
using gpu::probe::Vendor;

constexpr char kSeal[] = "xxh3-128 ";

int64_t Size(const auto& values) { return static_cast<int64_t>(values.size()); }

/// Fingerprints and edges of an operation that mostly computes what an earlier one does are stored
/// as the exclusive or of both: nearly all zeros.
const UnaryCapture* BaseOf(const Capture& capture, size_t index) {
  const UnaryCapture& unary = capture.unary[index];
  for (size_t i = 0; i < index; ++i) {
    const UnaryCapture& base = capture.unary[i];
    size_t same = 0;
    for (size_t b = 0; b < base.fingerprints.size(); ++b) {
      same += base.fingerprints[b] == unary.fingerprints[b];
    }
    if (same > base.fingerprints.size() / 2) return &base;
  }
  return nullptr;
}

template <typename T>
std::vector<T> Xor(std::vector<T> values, const std::vector<T>& other) {
  for (size_t i = 0; i < values.size(); ++i) values[i] ^= other[i];
  return values;
}

void WriteUnary(const Capture& capture, size_t index, H5Node* group) {
  const UnaryCapture& unary = capture.unary[index];
  const UnaryCapture* base = BaseOf(capture, index);
  H5Node node = group->CreateGroup(unary.name);
  node.SetText("base", base == nullptr ? "" : base->name);
  node.CreateArray(
      "fingerprints", {Size(unary.fingerprints)},
      base == nullptr ? unary.fingerprints : Xor(unary.fingerprints, base->fingerprints));
  node.CreateArray("edges", {Size(unary.edges)},
                   base == nullptr ? unary.edges : Xor(unary.edges, base->edges));
  node.SetInteger("first_field", unary.binades.first_field);
  node.SetInteger("fields", unary.binades.fields);
  node.SetInteger("stride", unary.binades.stride);
  if (unary.binades.fields == 0) return;
  node.CreateArray("results", {unary.binades.fields, Size(unary.results) / unary.binades.fields},
                   unary.results);
}

void WriteMatrix(const Capture& capture, H5Node* root) {
  H5Node cases = root->CreateGroup("matrix_cases");
  for (const MatrixCases& set : capture.cases) {
    H5Node node = cases.CreateGroup("k" + std::to_string(set.k));
    node.CreateLines("tags", set.tags);
    node.CreateArray("a", {Size(set.tags), set.k}, set.a);
    node.CreateArray("b", {Size(set.tags), set.k}, set.b);
    node.CreateArray("c", {Size(set.tags)}, set.c);
  }
  H5Node group = root->CreateGroup("matrix");
  for (const MatrixCapture& matrix : capture.matrix) {
    H5Node node = group.CreateGroup(matrix.name);
    node.SetInteger("m", matrix.m);
    node.SetInteger("n", matrix.n);
    node.SetInteger("k", matrix.k);
    node.SetInteger("placements", matrix.placements);
    node.SetInteger("placements_differ", matrix.placements_differ);
    node.CreateArray("results", {Size(matrix.results)}, matrix.results);
  }
}

std::vector<uint32_t> Bits(const std::vector<float>& values) {
  std::vector<uint32_t> bits;
  for (const float value : values) bits.push_back(arith::ToBits(value));
  return bits;
}

void WriteContents(const Capture& capture, H5Node* root) {
  root->SetText("schema", kCaptureSchema);
  root->SetInteger("schema_version", kCaptureSchemaVersion);
  root->SetText("tool_version", capture.tool_version);
  root->SetText("commit", capture.commit);
  root->SetText("date", capture.date);
  root->SetText("backend", capture.backend);
  root->SetText("vendor", capture.vendor == Vendor::kAmd ? "AMD" : "NVIDIA");
  root->SetText("device", capture.device.name);
  root->SetText("architecture", capture.device.architecture);
  root->SetText("driver", capture.device.driver);
  root->SetText("runtime", capture.device.runtime);
  root->SetInteger("clock_mhz", capture.clock_mhz);
  root->CreateArray("blocks", {Size(capture.blocks)}, capture.blocks);
  root->CreateArray("fractions", {Size(capture.fractions)}, capture.fractions);
  root->CreateArray("edges", {Size(capture.edges)}, capture.edges);
  const char* const names[] = {"operand_a", "operand_b", "operand_c"};
  for (int i = 0; i < 3; ++i) {
    root->CreateArray(names[i], {Size(capture.operands[i])}, Bits(capture.operands[i]));
  }
  H5Node unary = root->CreateGroup("unary");
  for (size_t i = 0; i < capture.unary.size(); ++i) WriteUnary(capture, i, &unary);
  H5Node half = root->CreateGroup("half");
  for (const HalfCapture& h : capture.half) half.CreateArray(h.name, {Size(h.results)}, h.results);
  H5Node scalar = root->CreateGroup("scalar");
  for (const ScalarCapture& s : capture.scalar) {
    scalar.CreateArray(s.name, {Size(s.results)}, s.results);
  }
  WriteMatrix(capture, root);
}

/// A one-dimensional dataset.
template <typename T>
std::vector<T> Read(const H5Node& node, const std::string& name) {
  const H5Node dataset = node.Dataset(name);
  const std::vector<int64_t> extents = dataset.ArrayExtents();
  if (extents.size() != 1) dataset.Refuse("expected one dimension");
  return dataset.Array<T>(extents);
}

template <typename T>
std::vector<T> Read(const H5Node& node, const std::string& name, size_t size) {
  return node.Dataset(name).Array<T>({static_cast<int64_t>(size)});
}

/// In the order of the probes, which is that of the bases.
template <typename Operation>
std::vector<const Operation*> Present(std::span<const Operation> operations, const H5Node& group) {
  std::vector<const Operation*> present;
  for (const std::string& name : group.Children()) {
    const auto found = std::find_if(operations.begin(), operations.end(),
                                    [&](const Operation& o) { return o.name == name; });
    if (found == operations.end()) group.Refuse("unknown operation " + name);
    present.push_back(&*found);
  }
  std::sort(present.begin(), present.end());
  return present;
}

int ReadSmall(const H5Node& node, const std::string& name, int min, int max) {
  const int64_t value = node.Integer(name);
  if (value < min || value > max) {
    node.Refuse("attribute " + name + ": expected " + std::to_string(min) + " to " +
                std::to_string(max));
  }
  return static_cast<int>(value);
}

UnaryCapture ReadUnary(const Capture& capture, const gpu::probe::UnaryOperation& operation,
                       const H5Node& node) {
  UnaryCapture unary;
  unary.name = operation.name;
  unary.operation = operation.operation;
  unary.fingerprints = Read<uint64_t>(node, "fingerprints", capture.blocks.size());
  unary.edges = Read<uint32_t>(node, "edges", capture.edges.size());
  if (const std::string base = node.Text("base"); !base.empty()) {
    const auto found = std::find_if(capture.unary.begin(), capture.unary.end(),
                                    [&](const UnaryCapture& u) { return u.name == base; });
    if (found == capture.unary.end()) node.Refuse("attribute base: no earlier operation " + base);
    unary.fingerprints = Xor(std::move(unary.fingerprints), found->fingerprints);
    unary.edges = Xor(std::move(unary.edges), found->edges);
  }
  unary.binades.first_field = ReadSmall(node, "first_field", 0, 254);
  unary.binades.fields = ReadSmall(node, "fields", 0, 255 - unary.binades.first_field);
  unary.binades.stride = ReadSmall(node, "stride", 1, 1 << 15);
  if (unary.binades.fields > 0) {
    const auto stride = static_cast<size_t>(unary.binades.stride);
    const auto per_field = static_cast<int64_t>((capture.fractions.size() + stride - 1) / stride);
    unary.results = node.Dataset("results").Array<uint32_t>({unary.binades.fields, per_field});
  }
  return unary;
}

void ReadMatrix(const H5Node& root, Capture* capture) {
  const H5Node cases = root.Group("matrix_cases");
  for (const std::string& name : cases.Children()) {
    const H5Node node = cases.Group(name);
    MatrixCases set;
    for (set.k = 1; set.k <= 64 && name != "k" + std::to_string(set.k); set.k *= 2) {
    }
    if (set.k > 64) node.Refuse("expected k1, k2, .. k64");
    set.tags = node.Dataset("tags").Lines();
    const std::vector<int64_t> extents = {Size(set.tags), set.k};
    set.a = node.Dataset("a").Array<uint16_t>(extents);
    set.b = node.Dataset("b").Array<uint16_t>(extents);
    set.c = Read<uint32_t>(node, "c", set.tags.size());
    capture->cases.push_back(std::move(set));
  }
  const H5Node group = root.Group("matrix");
  for (const std::string& name : group.Children()) {
    const H5Node node = group.Group(name);
    MatrixCapture matrix;
    matrix.name = name;
    matrix.m = ReadSmall(node, "m", 1, 256);
    matrix.n = ReadSmall(node, "n", 1, 256);
    matrix.k = ReadSmall(node, "k", 1, 64);
    matrix.placements = ReadSmall(node, "placements", 1, 256);
    matrix.placements_differ = ReadSmall(node, "placements_differ", 0, 1 << 30);
    const MatrixCases* set = capture->CasesOf(matrix.k);
    if (set == nullptr) node.Refuse("no cases of this k");
    matrix.results = Read<uint32_t>(node, "results", set->size());
    capture->matrix.push_back(std::move(matrix));
  }
}

Vendor ReadVendor(const H5Node& root) {
  const std::string vendor = root.Text("vendor");
  if (vendor != "AMD" && vendor != "NVIDIA")
    root.Refuse("attribute vendor: expected AMD or NVIDIA");
  return vendor == "AMD" ? Vendor::kAmd : Vendor::kNvidia;
}

}  // namespace

void WriteCapture(const std::string& path, const Capture& capture, bool force) {
  golden::RefuseExisting(path, force);
  golden::TemporaryFile temporary(path + ".part");
  golden::H5File file = golden::H5File::Create(temporary.path());
  {
    H5Node root = file.Root();
    WriteContents(capture, &root);
  }
  file.Close();
  golden::WriteSeal(temporary.path());
  temporary.PutInPlace(path);
}

Capture ReadCapture(const std::string& path) {
  const golden::H5File file = golden::OpenSealed(path);
  const H5Node root = file.Root();
  if (root.Text("schema") != kCaptureSchema) {
    root.Refuse(std::string("attribute schema: expected ") + kCaptureSchema);
  }
  if (root.Integer("schema_version") != kCaptureSchemaVersion) {
    root.Refuse("attribute schema_version: expected " + std::to_string(kCaptureSchemaVersion));
  }
  Capture capture;
  capture.tool_version = root.Text("tool_version");
  capture.commit = root.Text("commit");
  capture.date = root.Text("date");
  capture.backend = root.Text("backend");
  capture.vendor = ReadVendor(root);
  capture.device = {root.Text("device"), root.Text("architecture"), root.Text("driver"),
                    root.Text("runtime")};
  capture.clock_mhz = root.Integer("clock_mhz");
  capture.blocks = Read<uint16_t>(root, "blocks");
  capture.fractions = Read<uint32_t>(root, "fractions");
  capture.edges = Read<uint32_t>(root, "edges");
  const char* const names[] = {"operand_a", "operand_b", "operand_c"};
  for (int i = 0; i < 3; ++i) {
    for (const uint32_t bits : Read<uint32_t>(root, names[i])) {
      capture.operands[i].push_back(arith::FromBits(bits));
    }
    if (capture.operands[i].size() != capture.operands[0].size()) {
      root.Refuse("operands: expected as many of each");
    }
  }
  const H5Node unary = root.Group("unary"), half = root.Group("half"),
               scalar = root.Group("scalar");
  for (const auto* operation : Present(gpu::probe::UnaryOperations(capture.vendor), unary)) {
    capture.unary.push_back(
        ReadUnary(capture, *operation, unary.Group(std::string(operation->name))));
  }
  for (const auto* operation : Present(gpu::probe::UnaryOperations(capture.vendor), half)) {
    const std::string name(operation->name);
    capture.half.push_back({name, operation->operation, Read<uint16_t>(half, name, 65536)});
  }
  for (const auto* operation : Present(gpu::probe::ScalarOperations(capture.vendor), scalar)) {
    const std::string name(operation->name);
    capture.scalar.push_back(
        {name, operation->operation, Read<uint32_t>(scalar, name, capture.operands[0].size())});
  }
  ReadMatrix(root, &capture);
  return capture;
}

std::string CaptureHash(const std::string& path) {
  std::string head(golden::kUserBlockBytes, '\0');
  std::ifstream file(path, std::ios::binary);
  if (!file.read(head.data(), static_cast<std::streamsize>(head.size()))) {
    throw ConfigError(path + ": cannot be read");
  }
  const size_t at = head.find(kSeal);
  if (at == std::string::npos) throw golden::IntegrityError(path + ": no seal");
  return head.substr(at + std::strlen(kSeal), 32);
}

}  // namespace samebits::harness::profile
