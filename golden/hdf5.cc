#include "golden/hdf5.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "golden/integrity_error.h"

namespace samebits::golden {
namespace {

constexpr int64_t kChunkBytes = int64_t{1} << 20;
constexpr unsigned kDeflateLevel = 1;  // values are nearly random: a higher level only costs time

/// Attributes and links stay in the object header, whatever their number: dense storage costs
/// kilobytes per object.
constexpr unsigned kMaxCompactAttributes = 65535;

hid_t ElementType(DType dtype) {
  switch (dtype) {
    case DType::kBf16:
    case DType::kF16:
      return H5T_STD_U16LE;
    case DType::kF32:
      return H5T_IEEE_F32LE;
    case DType::kI32:
      return H5T_STD_I32LE;
  }
  return -1;
}

template <typename T>
hid_t UnsignedType() {
  static_assert(std::is_unsigned_v<T>);
  return sizeof(T) == 1   ? H5T_STD_U8LE
         : sizeof(T) == 2 ? H5T_STD_U16LE
         : sizeof(T) == 4 ? H5T_STD_U32LE
                          : H5T_STD_U64LE;
}

/// "a big-endian float of 4 bytes"
std::string TypeText(hid_t type) {
  const H5T_class_t kind = H5Tget_class(type);
  const size_t size = H5Tget_size(type);
  if (kind != H5T_INTEGER && kind != H5T_FLOAT) return fmt::format("another kind of {} bytes", size);
  return fmt::format("a {}-endian {} of {} bytes",
                     H5Tget_order(type) == H5T_ORDER_LE ? "little" : "big",
                     kind == H5T_FLOAT ? "float" : "integer", size);
}

H5Id TextType(size_t size) {
  H5Id type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type.get(), std::max<size_t>(size, 1));
  H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  return type;
}

std::vector<hsize_t> Extents(const TensorSpec& spec) {
  return {spec.shape.begin(), spec.shape.end()};
}

/// Whole inner dimensions up to about kChunkBytes. `bytes`: of all elements.
std::vector<hsize_t> ChunkExtents(std::vector<hsize_t> extents, int64_t bytes) {
  std::vector<hsize_t> chunk = std::move(extents);
  for (hsize_t& extent : chunk) {
    if (bytes <= kChunkBytes) break;
    const int64_t inner = bytes / static_cast<int64_t>(extent);
    extent = static_cast<hsize_t>(std::max<int64_t>(1, kChunkBytes / inner));
    bytes = inner * static_cast<int64_t>(extent);
  }
  return chunk;
}

void SetFilters(const H5Id& plist, const std::vector<hsize_t>& chunk) {
  H5Pset_chunk(plist.get(), static_cast<int>(chunk.size()), chunk.data());
  H5Pset_shuffle(plist.get());
  H5Pset_deflate(plist.get(), kDeflateLevel);
  H5Pset_fletcher32(plist.get());
}

bool HasChunks(const TensorSpec& spec) { return !spec.shape.empty() && spec.elements() > 0; }

H5Id CreationProperties(hid_t cls) {
  H5Id plist(H5Pcreate(cls));
  H5Pset_obj_track_times(plist.get(), false);
  H5Pset_attr_phase_change(plist.get(), kMaxCompactAttributes, 0);
  return plist;
}

void TrimNulls(std::string* text) {
  const size_t last = text->find_last_not_of('\0');
  text->resize(last == std::string::npos ? 0 : last + 1);
}

herr_t AddName(hid_t, const char* name, const H5A_info_t*, void* names) {
  static_cast<std::vector<std::string>*>(names)->push_back(name);
  return 0;
}

struct Links {
  std::vector<std::string> names;
  std::string foreign;  // a link that is not hard
};

herr_t AddLink(hid_t, const char* name, const H5L_info_t* info, void* data) {
  Links* links = static_cast<Links*>(data);
  links->names.push_back(name);
  if (info->type != H5L_TYPE_HARD) links->foreign = name;
  return 0;
}

}  // namespace

void H5Id::Close() {
  if (id_ >= 0 && H5Iis_valid(id_) > 0) H5Idec_ref(id_);
  id_ = -1;
}

H5Silence::H5Silence() {
  H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

H5Silence::~H5Silence() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }

std::string H5Node::Below(const std::string& name) const {
  return place_.empty() ? name : place_ + "/" + name;
}

void H5Node::Refuse(const std::string& what) const {
  throw IntegrityError(file_ + ": " + (place_.empty() ? "/" : place_) + ": " + what);
}

void H5Node::FailWrite(const std::string& what) const {
  throw StorageError(file_ + ": " + (place_.empty() ? "/" : place_) + ": cannot write " + what);
}

void H5Node::SetAttribute(const std::string& name, hid_t type, const void* value) {
  const H5Silence silence;
  const H5Id space(H5Screate(H5S_SCALAR));
  const H5Id attribute(
      H5Acreate2(id_.get(), name.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT));
  if (!attribute.valid() || H5Awrite(attribute.get(), type, value) < 0) {
    FailWrite("attribute " + name);
  }
}

void H5Node::SetText(const std::string& name, std::string_view value) {
  const H5Id type = TextType(value.size());
  const std::string padded(value.empty() ? std::string_view("\0", 1) : value);
  SetAttribute(name, type.get(), padded.data());
}

void H5Node::SetInteger(const std::string& name, int64_t value) {
  SetAttribute(name, H5T_STD_I64LE, &value);
}

void H5Node::SetUnsigned(const std::string& name, uint64_t value) {
  SetAttribute(name, H5T_STD_U64LE, &value);
}

H5Node H5Node::CreateGroup(const std::string& name) {
  const H5Silence silence;
  const H5Id plist = CreationProperties(H5P_GROUP_CREATE);
  H5Id group(H5Gcreate2(id_.get(), name.c_str(), H5P_DEFAULT, plist.get(), H5P_DEFAULT));
  if (!group.valid()) FailWrite("group " + name);
  return {file_, Below(name), std::move(group)};
}

H5Node H5Node::CreateTensor(const std::string& name, const TensorSpec& spec,
                            std::span<const std::byte> data) {
  const H5Silence silence;
  const std::vector<hsize_t> extents = Extents(spec);
  const H5Id space(spec.shape.empty() ? H5Screate(H5S_SCALAR)
                                      : H5Screate_simple(static_cast<int>(extents.size()),
                                                         extents.data(), nullptr));
  const H5Id plist = CreationProperties(H5P_DATASET_CREATE);
  if (HasChunks(spec)) SetFilters(plist, ChunkExtents(extents, static_cast<int64_t>(spec.bytes())));
  const hid_t type = ElementType(spec.dtype);
  H5Id dataset(H5Dcreate2(id_.get(), name.c_str(), type, space.get(), H5P_DEFAULT, plist.get(),
                          H5P_DEFAULT));
  if (!dataset.valid()) FailWrite("dataset " + name);
  if (!data.empty() &&
      H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data.data()) < 0) {
    FailWrite("the values of " + name);
  }
  return {file_, Below(name), std::move(dataset)};
}

template <typename T>
void H5Node::CreateArray(const std::string& name, const std::vector<int64_t>& extents,
                         const std::vector<T>& values) {
  const H5Silence silence;
  const std::vector<hsize_t> shape(extents.begin(), extents.end());
  const H5Id space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr));
  const H5Id plist = CreationProperties(H5P_DATASET_CREATE);
  if (!values.empty()) {
    SetFilters(plist, ChunkExtents(shape, static_cast<int64_t>(values.size() * sizeof(T))));
  }
  const H5Id dataset(H5Dcreate2(id_.get(), name.c_str(), UnsignedType<T>(), space.get(),
                                H5P_DEFAULT, plist.get(), H5P_DEFAULT));
  if (!dataset.valid() || (!values.empty() && H5Dwrite(dataset.get(), UnsignedType<T>(), H5S_ALL,
                                                       H5S_ALL, H5P_DEFAULT, values.data()) < 0)) {
    FailWrite("dataset " + name);
  }
}

template void H5Node::CreateArray(const std::string&, const std::vector<int64_t>&,
                                  const std::vector<uint8_t>&);
template void H5Node::CreateArray(const std::string&, const std::vector<int64_t>&,
                                  const std::vector<uint16_t>&);
template void H5Node::CreateArray(const std::string&, const std::vector<int64_t>&,
                                  const std::vector<uint32_t>&);
template void H5Node::CreateArray(const std::string&, const std::vector<int64_t>&,
                                  const std::vector<uint64_t>&);

void H5Node::CreateLines(const std::string& name, const std::vector<std::string>& lines) {
  const H5Silence silence;
  size_t width = 1;
  for (const std::string& line : lines) width = std::max(width, line.size());
  std::string text;
  for (const std::string& line : lines) text += line + std::string(width - line.size(), '\0');
  const H5Id type = TextType(width);
  const hsize_t extent = lines.size();
  const H5Id space(H5Screate_simple(1, &extent, nullptr));
  const H5Id plist = CreationProperties(H5P_DATASET_CREATE);
  if (extent > 0) {
    H5Pset_chunk(plist.get(), 1, &extent);
    H5Pset_deflate(plist.get(), 9);
    H5Pset_fletcher32(plist.get());
  }
  const H5Id dataset(H5Dcreate2(id_.get(), name.c_str(), type.get(), space.get(), H5P_DEFAULT,
                                plist.get(), H5P_DEFAULT));
  if (!dataset.valid() || (extent > 0 && H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL,
                                                  H5P_DEFAULT, text.data()) < 0)) {
    FailWrite("dataset " + name);
  }
}

std::vector<std::string> H5Node::Attributes() const {
  const H5Silence silence;
  std::vector<std::string> names;
  if (H5Aiterate2(id_.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, AddName, &names) < 0) {
    Refuse("attributes cannot be listed");
  }
  std::sort(names.begin(), names.end());
  return names;
}

H5Id H5Node::OpenAttribute(const std::string& name) const {
  H5Id attribute(H5Aopen(id_.get(), name.c_str(), H5P_DEFAULT));
  if (!attribute.valid()) Refuse("attribute " + name + " is missing or unreadable");
  const H5Id space(H5Aget_space(attribute.get()));
  if (!space.valid() || H5Sget_simple_extent_type(space.get()) != H5S_SCALAR) {
    Refuse("attribute " + name + ": expected a scalar");
  }
  return attribute;
}

std::string H5Node::Text(const std::string& name) const {
  const H5Silence silence;
  const H5Id attribute = OpenAttribute(name);
  const H5Id type(H5Aget_type(attribute.get()));
  if (!type.valid() || H5Tget_class(type.get()) != H5T_STRING ||
      H5Tis_variable_str(type.get()) != 0) {
    Refuse("attribute " + name + ": expected a fixed-length string");
  }
  std::string text(H5Tget_size(type.get()), '\0');
  if (H5Aread(attribute.get(), type.get(), text.data()) < 0) {
    Refuse("attribute " + name + " is unreadable");
  }
  TrimNulls(&text);
  return text;
}

int64_t H5Node::Integer(const std::string& name) const {
  const H5Silence silence;
  const H5Id attribute = OpenAttribute(name);
  const H5Id type(H5Aget_type(attribute.get()));
  int64_t value = 0;
  if (!type.valid() || H5Tequal(type.get(), H5T_STD_I64LE) <= 0 ||
      H5Aread(attribute.get(), H5T_STD_I64LE, &value) < 0) {
    Refuse("attribute " + name + ": expected a 64-bit signed integer");
  }
  return value;
}

uint64_t H5Node::Unsigned(const std::string& name) const {
  const H5Silence silence;
  const H5Id attribute = OpenAttribute(name);
  const H5Id type(H5Aget_type(attribute.get()));
  uint64_t value = 0;
  if (!type.valid() || H5Tequal(type.get(), H5T_STD_U64LE) <= 0 ||
      H5Aread(attribute.get(), H5T_STD_U64LE, &value) < 0) {
    Refuse("attribute " + name + ": expected a 64-bit unsigned integer");
  }
  return value;
}

std::string H5Node::TextOrInteger(const std::string& name) const {
  const H5Silence silence;
  const H5Id attribute = OpenAttribute(name);
  const H5Id type(H5Aget_type(attribute.get()));
  if (type.valid() && H5Tget_class(type.get()) == H5T_INTEGER) return std::to_string(Integer(name));
  return Text(name);
}

std::vector<std::string> H5Node::Children() const {
  const H5Silence silence;
  Links links;
  if (H5Literate(id_.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, AddLink, &links) < 0) {
    Refuse("members cannot be listed");
  }
  if (!links.foreign.empty()) Refuse(links.foreign + ": expected a hard link");
  std::sort(links.names.begin(), links.names.end());
  return std::move(links.names);
}

H5Node H5Node::Group(const std::string& name) const {
  const H5Silence silence;
  H5Id group(H5Gopen2(id_.get(), name.c_str(), H5P_DEFAULT));
  if (!group.valid()) Refuse("group " + name + " is missing or unreadable");
  return {file_, Below(name), std::move(group)};
}

H5Node H5Node::Dataset(const std::string& name) const {
  const H5Silence silence;
  H5Id dataset(H5Dopen2(id_.get(), name.c_str(), H5P_DEFAULT));
  if (!dataset.valid()) Refuse("dataset " + name + " is missing or unreadable");
  return {file_, Below(name), std::move(dataset)};
}

void H5Node::CheckTensor(const TensorSpec& spec) const {
  const H5Silence silence;
  const H5Id type(H5Dget_type(id_.get()));
  if (!type.valid() || H5Tequal(type.get(), ElementType(spec.dtype)) <= 0) {
    Refuse("expected elements of " + std::to_string(8 * SizeOf(spec.dtype)) + " bits stored for " +
           std::string(Name(spec.dtype)));
  }
  const H5Id space(H5Dget_space(id_.get()));
  const int rank = space.valid() ? H5Sget_simple_extent_ndims(space.get()) : -1;
  std::vector<hsize_t> extents(static_cast<size_t>(std::max(rank, 0)));
  if (rank > 0) H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr);
  if (rank < 0 || extents != Extents(spec)) Refuse("the shape differs from the one in `tensors`");
}

void H5Node::ReadTensor(const TensorSpec& spec, std::span<std::byte> data) const {
  const H5Silence silence;
  // The memory type equals the file type, so that HDF5 converts nothing.
  if (!data.empty() &&
      H5Dread(id_.get(), ElementType(spec.dtype), H5S_ALL, H5S_ALL, H5P_DEFAULT, data.data()) < 0) {
    Refuse("the values are unreadable (damaged chunk, or its fletcher32 differs)");
  }
}

std::vector<std::string> H5Node::Lines() const {
  const H5Silence silence;
  const H5Id type(H5Dget_type(id_.get()));
  const H5Id space(H5Dget_space(id_.get()));
  if (!type.valid() || !space.valid() || H5Tget_class(type.get()) != H5T_STRING ||
      H5Tis_variable_str(type.get()) != 0 || H5Sget_simple_extent_ndims(space.get()) != 1) {
    Refuse("expected a list of fixed-length strings");
  }
  constexpr size_t kMaxBytes = size_t{1} << 26;  // far above any case
  const size_t width = H5Tget_size(type.get());
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  if (count < 0 || width == 0 || static_cast<size_t>(count) > kMaxBytes / width) {
    Refuse("the list is too long");
  }
  std::string text(width * static_cast<size_t>(count), '\0');
  if (count > 0 && H5Dread(id_.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()) < 0) {
    Refuse("the list is unreadable (damaged chunk, or its fletcher32 differs)");
  }
  std::vector<std::string> lines;
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
    lines.push_back(text.substr(i * width, width));
    TrimNulls(&lines.back());
  }
  return lines;
}

std::vector<int64_t> H5Node::ArrayExtents() const {
  const H5Silence silence;
  constexpr hsize_t kMaxElements = hsize_t{1} << 28;
  const H5Id space(H5Dget_space(id_.get()));
  const int rank = space.valid() ? H5Sget_simple_extent_ndims(space.get()) : -1;
  if (rank < 1) Refuse("expected an array");
  std::vector<hsize_t> extents(static_cast<size_t>(rank));
  H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr);
  hsize_t elements = 1;
  for (const hsize_t extent : extents) {
    if (extent > kMaxElements || (elements *= extent) > kMaxElements) Refuse("too large");
  }
  return {extents.begin(), extents.end()};
}

template <typename T>
std::vector<T> H5Node::Array(const std::vector<int64_t>& extents) const {
  const H5Silence silence;
  const H5Id type(H5Dget_type(id_.get()));
  if (!type.valid() || H5Tequal(type.get(), UnsignedType<T>()) <= 0) {
    Refuse("expected unsigned elements of " + std::to_string(8 * sizeof(T)) + " bits");
  }
  if (ArrayExtents() != extents) Refuse("expected the extents of the other datasets");
  size_t elements = 1;
  for (const int64_t extent : extents) elements *= static_cast<size_t>(extent);
  std::vector<T> values(elements);
  if (!values.empty() &&
      H5Dread(id_.get(), UnsignedType<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
    Refuse("the values are unreadable (damaged chunk, or its fletcher32 differs)");
  }
  return values;
}

template std::vector<uint8_t> H5Node::Array(const std::vector<int64_t>&) const;
template std::vector<uint16_t> H5Node::Array(const std::vector<int64_t>&) const;
template std::vector<uint32_t> H5Node::Array(const std::vector<int64_t>&) const;
template std::vector<uint64_t> H5Node::Array(const std::vector<int64_t>&) const;

std::string H5Node::AnyText(const std::string& name) const {
  const H5Silence silence;
  const H5Id attribute = OpenAttribute(name);
  const H5Id type(H5Aget_type(attribute.get()));
  if (!type.valid() || H5Tis_variable_str(type.get()) <= 0) return Text(name);
  char* value = nullptr;
  if (H5Aread(attribute.get(), type.get(), &value) < 0 || value == nullptr) {
    Refuse("attribute " + name + " is unreadable");
  }
  std::string text = value;
  H5free_memory(value);
  return text;
}

std::vector<int64_t> H5Node::Integers(const std::string& name) const {
  const H5Silence silence;
  const H5Id attribute(H5Aopen(id_.get(), name.c_str(), H5P_DEFAULT));
  const H5Id type(attribute.valid() ? H5Aget_type(attribute.get()) : -1);
  const H5Id space(attribute.valid() ? H5Aget_space(attribute.get()) : -1);
  if (!type.valid() || !space.valid() || H5Tget_class(type.get()) != H5T_INTEGER) {
    Refuse("attribute " + name + ": expected integers");
  }
  std::vector<int64_t> values(static_cast<size_t>(H5Sget_simple_extent_npoints(space.get())));
  if (values.empty() || H5Aread(attribute.get(), H5T_NATIVE_INT64, values.data()) < 0) {
    Refuse("attribute " + name + ": expected integers");
  }
  return values;
}

std::vector<int64_t> H5Node::DatasetExtents() const {
  const H5Silence silence;
  const H5Id space(H5Dget_space(id_.get()));
  if (space.valid() && H5Sget_simple_extent_type(space.get()) == H5S_SCALAR) return {};
  return ArrayExtents();
}

bool H5Node::IsFloat64() const {
  const H5Silence silence;
  const H5Id type(H5Dget_type(id_.get()));
  return type.valid() && H5Tequal(type.get(), H5T_IEEE_F64LE) > 0;
}

DType H5Node::StoredType() const {
  const H5Silence silence;
  const H5Id type(H5Dget_type(id_.get()));
  const H5T_class_t kind = type.valid() ? H5Tget_class(type.get()) : H5T_NO_CLASS;
  const size_t size = type.valid() ? H5Tget_size(type.get()) : 0;
  if (type.valid() && H5Tget_order(type.get()) == H5T_ORDER_LE) {
    if (kind == H5T_INTEGER && size == 2) return DType::kBf16;
    if (kind == H5T_INTEGER && size == 4) return DType::kI32;
    if (kind == H5T_FLOAT && size == 2) return DType::kF16;
    if (kind == H5T_FLOAT && size == 4) return DType::kF32;
  }
  Refuse(fmt::format(
      "expected little-endian float32, float16, float64, int32, or 2-byte integers that are bits, "
      "found {}",
      TypeText(type.get())));
}

std::vector<std::byte> H5Node::Raw() const {
  const H5Silence silence;
  const H5Id type(H5Dget_type(id_.get()));
  size_t elements = 1;
  for (const int64_t extent : DatasetExtents()) elements *= static_cast<size_t>(extent);
  std::vector<std::byte> bytes(elements * H5Tget_size(type.get()));
  // The memory type is the file type, so that HDF5 converts nothing.
  if (!bytes.empty() &&
      H5Dread(id_.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) < 0) {
    Refuse("the values are unreadable");
  }
  return bytes;
}

H5File H5File::Create(const std::string& path) {
  const H5Silence silence;
  const H5Id fcpl(H5Pcreate(H5P_FILE_CREATE));
  H5Pset_userblock(fcpl.get(), kUserBlockBytes);
  H5Pset_obj_track_times(fcpl.get(), false);
  H5Pset_attr_phase_change(fcpl.get(), kMaxCompactAttributes, 0);
  const H5Id fapl(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_libver_bounds(fapl.get(), H5F_LIBVER_V110, H5F_LIBVER_V110);
  H5Id file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, fcpl.get(), fapl.get()));
  if (!file.valid()) throw StorageError(path + ": cannot be created");
  return {path, std::move(file)};
}

H5File H5File::Open(const std::string& path) {
  const H5Silence silence;
  H5Id file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  if (!file.valid()) throw IntegrityError(path + ": cannot be opened as an HDF5 file");
  return {path, std::move(file)};
}

H5File H5File::OpenImage(std::span<const std::byte> image, const std::string& name) {
  const H5Silence silence;
  const H5Id fapl(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_fapl_core(fapl.get(), 1 << 16, false);
  // HDF5 copies the image, although its parameter is not const.
  H5Pset_file_image(fapl.get(), const_cast<std::byte*>(image.data()), image.size());
  H5Id file(H5Fopen(name.c_str(), H5F_ACC_RDONLY, fapl.get()));
  if (!file.valid()) throw IntegrityError(name + ": cannot be opened as an HDF5 file");
  return {name, std::move(file)};
}

H5Node H5File::Root() const {
  const H5Silence silence;
  H5Id root(H5Gopen2(id_.get(), "/", H5P_DEFAULT));
  if (!root.valid()) throw IntegrityError(path_ + ": /: unreadable");
  return {path_, "", std::move(root)};
}

void H5File::Close() {
  const H5Silence silence;
  const bool flushed = H5Fflush(id_.get(), H5F_SCOPE_GLOBAL) >= 0;
  id_ = H5Id();
  if (!flushed) throw StorageError(path_ + ": cannot be written");
}

}  // namespace samebits::golden
