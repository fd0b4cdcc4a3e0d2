// What golden and observed files hold, as plain structs. schema.md documents the format.
#ifndef SAMEBITS_GOLDEN_DATASET_H_
#define SAMEBITS_GOLDEN_DATASET_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "golden/case.h"
#include "model/contract.h"
#include "model/tensor.h"

namespace samebits::golden {

inline constexpr int kSchemaVersion = 1;
/// HDF5 keeps an attribute in 64 KiB.
inline constexpr size_t kMaxMatrixBytes = 60000;

/// That can share the ranks of a case: as many as a case can have ranks.
inline constexpr int64_t kMostDevices = 64;

enum class Schema : uint8_t { kGolden, kObserved };
/// "samebits-golden", "samebits-observed".
std::string_view Name(Schema schema);

enum class Store : uint8_t { kFull, kHashes };
/// "full", "hashes".
std::string_view Name(Store store);

/// Where observed results come from.
struct Device {
  std::string name;          // "NVIDIA H200"
  std::string architecture;  // "sm_90"
  std::string driver;
  std::string kernel_symbol;  // what was launched
  std::string kernel_hash;    // of its machine code
  int64_t count = 1;          // such devices that shared the ranks of each case
  bool operator==(const Device&) const = default;
};

/// The attributes of the root.
struct FileInfo {
  Schema schema = Schema::kGolden;
  Store store = Store::kFull;
  std::string kernel;
  bool taps = false;  // golden: every case has every tap
  std::string tool_version;
  std::string commit;
  Contract contract;             // observed: the contract that the kernel claims
  std::optional<Device> device;  // observed files only
  /// golden: the matrix (TOML) whose cases the file has; empty if it was not made from a matrix
  /// alone.
  std::string matrix;
  bool operator==(const FileInfo&) const = default;

  std::string contract_hash() const;  // ContractHash(contract)
};

struct TensorEntry {
  TensorSpec spec;
  std::string xxh3;  // HashHex of the tensor
  bool operator==(const TensorEntry&) const = default;
};

/// What is stored of a case, apart from the values.
struct CaseEntry {
  std::string id;
  int64_t index = 0;  // position in the matrix
  Settings config;
  std::string style;
  uint64_t seed = 0;
  std::vector<TensorEntry> tensors;  // inputs, taps in dataflow order, outputs

  const TensorEntry* Find(Role role, std::string_view name) const;
  bool operator==(const CaseEntry&) const = default;
};

/// The case of a file, for a kernel of this build.
CaseSpec SpecOf(const CaseEntry& entry, const Kernel& kernel);

/// Lines "KEY=VALUE" of the attributes of the root: what makes two commands the same command.
std::string InfoText(const FileInfo& info);
/// Hash over every attribute and tensor entry of a case: the attribute `digest` of its group.
std::string CaseDigest(const CaseEntry& entry);
/// Hash over the attributes of the root and the digests of the cases in order: the attribute
/// `digest` of the root.
std::string FileDigest(const FileInfo& info, const std::vector<CaseEntry>& cases);

}  // namespace samebits::golden

#endif  // SAMEBITS_GOLDEN_DATASET_H_
