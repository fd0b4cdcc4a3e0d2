// The HDF5 layout of schema.md: groups, datasets and attributes, and their order of writing. Every
// reader here takes exactly what the writer makes and refuses the rest.
#ifndef SAMEBITS_GOLDEN_LAYOUT_H_
#define SAMEBITS_GOLDEN_LAYOUT_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "golden/dataset.h"
#include "golden/hdf5.h"

namespace samebits::golden {

inline constexpr char kCasesGroup[] = "cases";

/// The attributes `contract`, `contract_hash` and `profile`.
void WriteContract(const Contract& contract, H5Node* root);
/// Consistent, and a contract of `kernel`. Throws IntegrityError, as all that reads here.
Contract ReadContract(const H5Node& root, const std::string& kernel);
/// An attribute that is 0 or 1.
bool ReadFlag(const H5Node& root, const std::string& name);
/// The attribute `devices`: how many shared the ranks of each case; absent: 1.
inline constexpr char kDevices[] = "devices";
void WriteDevices(int64_t devices, H5Node* root);
int64_t ReadDevices(const H5Node& root);
/// Refuses names that are missing, and names that are not expected. `found` is in alphabetical
/// order; `what` is what bears the names.
void CheckNames(const H5Node& node, std::string_view what, std::vector<std::string> expected,
                const std::vector<std::string>& found);

/// Attributes of the root, `digest` included.
void WriteInfo(const FileInfo& info, const std::string& digest, H5Node* root);
/// The group of a case. `values(t)`: tensor t of the entry, called only with Store::kFull.
void WriteCase(const CaseEntry& entry, Store store, const std::function<Tensor(size_t)>& values,
               H5Node* cases);

/// All throw IntegrityError.
struct StoredInfo {
  FileInfo info;
  std::string digest;
};
StoredInfo ReadInfo(const H5Node& root);
/// Attributes and tensor list, consistent with one another: digest and id are recomputed.
CaseEntry ReadCase(const FileInfo& info, const H5Node& group);
/// The attributes of one tensor's dataset, against its entry. Returns the dataset.
H5Node OpenTensor(const H5Node& group, const TensorEntry& tensor);
/// The groups and datasets of a case are those of its tensor list, no more and no fewer.
void CheckMembers(const CaseEntry& entry, Store store, const H5Node& group);

}  // namespace samebits::golden

#endif  // SAMEBITS_GOLDEN_LAYOUT_H_
