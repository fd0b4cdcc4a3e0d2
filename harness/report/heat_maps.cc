#include "harness/report/heat_maps.h"

#include <algorithm>
#include <optional>
#include <set>

#include "harness/compare/element.h"
#include "harness/dataset.h"

namespace samebits::harness {
namespace {

constexpr size_t kCasesPerCause = 6;
constexpr int64_t kMaxExtent = 512;  // of an axis of a map
constexpr size_t kMaxOutputs = 1, kMaxTaps = 3, kMaxPairs = 6, kManyDimensions = 4;

/// Counts over two axes.
struct Map {
  std::string tensor, rows, columns;
  int64_t height = 0, width = 0;
  std::vector<int64_t> counts = {};
  std::set<size_t> cases = {};

  void Add(int64_t row, int64_t column, size_t c) {
    ++counts[static_cast<size_t>(row * width + column)];
    cases.insert(c);
  }
  bool empty() const { return cases.empty(); }

  Json ToJson() const {
    std::vector<std::byte> bytes;
    for (const int64_t count : counts) {
      const auto value = static_cast<uint16_t>(std::min<int64_t>(count, 65535));
      bytes.push_back(static_cast<std::byte>(value & 0xFF));
      bytes.push_back(static_cast<std::byte>(value >> 8));
    }
    return {{"tensor", tensor},      {"rows", rows},
            {"columns", columns},    {"height", height},
            {"width", width},        {"most", *std::ranges::max_element(counts)},
            {"cases", cases.size()}, {"counts", Base64(bytes)}};
  }
};

/// One tensor of one case in both files.
struct Pair {
  size_t number = 0;  // of the case in the cause
  Tensor expected, actual;
};

std::vector<Pair> Load(const Cause& cause, const std::string& name, const Json& cases,
                       const golden::Reader& expected, const golden::Reader& actual) {
  std::vector<Pair> pairs;
  for (const size_t c : cause.cases) {
    if (pairs.size() == kCasesPerCause) break;
    const golden::CaseEntry* entry = expected.FindCase(cases[c].at("id").get<std::string>());
    const golden::CaseEntry* other = entry == nullptr ? nullptr : Counterpart(actual, *entry);
    if (other == nullptr) continue;
    for (const golden::TensorEntry& tensor : entry->tensors) {
      if (FullName(tensor.spec) != name) continue;
      const golden::TensorEntry* seen = other->Find(tensor.spec.role, tensor.spec.name);
      if (seen == nullptr || seen->spec != tensor.spec) continue;
      pairs.push_back({c, expected.Read(*entry, tensor), actual.Read(*other, *seen)});
    }
  }
  return pairs;
}

template <typename Function>
void ForDiffering(const Pair& pair, const Function& function) {
  const int64_t count = pair.expected.spec.elements();
  for (int64_t i = 0; i < count; ++i) {
    if (ElementBits(pair.expected, i) != ElementBits(pair.actual, i)) function(i);
  }
}

/// Pairs of axes with more than one element in some case, the innermost first.
std::vector<Map> AxisMaps(const std::string& name, const std::vector<Pair>& pairs) {
  const TensorSpec& spec = pairs[0].expected.spec;
  std::vector<int64_t> extents(spec.shape.size(), 1);
  for (const Pair& pair : pairs) {
    for (size_t d = 0; d < extents.size(); ++d) {
      extents[d] = std::max(extents[d], pair.expected.spec.shape[d]);
    }
  }
  std::vector<size_t> dims;
  for (size_t d = extents.size(); d-- > 0;) {
    if (extents[d] > 1 && extents[d] <= kMaxExtent) dims.push_back(d);
  }
  std::vector<std::pair<size_t, size_t>> chosen;
  for (size_t a = 0; a < dims.size(); ++a) {
    for (size_t b = a + 1; b < dims.size() && chosen.size() < kMaxPairs; ++b) {
      chosen.emplace_back(dims[b], dims[a]);
    }
  }
  std::vector<Map> maps;
  for (const auto& [row, column] : chosen) {
    Map map = {name, spec.dims[row], spec.dims[column], extents[row], extents[column]};
    map.counts.resize(static_cast<size_t>(map.height * map.width));
    maps.push_back(std::move(map));
  }
  if (dims.size() == 1) {
    Map map = {name, "all", spec.dims[dims[0]], 1, extents[dims[0]]};
    map.counts.resize(static_cast<size_t>(map.width));
    maps.push_back(std::move(map));
    chosen.emplace_back(dims[0], dims[0]);
  }
  for (const Pair& pair : pairs) {
    ForDiffering(pair, [&](int64_t i) {
      const std::vector<int64_t> at = Coordinates(pair.expected.spec, i);
      for (size_t m = 0; m < maps.size(); ++m) {
        maps[m].Add(maps[m].height == 1 ? 0 : at[chosen[m].first], at[chosen[m].second],
                    pair.number);
      }
    });
  }
  return maps;
}

/// Lanes down, registers across; warps added up.
std::optional<Map> LaneMap(const std::string& name, const std::vector<Pair>& pairs,
                           const Kernel& kernel) {
  struct Hit {
    ThreadPlace place;
    size_t number;
  };
  std::vector<Hit> hits;
  int registers = 1, lanes = 1;
  for (const Pair& pair : pairs) {
    const TensorSpec& spec = pair.expected.spec;
    if (!kernel.Owner(spec, 0)) return std::nullopt;
    const int64_t count = spec.elements();
    for (int64_t i = 0; i < count; ++i) {
      const std::optional<ThreadPlace> place = kernel.Owner(spec, i);
      if (!place) return std::nullopt;
      registers = std::max(registers, place->reg + 1);
      lanes = std::max(lanes, place->lane + 1);
      if (ElementBits(pair.expected, i) != ElementBits(pair.actual, i)) {
        hits.push_back({*place, pair.number});
      }
    }
  }
  Map map = {name, "lane", "register", lanes, registers};
  map.counts.resize(static_cast<size_t>(map.height * map.width));
  for (const Hit& hit : hits) map.Add(hit.place.lane, hit.place.reg, hit.number);
  return map;
}

/// The cause's first tensor, the first output that differs in its first case, and the first taps
/// of many dimensions: where what began in a scalar shows its place.
std::vector<std::string> TensorsOf(const Cause& cause, const Json& cases) {
  std::vector<std::string> names = {cause.first};
  size_t outputs = 0, taps = 0;
  for (const Json& diff : cases[cause.cases[0]].at("differences")) {
    const std::string name =
        diff.at("group").get<std::string>() + "/" + diff.at("tensor").get<std::string>();
    if (name == cause.first) continue;
    const bool output = diff.at("group") == "outputs";
    const bool many = diff.at("first").at("coordinates").size() >= kManyDimensions;
    if (output ? outputs++ < kMaxOutputs : many && taps++ < kMaxTaps) names.push_back(name);
  }
  return names;
}

}  // namespace

std::string Base64(std::span<const std::byte> bytes) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    for (size_t k = 0; k < 3; ++k) {
      group = group << 8 | (i + k < bytes.size() ? static_cast<uint32_t>(bytes[i + k]) : 0u);
    }
    for (size_t k = 0; k < 4; ++k) {
      text += i + k <= bytes.size() ? kDigits[group >> (18 - 6 * k) & 63] : '=';
    }
  }
  return text;
}

void AddHeatMaps(const Grouping& grouping, const Json& cases, const golden::Reader& expected,
                 const golden::Reader& actual, const Kernel& kernel, size_t budget, Json* page) {
  if (!expected.has_values() || !actual.has_values()) return;
  size_t used = 0;
  for (size_t c = 0; c < grouping.causes.size(); ++c) {
    const Cause& cause = grouping.causes[c];
    if (cause.first.empty()) continue;
    for (const std::string& name : TensorsOf(cause, cases)) {
      const std::vector<Pair> pairs = Load(cause, name, cases, expected, actual);
      if (pairs.empty()) continue;
      const auto add = [&](const char* key, const Map& map) {
        const Json json = map.ToJson();
        const size_t bytes = json.dump().size();
        if (map.empty() || used + bytes > budget) return;
        used += bytes;
        (*page)["causes"][c][key].push_back(json);
      };
      for (const Map& map : AxisMaps(name, pairs)) add("maps", map);
      if (const std::optional<Map> lanes = LaneMap(name, pairs, kernel)) add("lanes", *lanes);
    }
  }
}

}  // namespace samebits::harness
