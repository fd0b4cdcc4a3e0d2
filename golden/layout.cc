#include "golden/layout.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

#include "golden/case_text.h"
#include "golden/contract_text.h"

namespace samebits::golden {
namespace {

constexpr char kMatrix[] = "matrix";
constexpr std::array<std::string_view, 5> kCaseAttributes = {"digest", "id", "index",
                                                             "inputs_style", "seed"};

bool IsAxis(std::string_view attribute) {
  return std::find(kCaseAttributes.begin(), kCaseAttributes.end(), attribute) ==
         kCaseAttributes.end();
}

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
  return text;
}

/// A value that reads back to the same text from a 64-bit integer.
bool IsInteger(const std::string& text) {
  try {
    return std::to_string(std::stoll(text)) == text;
  } catch (const std::exception&) {
    return false;
  }
}

/// The optional one too where it is `found`.
std::vector<std::string> RootAttributes(Schema schema, const std::vector<std::string>& found) {
  std::vector<std::string> names = {"schema",        "schema_version", "store",  "kernel",
                                    "taps",          "tool_version",   "commit", "contract",
                                    "contract_hash", "profile",        "digest"};
  if (schema == Schema::kObserved) {
    names.insert(names.end(), {"device", "architecture", "driver", "kernel_symbol", "kernel_hash"});
  }
  const char* optional = schema == Schema::kObserved ? kDevices : kMatrix;
  if (std::binary_search(found.begin(), found.end(), optional)) names.emplace_back(optional);
  return names;
}

/// Runs a parser of text from the file.
template <typename Parse>
auto Parsed(const H5Node& node, std::string_view what, const Parse& parse) {
  try {
    return parse();
  } catch (const std::invalid_argument& error) {
    node.Refuse(std::string(what) + ": " + error.what());
  } catch (const ConfigError& error) {
    node.Refuse(error.what());
  }
}

Schema ReadSchema(const H5Node& root) {
  const std::string schema = root.Text("schema");
  const int64_t version = root.Integer("schema_version");
  for (const Schema known : {Schema::kGolden, Schema::kObserved}) {
    if (schema != Name(known)) continue;
    if (version != kSchemaVersion) {
      root.Refuse("attribute schema_version: expected " + std::to_string(kSchemaVersion) +
                  ", found " + std::to_string(version) +
                  (version > kSchemaVersion ? " (written by a newer samebits)" : ""));
    }
    return known;
  }
  root.Refuse("attribute schema: expected samebits-golden or samebits-observed, found \"" + schema +
              "\"");
}

}  // namespace

void CheckNames(const H5Node& node, std::string_view what, std::vector<std::string> expected,
                const std::vector<std::string>& found) {
  std::sort(expected.begin(), expected.end());
  for (const std::string& name : expected) {
    if (!std::binary_search(found.begin(), found.end(), name)) {
      node.Refuse(std::string(what) + " " + name + " is missing");
    }
  }
  for (const std::string& name : found) {
    if (!std::binary_search(expected.begin(), expected.end(), name)) {
      node.Refuse(std::string(what) + " " + name + " is not part of the schema");
    }
  }
}

void WriteContract(const Contract& contract, H5Node* root) {
  root->SetText("contract", ContractText(contract));
  root->SetText("contract_hash", ContractHash(contract));
  root->SetText("profile", contract.profile);
}

Contract ReadContract(const H5Node& root, const std::string& kernel) {
  const std::string text = root.Text("contract");
  const Contract contract =
      Parsed(root, "attribute contract", [&] { return ParseContract(text, "attribute contract"); });
  if (ContractText(contract) != text) root.Refuse("attribute contract: expected canonical TOML");
  if (contract.kernel != kernel) {
    root.Refuse("attribute contract: expected one of kernel " + kernel);
  }
  if (root.Text("contract_hash") != ContractHash(contract)) {
    root.Refuse("attribute contract_hash: expected " + ContractHash(contract));
  }
  if (root.Text("profile") != contract.profile) {
    root.Refuse("attribute profile: expected " + contract.profile);
  }
  return contract;
}

bool ReadFlag(const H5Node& root, const std::string& name) {
  const int64_t value = root.Integer(name);
  if (value != 0 && value != 1) root.Refuse("attribute " + name + ": expected 0 or 1");
  return value == 1;
}

void WriteDevices(int64_t devices, H5Node* root) {
  if (devices != 1) root->SetInteger(kDevices, devices);
}

int64_t ReadDevices(const H5Node& root) {
  const std::vector<std::string> names = root.Attributes();
  if (!std::binary_search(names.begin(), names.end(), kDevices)) return 1;
  const int64_t devices = root.Integer(kDevices);
  if (devices < 1 || devices > kMostDevices) {
    root.Refuse("attribute devices: expected 1.." + std::to_string(kMostDevices) + ", found " +
                std::to_string(devices));
  }
  return devices;
}

void WriteInfo(const FileInfo& info, const std::string& digest, H5Node* root) {
  root->SetText("schema", Name(info.schema));
  root->SetInteger("schema_version", kSchemaVersion);
  root->SetText("store", Name(info.store));
  root->SetText("kernel", info.kernel);
  root->SetInteger("taps", info.taps ? 1 : 0);
  root->SetText("tool_version", info.tool_version);
  root->SetText("commit", info.commit);
  WriteContract(info.contract, root);
  if (info.device) {
    root->SetText("device", info.device->name);
    root->SetText("architecture", info.device->architecture);
    root->SetText("driver", info.device->driver);
    root->SetText("kernel_symbol", info.device->kernel_symbol);
    root->SetText("kernel_hash", info.device->kernel_hash);
    WriteDevices(info.device->count, root);
  }
  if (!info.matrix.empty()) root->SetText(kMatrix, info.matrix);
  root->SetText("digest", digest);
}

void WriteCase(const CaseEntry& entry, Store store, const std::function<Tensor(size_t)>& values,
               H5Node* cases) {
  H5Node group = cases->CreateGroup(entry.id);
  for (const auto& [axis, value] : entry.config) {
    if (!IsAxis(axis)) throw std::invalid_argument("axis " + axis + ": the name is reserved");
    IsInteger(value) ? group.SetInteger(axis, std::stoll(value)) : group.SetText(axis, value);
  }
  group.SetText("id", entry.id);
  group.SetInteger("index", entry.index);
  group.SetText("inputs_style", entry.style);
  group.SetUnsigned("seed", entry.seed);
  group.SetText("digest", CaseDigest(entry));
  std::vector<std::string> lines;
  for (const TensorEntry& tensor : entry.tensors) lines.push_back(TensorLine(tensor));
  group.CreateLines("tensors", lines);
  if (store == Store::kHashes) return;
  for (const Role role : {Role::kInput, Role::kTap, Role::kOutput}) {
    std::vector<size_t> members;
    for (size_t t = 0; t < entry.tensors.size(); ++t) {
      if (entry.tensors[t].spec.role == role) members.push_back(t);
    }
    if (members.empty()) continue;
    H5Node role_group = group.CreateGroup(std::string(GroupName(role)));
    for (const size_t t : members) {
      const TensorSpec& spec = entry.tensors[t].spec;
      const Tensor tensor = values(t);
      H5Node dataset = role_group.CreateTensor(spec.name, spec, tensor.data);
      dataset.SetText("dtype", Name(spec.dtype));
      dataset.SetText("dims", Joined(spec.dims));
      dataset.SetText("xxh3", entry.tensors[t].xxh3);
    }
  }
}

StoredInfo ReadInfo(const H5Node& root) {
  StoredInfo stored;
  FileInfo& info = stored.info;
  info.schema = ReadSchema(root);
  const std::vector<std::string> attributes = root.Attributes();
  CheckNames(root, "attribute", RootAttributes(info.schema, attributes), attributes);
  const std::string store = root.Text("store");
  if (store != Name(Store::kFull) && store != Name(Store::kHashes)) {
    root.Refuse("attribute store: expected full or hashes, found \"" + store + "\"");
  }
  info.store = store == Name(Store::kFull) ? Store::kFull : Store::kHashes;
  info.kernel = root.Text("kernel");
  info.taps = ReadFlag(root, "taps");
  info.tool_version = root.Text("tool_version");
  info.commit = root.Text("commit");
  info.contract = ReadContract(root, info.kernel);
  if (info.schema == Schema::kObserved) {
    info.device = Device{root.Text("device"),        root.Text("architecture"), root.Text("driver"),
                         root.Text("kernel_symbol"), root.Text("kernel_hash"),  ReadDevices(root)};
  }
  if (std::binary_search(attributes.begin(), attributes.end(), kMatrix)) {
    info.matrix = root.Text(kMatrix);
  }
  stored.digest = root.Text("digest");
  CheckNames(root, "group", {kCasesGroup}, root.Children());
  return stored;
}

CaseEntry ReadCase(const FileInfo& info, const H5Node& group) {
  CaseEntry entry;
  entry.id = group.Text("id");
  entry.index = group.Integer("index");
  entry.style = group.Text("inputs_style");
  entry.seed = group.Unsigned("seed");
  for (const std::string& name : group.Attributes()) {
    if (IsAxis(name)) entry.config[name] = group.TextOrInteger(name);
  }
  const H5Node tensors = group.Dataset("tensors");
  for (const std::string& line : tensors.Lines()) {
    entry.tensors.push_back(Parsed(tensors, "list", [&] { return ParseTensorLine(line); }));
  }
  const std::string id =
      CaseId(info.kernel, entry.config, info.contract_hash(), entry.style, entry.seed);
  if (entry.id != id || group.place() != std::string(kCasesGroup) + "/" + id) {
    group.Refuse("expected the id " + id + " of kernel, contract, configuration, style and seed");
  }
  if (group.Text("digest") != CaseDigest(entry)) {
    group.Refuse("attribute digest: expected " + CaseDigest(entry) +
                 " (an attribute or a line of `tensors` has changed)");
  }
  return entry;
}

H5Node OpenTensor(const H5Node& group, const TensorEntry& tensor) {
  const TensorSpec& spec = tensor.spec;
  H5Node dataset = group.Group(std::string(GroupName(spec.role))).Dataset(spec.name);
  CheckNames(dataset, "attribute", {"dims", "dtype", "xxh3"}, dataset.Attributes());
  const auto expect = [&](const char* attribute, std::string_view value) {
    const std::string found = dataset.Text(attribute);
    if (found == value) return;
    dataset.Refuse("attribute " + std::string(attribute) + ": expected \"" + std::string(value) +
                   "\", found \"" + found + "\"");
  };
  expect("dtype", Name(spec.dtype));
  expect("dims", Joined(spec.dims));
  expect("xxh3", tensor.xxh3);
  dataset.CheckTensor(spec);
  return dataset;
}

void CheckMembers(const CaseEntry& entry, Store store, const H5Node& group) {
  std::vector<std::string> groups = {"tensors"};
  for (const Role role : {Role::kInput, Role::kTap, Role::kOutput}) {
    std::vector<std::string> names;
    for (const TensorEntry& tensor : entry.tensors) {
      if (tensor.spec.role == role) names.push_back(tensor.spec.name);
    }
    if (names.empty() || store == Store::kHashes) continue;
    groups.emplace_back(GroupName(role));
    const H5Node role_group = group.Group(groups.back());
    CheckNames(role_group, "attribute", {}, role_group.Attributes());
    CheckNames(role_group, "tensor", names, role_group.Children());
  }
  CheckNames(group, "member", groups, group.Children());
}

}  // namespace samebits::golden
