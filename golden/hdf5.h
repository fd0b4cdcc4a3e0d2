// What this project uses of HDF5: a thin RAII layer over the C API. Files are in the 1.10 format,
// without timestamps, and their bytes depend on their contents alone.
#ifndef SAMEBITS_GOLDEN_HDF5_H_
#define SAMEBITS_GOLDEN_HDF5_H_

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/tensor.h"

namespace samebits::golden {

/// Bytes in front of the HDF5 part of a file (a "user block"); seal.h fills them.
inline constexpr int64_t kUserBlockBytes = 512;

/// Owns an HDF5 identifier of any kind.
class H5Id {
 public:
  H5Id() = default;
  explicit H5Id(hid_t id) : id_(id) {}
  ~H5Id() { Close(); }
  H5Id(H5Id&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  H5Id& operator=(H5Id&& other) noexcept {
    if (this != &other) {
      Close();
      id_ = std::exchange(other.id_, -1);
    }
    return *this;
  }
  hid_t get() const { return id_; }
  bool valid() const { return id_ >= 0; }

 private:
  void Close();
  hid_t id_ = -1;
};

/// A group or a dataset. Functions that write throw StorageError, functions that read throw
/// IntegrityError; both name file and place.
class H5Node {
 public:
  H5Node(std::string file, std::string place, H5Id id)
      : file_(std::move(file)), place_(std::move(place)), id_(std::move(id)) {}

  void SetText(const std::string& name, std::string_view value);
  void SetInteger(const std::string& name, int64_t value);
  void SetUnsigned(const std::string& name, uint64_t value);
  H5Node CreateGroup(const std::string& name);
  /// Chunked, shuffled, deflated, with fletcher32; bf16 and f16 as the uint16 of their bits.
  H5Node CreateTensor(const std::string& name, const TensorSpec& spec,
                      std::span<const std::byte> data);
  /// Elements uint8, uint16, uint32 or uint64, row-major; stored as tensors are.
  template <typename T>
  void CreateArray(const std::string& name, const std::vector<int64_t>& extents,
                   const std::vector<T>& values);
  /// One-dimensional, fixed-length strings, deflated, with fletcher32.
  void CreateLines(const std::string& name, const std::vector<std::string>& lines);

  /// Names in alphabetical order.
  std::vector<std::string> Attributes() const;
  std::string Text(const std::string& name) const;
  int64_t Integer(const std::string& name) const;
  uint64_t Unsigned(const std::string& name) const;
  /// A text as it is, a signed integer in decimal.
  std::string TextOrInteger(const std::string& name) const;

  /// Names in alphabetical order. Links other than hard ones are refused.
  std::vector<std::string> Children() const;
  H5Node Group(const std::string& name) const;
  H5Node Dataset(const std::string& name) const;
  /// Throws unless the stored element type and shape are those of `spec`, with our filters.
  void CheckTensor(const TensorSpec& spec) const;
  /// After CheckTensor. `data`: spec.bytes() bytes.
  void ReadTensor(const TensorSpec& spec, std::span<std::byte> data) const;
  std::vector<std::string> Lines() const;
  /// Of an array; refuses more than 2^28 elements.
  std::vector<int64_t> ArrayExtents() const;
  /// Refuses another element type and other extents.
  template <typename T>
  std::vector<T> Array(const std::vector<int64_t>& extents) const;

  // What captures of other programs hold, in any of HDF5's ways to say it (little-endian).
  /// A text of fixed or variable length.
  std::string AnyText(const std::string& name) const;
  /// An integer, or a list of them, of any width.
  std::vector<int64_t> Integers(const std::string& name) const;
  /// Of a dataset; empty: a scalar.
  std::vector<int64_t> DatasetExtents() const;
  bool IsFloat64() const;
  /// 2-byte integers are bits of kBf16. Refuses other types than those of tensors.
  DType StoredType() const;
  /// The elements' bytes, never converted.
  std::vector<std::byte> Raw() const;

  const std::string& place() const { return place_; }
  /// IntegrityError "FILE: place: what".
  [[noreturn]] void Refuse(const std::string& what) const;

 private:
  H5Id OpenAttribute(const std::string& name) const;
  void SetAttribute(const std::string& name, hid_t type, const void* value);
  std::string Below(const std::string& name) const;
  [[noreturn]] void FailWrite(const std::string& what) const;

  std::string file_, place_;
  H5Id id_;
};

/// While it lives, HDF5 prints no error stack.
class H5Silence {
 public:
  H5Silence();
  ~H5Silence();
  H5Silence(const H5Silence&) = delete;
  H5Silence& operator=(const H5Silence&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

class H5File {
 public:
  /// Throws StorageError.
  static H5File Create(const std::string& path);
  /// Read only. `name` stands for the file in errors. Throws IntegrityError.
  static H5File Open(const std::string& path);
  /// The same of a file in memory, which is copied. `name` stands for it in errors.
  static H5File OpenImage(std::span<const std::byte> image, const std::string& name);
  H5Node Root() const;
  /// Reports what a destructor cannot. Throws StorageError.
  void Close();

 private:
  H5File(std::string path, H5Id id) : path_(std::move(path)), id_(std::move(id)) {}
  std::string path_;
  H5Id id_;
};

}  // namespace samebits::golden

#endif  // SAMEBITS_GOLDEN_HDF5_H_
