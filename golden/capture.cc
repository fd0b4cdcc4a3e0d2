#include "golden/capture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <numeric>
#include <sstream>

#include "golden/dataset.h"
#include "golden/integrity_error.h"
#include "golden/layout.h"
#include "model/arith/bfloat16.h"
#include "model/arith/float16.h"

namespace samebits::golden {
namespace {

constexpr std::array<char, 8> kHdf5Signature = {'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};

bool Has(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

std::vector<std::string> Split(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, ',');) {
    std::erase(word, ' ');
    words.push_back(word);
  }
  return words;
}

/// How the elements of a dataset lie in a tensor of the plan.
struct Mapping {
  std::vector<int64_t> extents;               // of the dataset
  std::vector<std::vector<int64_t>> offsets;  // per dimension of the dataset and index
  int64_t base = 0;                           // of dimensions that the dataset lacks
  bool whole = true;
};

class Mapper {
 public:
  Mapper(const H5Node& dataset, const TensorSpec& spec)
      : dataset_(dataset), spec_(spec), attributes_(dataset.Attributes()) {}

  Mapping Make() const {
    Mapping mapping;
    mapping.extents = dataset_.DatasetExtents();
    const std::vector<std::string> dims = Dims(mapping.extents.size());
    int64_t stride = spec_.elements();
    mapping.offsets.resize(dims.size());
    for (size_t d = 0; d < spec_.dims.size(); ++d) {
      stride /= std::max<int64_t>(1, spec_.shape[d]);
      const size_t at = std::ranges::find(dims, spec_.dims[d]) - dims.begin();
      const int64_t extent = at < dims.size() ? mapping.extents[at] : 1;
      const std::vector<int64_t> indices = Indices(d, extent);
      mapping.whole = mapping.whole && static_cast<int64_t>(indices.size()) == spec_.shape[d];
      if (at == dims.size()) mapping.base += indices[0] * stride;
      for (const int64_t i : indices) {
        if (at < dims.size()) mapping.offsets[at].push_back(i * stride);
      }
    }
    return mapping;
  }

 private:
  /// Of the dataset, outermost first.
  std::vector<std::string> Dims(size_t rank) const {
    if (!Has(attributes_, "dims")) {
      if (rank != spec_.dims.size()) {
        dataset_.Refuse(
            fmt::format("expected {} dimensions, or an attribute dims that names its {}",
                        spec_.dims.size(), rank));
      }
      return spec_.dims;
    }
    const std::vector<std::string> dims = Split(dataset_.AnyText("dims"));
    for (size_t d = 0; d < dims.size(); ++d) {
      const bool twice = std::ranges::count(dims, dims[d]) > 1;
      if (twice || !Has(spec_.dims, dims[d])) {
        dataset_.Refuse(fmt::format("attribute dims: expected each of {} once, got \"{}\"",
                                    fmt::join(spec_.dims, ","), dims[d]));
      }
    }
    if (dims.size() != rank) {
      dataset_.Refuse(fmt::format("attribute dims: expected the names of {} dimensions", rank));
    }
    return dims;
  }

  /// Coordinates of the captured indices along a dimension of the plan.
  std::vector<int64_t> Indices(size_t d, int64_t extent) const {
    const std::string& dim = spec_.dims[d];
    std::vector<int64_t> indices(spec_.shape[d]);
    std::iota(indices.begin(), indices.end(), int64_t{0});
    if (Has(attributes_, dim)) indices = dataset_.Integers(dim);
    if (static_cast<int64_t>(indices.size()) != extent) {
      dataset_.Refuse(fmt::format(
          "dimension {}: expected extent {}, or an attribute {} that lists the {} captured indices",
          dim, spec_.shape[d], dim, extent));
    }
    for (const int64_t i : indices) {
      if (i < 0 || i >= spec_.shape[d] || std::ranges::count(indices, i) > 1) {
        dataset_.Refuse(fmt::format("attribute {}: expected indices below {}, each once, got {}",
                                    dim, spec_.shape[d], i));
      }
    }
    return indices;
  }

  const H5Node& dataset_;
  const TensorSpec& spec_;
  const std::vector<std::string> attributes_;
};

/// The float64 elements of a dataset as float32; refuses one that is none.
std::vector<std::byte> AsFloat32(const H5Node& dataset) {
  const std::vector<std::byte> doubles = dataset.Raw();
  std::vector<std::byte> floats(doubles.size() / 2);
  for (size_t i = 0; i * sizeof(double) < doubles.size(); ++i) {
    double value;
    std::memcpy(&value, doubles.data() + i * sizeof(value), sizeof(value));
    const auto narrow = static_cast<float>(value);
    if (static_cast<double>(narrow) != value && !std::isnan(value)) {
      dataset.Refuse(fmt::format("element {}: expected a value of float32, found {}", i, value));
    }
    std::memcpy(floats.data() + i * sizeof(narrow), &narrow, sizeof(narrow));
  }
  return floats;
}

/// Values of a dataset, one after the other, as the plan's type holds them.
class Elements {
 public:
  Elements(const H5Node& dataset, DType wanted)
      : dataset_(dataset),
        wanted_(wanted),
        float64_(dataset.IsFloat64()),
        stored_(float64_ ? DType::kF32 : dataset.StoredType()),
        bytes_(float64_ ? AsFloat32(dataset) : dataset.Raw()) {
    const std::vector<std::string> attributes = dataset.Attributes();
    if (!float64_ && stored_ != DType::kF16 && Has(attributes, "dtype")) {
      const std::string name = dataset.AnyText("dtype");
      const std::optional<DType> dtype = ParseDType(name);
      if (!dtype || SizeOf(*dtype) != SizeOf(stored_)) {
        dataset.Refuse("attribute dtype: expected the name of the stored type, got " + name);
      }
      stored_ = *dtype;
    } else if (stored_ == DType::kBf16 && SizeOf(wanted) == 2) {
      stored_ = wanted;  // integers: the bits of whatever the plan has
    }
    if ((stored_ == DType::kI32) != (wanted == DType::kI32)) Mismatch();
  }

  uint32_t Bits(size_t i) const {
    uint32_t bits = 0;
    const size_t size = SizeOf(stored_);
    std::memcpy(&bits, bytes_.data() + i * size, size);
    if (stored_ == wanted_) return bits;
    const float value = stored_ == DType::kBf16  ? arith::Widen(static_cast<uint16_t>(bits))
                        : stored_ == DType::kF16 ? arith::WidenF16(static_cast<uint16_t>(bits))
                                                 : arith::FromBits(bits);
    return Narrow(i, value);
  }

 private:
  [[noreturn]] void Mismatch() const {
    dataset_.Refuse(fmt::format("expected elements of type {}, found {}", Name(wanted_),
                                float64_ ? "f64" : Name(stored_)));
  }
  uint32_t Narrow(size_t i, float value) const {
    if (wanted_ == DType::kF32) return arith::ToBits(value);
    const bool bf16 = wanted_ == DType::kBf16;
    const uint16_t bits = bf16 ? arith::RoundToBf16(value) : arith::RoundToF16(value);
    const float back = bf16 ? arith::Widen(bits) : arith::WidenF16(bits);
    if (arith::ToBits(back) != arith::ToBits(value) && !arith::IsNan(value)) {
      dataset_.Refuse(fmt::format("element {}: expected a value of {}, found {} ({:#010x})", i,
                                  Name(wanted_), value, arith::ToBits(value)));
    }
    return bits;
  }

  const H5Node& dataset_;
  const DType wanted_;
  const bool float64_;
  DType stored_;
  const std::vector<std::byte> bytes_;
};

std::vector<Range> RangesOf(const std::vector<bool>& covered) {
  std::vector<Range> ranges;
  for (size_t i = 0; i < covered.size(); ++i) {
    if (!covered[i]) continue;
    const auto index = static_cast<int64_t>(i);
    if (!ranges.empty() && ranges.back().end == index) {
      ++ranges.back().end;
    } else {
      ranges.push_back({index, index + 1});
    }
  }
  return ranges;
}

}  // namespace

bool Capture::Is(const std::string& path) {
  std::array<char, kHdf5Signature.size()> start = {};
  std::ifstream file(path, std::ios::binary);
  return file.read(start.data(), start.size()) && start == kHdf5Signature;
}

bool Capture::Claims(const std::string& path) {
  if (!Is(path)) return false;
  try {
    const H5File file = H5File::Open(path);
    const H5Node root = file.Root();
    return Has(root.Attributes(), "schema") && root.AnyText("schema") == Name(Schema::kObserved);
  } catch (const IntegrityError&) {
    return false;
  }
}

Capture::Capture(const std::string& path) : file_(H5File::Open(path)) {
  const H5Node root = file_.Root();
  const std::vector<std::string> attributes = root.Attributes();
  if (!Has(attributes, "schema") || root.AnyText("schema") != Name(Schema::kObserved)) {
    root.Refuse("attribute schema: expected samebits-observed (a golden file has a seal)");
  }
  kernel_ = root.AnyText("kernel");
  cases_ = root.Group(kCasesGroup).Children();
  if (cases_.empty()) root.Refuse("expected at least one case");
}

H5Node Capture::CaseGroup(const std::string& name) const {
  return file_.Root().Group(kCasesGroup).Group(name);
}

std::vector<TensorSpec> Capture::Specs(const std::string& name,
                                       const std::vector<TensorSpec>& plan) const {
  const H5Node group = CaseGroup(name);
  std::vector<TensorSpec> specs;
  const std::vector<std::string> groups = group.Children();
  for (const std::string& other : groups) {
    if (other == "inputs" || other == "taps" || other == "outputs") continue;
    group.Refuse(fmt::format("expected groups inputs, taps and outputs, found {}", other));
  }
  for (const Role role : {Role::kInput, Role::kTap, Role::kOutput}) {
    const std::string role_name(GroupName(role));
    if (!Has(groups, role_name)) continue;
    const H5Node members = group.Group(role_name);
    for (const std::string& member : members.Children()) {
      const auto is_it = [&](const TensorSpec& s) { return s.role == role && s.name == member; };
      if (std::ranges::none_of(plan, is_it)) {
        members.Refuse(member + ": not a tensor of kernel " + kernel_ + " in this configuration");
      }
    }
    for (const TensorSpec& spec : plan) {
      if (spec.role == role && Has(members.Children(), spec.name)) specs.push_back(spec);
    }
  }
  if (specs.empty()) group.Refuse("expected a tensor in inputs, taps or outputs");
  return specs;
}

std::vector<Capture::Stored> Capture::List(const std::string& name) const {
  const H5Node group = CaseGroup(name);
  std::vector<Stored> list;
  for (const std::string& role : group.Children()) {
    const H5Node members = group.Group(role);
    for (const std::string& member : members.Children()) {
      const H5Node dataset = members.Dataset(member);
      const std::vector<std::string> attributes = dataset.Attributes();
      Stored stored = {
          role + "/" + member,
          dataset.IsFloat64() ? "f64" : std::string(samebits::Name(dataset.StoredType())),
          dataset.DatasetExtents(),
          "",
          {}};
      for (const std::string& attribute : attributes) {
        if (attribute == "dims") {
          stored.dims = dataset.AnyText("dims");
        } else if (attribute == "dtype") {
          stored.dtype = dataset.AnyText("dtype");
        } else {
          stored.parts.push_back(attribute);
        }
      }
      list.push_back(std::move(stored));
    }
  }
  return list;
}

CapturedTensor Capture::Read(const std::string& name, const TensorSpec& spec) const {
  const H5Node dataset =
      CaseGroup(name).Group(std::string(GroupName(spec.role))).Dataset(spec.name);
  const Mapping mapping = Mapper(dataset, spec).Make();
  const Elements elements(dataset, spec.dtype);
  CapturedTensor captured = {Tensor(spec), {}};
  FillPoison(spec.dtype, captured.values.data);
  std::vector<bool> covered(mapping.whole ? 0 : spec.elements());
  std::vector<int64_t> at(mapping.extents.size());
  int64_t count = 1;
  for (const int64_t extent : mapping.extents) count *= extent;
  for (int64_t i = 0; i < count; ++i) {
    int64_t index = mapping.base;
    for (size_t d = 0; d < at.size(); ++d) index += mapping.offsets[d][at[d]];
    const uint32_t bits = elements.Bits(i);
    const size_t size = SizeOf(spec.dtype);
    std::memcpy(captured.values.data.data() + static_cast<size_t>(index) * size, &bits, size);
    if (!mapping.whole) covered[index] = true;
    for (size_t d = at.size(); d-- > 0 && ++at[d] == mapping.extents[d];) at[d] = 0;
  }
  captured.covered = mapping.whole ? Everything(spec) : RangesOf(covered);
  return captured;
}

}  // namespace samebits::golden
