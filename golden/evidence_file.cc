#include "golden/evidence_file.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <string_view>

#include "golden/integrity_error.h"
#include "golden/layout.h"
#include "golden/seal.h"
#include "golden/temporary_file.h"

namespace samebits::golden {
namespace {

constexpr size_t kHashBytes = 16;
constexpr size_t kMaxBinaries = 65536;

/// Appends the bytes of 32 hex digits, or zeros for "".
void AppendHash(std::string_view hex, std::vector<uint8_t>* bytes) {
  for (size_t i = 0; i < kHashBytes; ++i) {
    uint8_t byte = 0;
    if (!hex.empty()) {
      std::from_chars(hex.data() + 2 * i, hex.data() + 2 * i + 2, byte, 16);
    }
    bytes->push_back(byte);
  }
}

/// 32 hex digits, or "" for zeros.
std::string HashText(std::span<const uint8_t> bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  if (std::all_of(bytes.begin(), bytes.end(), [](uint8_t byte) { return byte == 0; })) return "";
  std::string text;
  for (const uint8_t byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

void WriteAttributes(const EvidenceInfo& info, H5Node* root) {
  root->SetText("schema", kEvidenceSchema);
  root->SetInteger("schema_version", kEvidenceSchemaVersion);
  root->SetText("tool_version", info.tool_version);
  root->SetText("commit", info.commit);
  root->SetText("kernel", info.kernel);
  WriteContract(info.contract, root);
  root->SetText("device", info.device);
  WriteDevices(info.devices, root);
  root->SetText("architecture", info.architecture);
  root->SetText("driver", info.driver);
  root->SetText("runtime", info.runtime);
  root->SetInteger("taps", info.taps ? 1 : 0);
  root->SetInteger("repeat", info.repeat);
  root->SetInteger("ctas", info.ctas);
  root->SetText("matrix", info.matrix);
}

void WriteTable(const Evidence& evidence, H5Node* root) {
  const auto cases = static_cast<int64_t>(evidence.cases.size());
  const auto tensors = static_cast<int64_t>(evidence.tensors.size());
  std::vector<uint8_t> ids, hashes, verdicts;
  std::vector<uint16_t> binaries;
  for (const EvidenceCase& entry : evidence.cases) {
    AppendHash(entry.id, &ids);
    for (const std::string& hash : entry.hashes) AppendHash(hash, &hashes);
    verdicts.push_back(static_cast<uint8_t>(entry.verdict));
    binaries.push_back(static_cast<uint16_t>(entry.binary));
  }
  std::vector<std::string> symbols, binary_hashes;
  for (const KernelBinary& binary : evidence.binaries) {
    symbols.push_back(binary.symbol);
    binary_hashes.push_back(binary.hash);
  }
  root->CreateLines("tensor_names", evidence.tensors);
  root->CreateLines("kernel_symbols", symbols);
  root->CreateLines("kernel_hashes", binary_hashes);
  root->CreateArray("case_id", {cases, kHashBytes}, ids);
  root->CreateArray("case_kernel", {cases}, binaries);
  root->CreateArray("verdict", {cases}, verdicts);
  root->CreateArray("hash", {cases, tensors, kHashBytes}, hashes);
}

EvidenceInfo ReadAttributes(const H5Node& root) {
  const int64_t version = root.Integer("schema_version");
  if (version != kEvidenceSchemaVersion) {
    root.Refuse("attribute schema_version: expected " + std::to_string(kEvidenceSchemaVersion) +
                ", found " + std::to_string(version));
  }
  const std::vector<std::string> found = root.Attributes();
  std::vector<std::string> expected = {"schema", "schema_version", "tool_version",  "commit",
                                       "kernel", "contract",       "contract_hash", "profile",
                                       "device", "architecture",   "driver",        "runtime",
                                       "taps",   "repeat",         "ctas",          "matrix"};
  if (std::binary_search(found.begin(), found.end(), kDevices)) expected.emplace_back(kDevices);
  CheckNames(root, "attribute", expected, found);
  EvidenceInfo info;
  info.tool_version = root.Text("tool_version");
  info.commit = root.Text("commit");
  info.kernel = root.Text("kernel");
  info.contract = ReadContract(root, info.kernel);
  info.device = root.Text("device");
  info.devices = ReadDevices(root);
  info.architecture = root.Text("architecture");
  info.driver = root.Text("driver");
  info.runtime = root.Text("runtime");
  info.taps = ReadFlag(root, "taps");
  info.repeat = root.Integer("repeat");
  if (info.repeat < 1) root.Refuse("attribute repeat: expected at least 1");
  info.ctas = root.Integer("ctas");
  if (info.ctas < 0) root.Refuse("attribute ctas: expected at least 0");
  info.matrix = root.Text("matrix");
  return info;
}

void ReadBinaries(const H5Node& root, Evidence* evidence) {
  const std::vector<std::string> symbols = root.Dataset("kernel_symbols").Lines();
  const H5Node node = root.Dataset("kernel_hashes");
  const std::vector<std::string> hashes = node.Lines();
  if (hashes.size() != symbols.size()) node.Refuse("expected one line per line of kernel_symbols");
  for (size_t k = 0; k < symbols.size(); ++k) evidence->binaries.push_back({symbols[k], hashes[k]});
}

std::vector<EvidenceCase> ReadCases(const H5Node& root, size_t tensors, size_t binary_count) {
  const H5Node id_node = root.Dataset("case_id");
  const int64_t cases = id_node.ArrayExtents()[0];
  const auto ids = id_node.Array<uint8_t>({cases, kHashBytes});
  const H5Node binary_node = root.Dataset("case_kernel"), verdict_node = root.Dataset("verdict");
  const auto binaries = binary_node.Array<uint16_t>({cases});
  const auto verdicts = verdict_node.Array<uint8_t>({cases});
  const auto hashes =
      root.Dataset("hash").Array<uint8_t>({cases, static_cast<int64_t>(tensors), kHashBytes});
  const auto hash = [](const std::vector<uint8_t>& bytes, size_t i) {
    return HashText(std::span(bytes).subspan(i * kHashBytes, kHashBytes));
  };
  std::vector<EvidenceCase> list(static_cast<size_t>(cases));
  for (size_t c = 0; c < list.size(); ++c) {
    const std::string place = "case " + std::to_string(c) + ": ";
    if (binaries[c] >= binary_count)
      binary_node.Refuse(place + "expected a line of kernel_symbols");
    if (verdicts[c] > 2) verdict_node.Refuse(place + "expected 0, 1 or 2");
    list[c].id = hash(ids, c);
    list[c].binary = binaries[c];
    list[c].verdict = static_cast<Verdict>(verdicts[c]);
    for (size_t t = 0; t < tensors; ++t) list[c].hashes.push_back(hash(hashes, c * tensors + t));
  }
  return list;
}

}  // namespace

void WriteEvidence(const std::string& path, const Evidence& evidence, bool force) {
  RefuseExisting(path, force);
  if (evidence.binaries.size() > kMaxBinaries) {
    throw ConfigError(path + ": expected at most 65536 kernels");
  }
  TemporaryFile temporary(path + ".writing");
  H5File file = H5File::Create(temporary.path());
  {
    H5Node root = file.Root();
    WriteAttributes(evidence.info, &root);
    WriteTable(evidence, &root);
  }
  file.Close();
  WriteSeal(temporary.path());
  temporary.PutInPlace(path);
}

bool IsEvidence(const H5Node& root) {
  const std::vector<std::string> names = root.Attributes();
  return std::binary_search(names.begin(), names.end(), "schema") &&
         root.Text("schema") == kEvidenceSchema;
}

bool IsEvidence(const std::string& path) { return IsEvidence(OpenSealed(path).Root()); }

Evidence ReadEvidence(const H5Node& root) {
  if (!IsEvidence(root)) root.Refuse(std::string("attribute schema: expected ") + kEvidenceSchema);
  Evidence evidence;
  evidence.info = ReadAttributes(root);
  CheckNames(root, "member",
             {"tensor_names", "kernel_symbols", "kernel_hashes", "case_id", "case_kernel",
              "verdict", "hash"},
             root.Children());
  evidence.tensors = root.Dataset("tensor_names").Lines();
  ReadBinaries(root, &evidence);
  evidence.cases = ReadCases(root, evidence.tensors.size(), evidence.binaries.size());
  if (evidence.cases.empty()) root.Refuse("expected at least one case");
  return evidence;
}

Evidence ReadEvidence(const std::string& path) { return ReadEvidence(OpenSealed(path).Root()); }

}  // namespace samebits::golden
