#include "harness/profile/fit_matrix.h"

#include <algorithm>
#include <map>

#include "harness/profile/matrix_parameters.h"
#include "model/arith/float32.h"
#include "model/contract.h"
#include "model/parallel.h"

namespace samebits::harness::profile {
namespace {

using units::BlockSum;
using units::MatrixUnit;

constexpr size_t kMaxTags = 8;

bool IsNan(uint32_t bits) { return arith::IsNan(arith::FromBits(bits)); }

/// The commonest pattern among the results that are NaN.
uint32_t NanBits(const std::vector<uint32_t>& results) {
  std::map<uint32_t, int> counts;
  for (const uint32_t bits : results) {
    if (IsNan(bits)) ++counts[bits];
  }
  uint32_t best = arith::kNanBits;
  int most = 0;
  for (const auto& [bits, count] : counts) {
    if (count > most) {
      best = bits;
      most = count;
    }
  }
  return best;
}

bool IsValid(const MatrixUnit& unit) {
  try {
    unit.validate();
    return true;
  } catch (const ConfigError&) {
    return false;
  }
}

/// Descends to a unit that gives as many cases as no change of one parameter, or of two, betters.
class Search {
 public:
  Search(const MatrixCases& cases, const std::vector<uint32_t>& results)
      : cases_(cases), results_(results) {}

  int64_t Misses(const MatrixUnit& unit, int64_t enough = INT64_MAX) const {
    return MatrixMisses(cases_, results_, unit, enough);
  }

  /// All values of a parameter that leave the unit valid.
  static std::vector<int64_t> Values(const MatrixUnit& unit, const MatrixParameter& parameter) {
    std::vector<int64_t> values;
    for (int64_t v = parameter.min; v <= parameter.max;
         v = parameter.power_of_two ? 2 * v : v + 1) {
      MatrixUnit changed = unit;
      parameter.set(&changed, v);
      const bool block = parameter.name == "products_per_block";
      if (IsValid(changed) && !(block && v > unit.instruction_k)) values.push_back(v);
    }
    return values;
  }

  MatrixUnit Descend(MatrixUnit unit) const {
    int64_t misses = Misses(unit);
    for (bool better = true; better && misses > 0;) {
      better = false;
      // The block length last: the starts have every one.
      for (const MatrixParameter& parameter : MatrixParameters()) {
        if (!parameter.used(unit.op) || parameter.power_of_two) continue;
        better |= Improve(parameter, &unit, &misses);
      }
      if (!better && misses > 0) better = ImprovePair(&unit, &misses);
      if (!better && misses > 0) better = Improve(MatrixParameters()[0], &unit, &misses);
    }
    return unit;
  }

 private:
  bool Improve(const MatrixParameter& parameter, MatrixUnit* unit, int64_t* misses) const {
    bool better = false;
    for (const int64_t value : Values(*unit, parameter)) {
      MatrixUnit changed = *unit;
      parameter.set(&changed, value);
      const int64_t count = Misses(changed, *misses);
      if (count >= *misses) continue;
      *misses = count;
      *unit = changed;
      better = true;
    }
    return better;
  }

  /// A parameter may only show once another one is right.
  bool ImprovePair(MatrixUnit* unit, int64_t* misses) const {
    for (const MatrixParameter& first : MatrixParameters()) {
      if (!first.used(unit->op)) continue;
      const int64_t now = first.get(*unit);
      for (const int64_t value : {now - 1, now + 1, now / 2, now * 2}) {
        MatrixUnit changed = *unit;
        first.set(&changed, value);
        if (value < first.min || value > first.max || !IsValid(changed)) continue;
        int64_t best = *misses;
        bool better = false;
        for (const MatrixParameter& second : MatrixParameters()) {
          if (second.used(unit->op)) better |= Improve(second, &changed, &best);
        }
        if (!better) continue;
        *unit = changed;
        *misses = best;
        return true;
      }
    }
    return false;
  }

  const MatrixCases& cases_;
  const std::vector<uint32_t>& results_;
};

/// Where the search starts: every kind of sum with every block length.
std::vector<MatrixUnit> Starts(const MatrixCapture& matrix, uint32_t nan_bits) {
  std::vector<MatrixUnit> starts;
  for (const BlockSum op : kBlockSums) {
    for (int block = op == BlockSum::kSequential ? matrix.k : 1; block <= matrix.k; block *= 2) {
      MatrixUnit unit;
      unit.op = op;
      unit.instruction_k = matrix.k;
      unit.products_per_block = block;
      unit.nan_bits = nan_bits;
      if (op == BlockSum::kLate) unit.fraction_bits = 24;
      if (op == BlockSum::kJoin) starts.push_back(unit);
      unit.rounding = units::Rounding::kNearestEven;
      starts.push_back(unit);
    }
  }
  return starts;
}

std::string ValueText(const MatrixParameter& parameter, int64_t value) {
  if (parameter.flag) return value != 0 ? "yes" : "no";
  return std::to_string(value);
}

Sensitivity SensitivityOf(const Search& search, const MatrixUnit& unit,
                          const MatrixParameter& parameter) {
  Sensitivity s;
  s.parameter = parameter.name;
  s.value = ValueText(parameter, parameter.get(unit));
  s.nearest_misses = -1;
  for (const int64_t value : Search::Values(unit, parameter)) {
    if (value == parameter.get(unit)) continue;
    MatrixUnit changed = unit;
    parameter.set(&changed, value);
    const int64_t misses = search.Misses(changed);
    if (misses == 0) {
      s.same.push_back(ValueText(parameter, value));
    } else if (s.nearest_misses < 0 || misses < s.nearest_misses) {
      s.nearest_misses = misses;
      s.nearest = ValueText(parameter, value);
    }
  }
  return s;
}

}  // namespace

int64_t MatrixMisses(const MatrixCases& cases, const std::vector<uint32_t>& results,
                     const MatrixUnit& unit, int64_t enough) {
  int64_t misses = 0;
  const size_t k = static_cast<size_t>(cases.k);
  for (size_t i = 0; i < cases.size(); ++i) {
    const float d =
        units::Dot(unit, &cases.a[i * k], &cases.b[i * k], cases.k, arith::FromBits(cases.c[i]));
    misses += arith::ToBits(d) != results[i];
  }
  return misses;
}

MatrixFit FitMatrix(const Capture& capture, const MatrixCapture& matrix, int threads) {
  const MatrixCases& cases = *capture.CasesOf(matrix.k);
  const Search search(cases, matrix.results);
  const std::vector<MatrixUnit> starts = Starts(matrix, NanBits(matrix.results));
  std::vector<MatrixUnit> ends = starts;
  std::vector<int64_t> misses(starts.size());
  // The starts that are far off need no descent.
  for (size_t i = 0; i < starts.size(); ++i) misses[i] = search.Misses(starts[i]);
  std::vector<size_t> order(starts.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return misses[a] < misses[b]; });
  order.resize(std::min<size_t>(order.size(), 16));
  // The best starts first, as many at a time as there are threads, until one gives every case.
  const auto batch = static_cast<size_t>(std::max(1, threads));
  bool found = false;
  for (size_t first = 0; first < order.size() && !found; first += batch) {
    const size_t count = std::min(batch, order.size() - first);
    ParallelFor(static_cast<int64_t>(count), threads, [&](int64_t i) {
      const size_t at = order[first + static_cast<size_t>(i)];
      ends[at] = search.Descend(starts[at]);
      misses[at] = search.Misses(ends[at]);
    });
    for (size_t i = 0; i < count; ++i) found = found || misses[order[first + i]] == 0;
  }
  const size_t best = *std::min_element(order.begin(), order.end(),
                                        [&](size_t a, size_t b) { return misses[a] < misses[b]; });

  MatrixFit fit;
  fit.name = matrix.name;
  fit.unit = ends[best];
  fit.cases = static_cast<int64_t>(cases.size());
  fit.misses = misses[best];
  fit.placements = matrix.placements;
  fit.placements_differ = matrix.placements_differ;
  const size_t k = static_cast<size_t>(cases.k);
  for (size_t i = 0; i < cases.size() && fit.missed.size() < kMaxTags; ++i) {
    const float d = units::Dot(fit.unit, &cases.a[i * k], &cases.b[i * k], cases.k,
                               arith::FromBits(cases.c[i]));
    if (arith::ToBits(d) != matrix.results[i]) fit.missed.push_back(cases.tags[i]);
  }
  if (fit.misses != 0) return fit;
  for (const MatrixParameter& parameter : MatrixParameters()) {
    if (parameter.used(fit.unit.op)) {
      fit.parameters.push_back(SensitivityOf(search, fit.unit, parameter));
    }
  }
  return fit;
}

}  // namespace samebits::harness::profile
