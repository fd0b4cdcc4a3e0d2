#include "harness/profile/fit_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/profile/fit_segment.h"

namespace samebits::harness::profile {
namespace {

using units::TruncatedSquare;

constexpr int kFraction = 23;
constexpr int kMinIndexBits = 2, kMaxIndexBits = 10;
constexpr int kMinLowBits = 12, kMaxLowBits = 20;
constexpr size_t kMinSamples = 12;    // of a segment
constexpr size_t kTestSamples = 600;  // of a segment, to reject a structure
constexpr double kNear = 256;         // steps of the result: more is no matter of the square
constexpr size_t kMaxFits = 4;

/// Which samples form a segment, and what their x is.
struct Place {
  size_t binade = 0;
  uint32_t row = 0;
  int index_bits = 0, low_bits = 0;

  uint32_t RowOf(uint32_t fraction) const { return fraction >> (kFraction - index_bits); }
  uint32_t XOf(uint32_t fraction) const {
    const uint32_t below = fraction & ((1u << (kFraction - index_bits)) - 1u);
    return below >> (kFraction - index_bits - low_bits);
  }
};

double MaxSquare(int low_bits, int first_column) {
  return std::ldexp(1.0, 2 * low_bits - first_column);
}

/// Every stride-th of its samples.
Segment MakeSegment(const TableBinade& binade, const Place& place, int first_column,
                    size_t max_samples = SIZE_MAX) {
  Segment segment;
  const double x_scale = std::ldexp(1.0, -place.low_bits);
  const double t_scale = 1 / MaxSquare(place.low_bits, first_column);
  // Fractions ascend.
  const auto from = std::lower_bound(
      binade.begin(), binade.end(), place.row,
      [&](const TableSample& s, uint32_t row) { return place.RowOf(s.fraction) < row; });
  auto to = from;
  while (to != binade.end() && place.RowOf(to->fraction) == place.row) ++to;
  const auto count = static_cast<size_t>(to - from);
  const size_t stride = count <= max_samples ? 1 : (count + max_samples - 1) / max_samples;
  for (size_t i = 0; i < count; i += stride) {
    const TableSample& s = *(from + static_cast<ptrdiff_t>(i));
    const uint32_t x = place.XOf(s.fraction);
    segment.Add(x * x_scale, static_cast<double>(TruncatedSquare(x, first_column)) * t_scale,
                static_cast<double>(s.low), static_cast<double>(s.high));
  }
  return segment;
}

std::vector<Place> PlacesOf(size_t binade, int index_bits, int low_bits) {
  std::vector<Place> places;
  for (uint32_t row = 0; row < 1u << index_bits; ++row) {
    places.push_back({binade, row, index_bits, low_bits});
  }
  return places;
}

/// Four of them, spread.
std::vector<Place> Some(const std::vector<Place>& places) {
  std::vector<Place> some;
  for (size_t i = 0; i < 4; ++i) {
    const Place& place = places[i * (places.size() - 1) / 3];
    if (some.empty() || some.back().row != place.row) some.push_back(place);
  }
  return some;
}

/// Whether some real coefficients give every sample of all these segments. `worst`, if not null:
/// the largest width over the coarsest interval, when it is none.
bool Feasible(const std::vector<TableBinade>& binades, const std::vector<Place>& places,
              int first_column, double* worst) {
  for (const Place& place : places) {
    const Segment segment = MakeSegment(binades[place.binade], place, first_column, kTestSamples);
    if (segment.size() < kMinSamples) return false;
    const Segment::Point best = segment.Best(true);
    if (best.width < 0) continue;
    if (worst != nullptr) *worst = best.width / segment.coarsest();
    return false;
  }
  return true;
}

/// First columns that some segments allow; none if no quadratic comes near.
std::vector<int> Columns(const std::vector<TableBinade>& binades, const std::vector<Place>& places,
                         double* nearest) {
  std::vector<int> columns;
  const std::vector<Place> some = Some(places);
  double worst = 0;
  if (Feasible(binades, some, 0, &worst)) worst = 0;
  if (nearest != nullptr) *nearest = std::min(*nearest, worst);
  if (worst > kNear) return {};
  for (int column = 2 * places[0].low_bits - 1; column >= 0; --column) {
    if (Feasible(binades, some, column, nullptr)) columns.push_back(column);
  }
  return columns;
}

/// A segment with the place of its best real coefficients.
struct Solved {
  Place place;
  Segment segment;
  Segment::Point best;
};

/// Grid points C1 that some C2 completes, nearest to the best first.
std::vector<Segment::Point> FeasibleC1(const Solved& s, double quantum) {
  std::vector<Segment::Point> points;
  const double centre = std::round(s.best.c1 / quantum);
  for (int side = 0; side < 2; ++side) {
    for (int i = side; i < 32; ++i) {
      const double c1 = (centre + (side == 0 ? i : -i)) * quantum;
      const Segment::Point point = s.segment.BestC2(c1, s.best.c2, false);
      if (point.width < 0) {
        points.push_back(point);
      } else if (i > 0) {
        break;
      }
    }
  }
  return points;
}

/// The grid point with the most room around it.
std::optional<Segment::Point> GridPoint(const Solved& s, const std::vector<Segment::Point>& c1s,
                                        double quantum) {
  std::optional<Segment::Point> found;
  for (const Segment::Point& p : c1s) {
    for (const double c2 : {std::floor(p.c2 / quantum), std::ceil(p.c2 / quantum)}) {
      const double width = s.segment.Width(p.c1, c2 * quantum);
      if (width < 0 && (!found || width < found->width)) found = {p.c1, c2 * quantum, width};
    }
  }
  return found;
}

/// The coarsest grid that has a point in every segment; -> log2 of the quantum of V.
struct Grid {
  int c1_log2 = 0, c2_log2 = 0;  // per x, per T
  std::vector<Segment::Point> points;
};

std::optional<Grid> FindGrid(const std::vector<Solved>& segments, int low_bits, int first_column) {
  constexpr int kCoarsest = -20, kFinest = -kSampleBits;
  Grid grid;
  std::vector<std::vector<Segment::Point>> c1s(segments.size());
  const auto all_c1 = [&](int log2) {
    const double quantum = std::ldexp(1.0, log2 + kSampleBits + low_bits);
    for (size_t i = 0; i < segments.size(); ++i) {
      c1s[i] = FeasibleC1(segments[i], quantum);
      if (c1s[i].empty()) return false;
    }
    return true;
  };
  const auto all_points = [&](int log2) {
    const double quantum = std::ldexp(1.0, log2 + kSampleBits) * MaxSquare(low_bits, first_column);
    grid.points.clear();
    for (size_t i = 0; i < segments.size(); ++i) {
      const auto point = GridPoint(segments[i], c1s[i], quantum);
      if (!point) return false;
      grid.points.push_back(*point);
    }
    return true;
  };
  for (grid.c1_log2 = kCoarsest; grid.c1_log2 >= kFinest; --grid.c1_log2) {
    if (!all_c1(grid.c1_log2)) continue;
    for (grid.c2_log2 = kCoarsest; grid.c2_log2 >= kFinest; --grid.c2_log2) {
      if (all_points(grid.c2_log2)) return grid;
    }
  }
  return std::nullopt;
}

int64_t CeilShift(int64_t x, int shift) {  // ceil(x / 2^shift)
  return shift <= 0 ? x * (int64_t{1} << -shift) : -(-x >> shift);
}

/// What K = c0 << shift + bias may be, in units of V.
struct Interval {
  int64_t low, high;
};

Interval ConstantOf(const TableBinade& binade, const Place& place, int first_column,
                    int fraction_bits, int64_t c1, int64_t c2) {
  Interval k{INT64_MIN, INT64_MAX};
  for (const TableSample& s : binade) {
    if (place.RowOf(s.fraction) != place.row) continue;
    const uint32_t x = place.XOf(s.fraction);
    const int64_t p = c1 * x + c2 * TruncatedSquare(x, first_column);
    const int shift = kSampleBits - fraction_bits;
    k.low = std::max(k.low, CeilShift(s.low, shift) - p);
    k.high = std::min(k.high, CeilShift(s.high, shift) - 1 - p);
  }
  return k;
}

/// Biases below 2^shift that leave a multiple of 2^shift in every interval: a run of them.
std::optional<Interval> CommonBias(const std::vector<Interval>& constants, int shift) {
  const int64_t modulus = int64_t{1} << shift;
  const auto fits = [&](int64_t bias) {
    return std::all_of(constants.begin(), constants.end(), [&](const Interval& k) {
      return (k.high - bias) >> shift << shift >= k.low - bias;
    });
  };
  const Interval& narrowest = *std::min_element(
      constants.begin(), constants.end(),
      [](const Interval& a, const Interval& b) { return a.high - a.low < b.high - b.low; });
  std::optional<Interval> run;
  const int64_t last = std::min(narrowest.high, narrowest.low + modulus - 1);
  for (int64_t k = narrowest.low; k <= last && k < narrowest.low + 65536; ++k) {
    if (!fits(k)) {
      if (run) break;
      continue;
    }
    if (!run) run = {k, k};
    run->high = k;
  }
  if (!run) return run;
  // As near to zero as it can be.
  const int64_t turns = (run->low + modulus / 2) >> shift;
  return Interval{run->low - turns * modulus, run->high - turns * modulus};
}

/// Integer rows for a structure that real coefficients allow.
std::optional<TableFit> MakeFit(const std::vector<TableBinade>& binades,
                                const std::vector<Place>& places, int first_column,
                                const TableShape& shape) {
  std::vector<Solved> segments;
  const int low_bits = places[0].low_bits;
  for (const Place& place : places) {
    Solved s{place, MakeSegment(binades[place.binade], place, first_column), {}};
    s.best = s.segment.Best(false);
    if (!(s.best.width < 0)) return std::nullopt;
    segments.push_back(std::move(s));
  }
  const std::optional<Grid> grid = FindGrid(segments, low_bits, first_column);
  if (!grid) return std::nullopt;

  TableFit fit;
  fit.low_bits = low_bits;
  fit.square_first_column = first_column;
  fit.c1_quantum_log2 = grid->c1_log2;
  fit.c2_quantum_log2 = grid->c2_log2;
  fit.fraction_bits = shape.fraction_bits;
  if (fit.fraction_bits == 0) fit.fraction_bits = std::max({-grid->c1_log2, -grid->c2_log2, 24});
  if (fit.fraction_bits < std::max(-grid->c1_log2, -grid->c2_log2) ||
      fit.fraction_bits > kSampleBits) {
    return std::nullopt;
  }
  fit.c2_shift = fit.fraction_bits + grid->c2_log2;
  std::vector<Interval> constants;
  for (size_t i = 0; i < segments.size(); ++i) {
    const double unit = std::ldexp(1.0, kSampleBits - fit.fraction_bits);
    const auto c1 = static_cast<int64_t>(grid->points[i].c1 / std::ldexp(unit, low_bits));
    const auto c2 =
        static_cast<int64_t>(grid->points[i].c2 / unit / MaxSquare(low_bits, first_column));
    constants.push_back(
        ConstantOf(binades[places[i].binade], places[i], first_column, fit.fraction_bits, c1, c2));
    if (constants.back().low > constants.back().high) return std::nullopt;
    fit.rows.push_back({0, static_cast<int32_t>(c1), static_cast<int32_t>(c2 >> fit.c2_shift)});
  }
  std::optional<Interval> bias;
  for (fit.c0_shift = 20; fit.c0_shift >= 0 && !bias; --fit.c0_shift) {
    bias = CommonBias(constants, fit.c0_shift);
  }
  if (!bias) return std::nullopt;
  ++fit.c0_shift;  // the loop's last step
  fit.bias = bias->low;
  fit.bias_choices = bias->high - bias->low + 1;
  for (size_t i = 0; i < fit.rows.size(); ++i) {
    const int64_t c0 = (constants[i].high - fit.bias) >> fit.c0_shift;
    if (c0 > INT32_MAX || c0 < INT32_MIN) return std::nullopt;
    fit.rows[i].c0 = static_cast<int32_t>(c0);
  }
  return fit;
}

/// The same index bits everywhere.
TableSearch FitUniform(const std::vector<TableBinade>& binades, const TableShape& shape) {
  TableSearch search;
  double nearest = HUGE_VAL;
  int nearest_bits = 0;
  for (int index_bits = kMinIndexBits; index_bits <= kMaxIndexBits; ++index_bits) {
    std::vector<Place> places;
    for (size_t b = 0; b < binades.size(); ++b) {
      for (const Place& place : PlacesOf(b, index_bits, kFraction - index_bits)) {
        places.push_back(place);
      }
    }
    double miss = HUGE_VAL;
    for (const int column : Columns(binades, places, &miss)) {
      if (auto fit = MakeFit(binades, places, column, shape)) {
        fit->index_bits.assign(binades.size(), index_bits);
        search.fits.push_back(std::move(*fit));
        if (search.fits.size() == kMaxFits) break;
      }
    }
    if (!search.fits.empty()) return search;
    if (miss < nearest) {
      nearest = miss;
      nearest_bits = index_bits;
    }
  }
  search.failure = fmt::format(
      "no truncated quadratic on 2^{}..2^{} segments gives the samples; nearest: 2^{} segments, "
      "{:.2f} "
      "units of the last place beyond",
      kMinIndexBits, kMaxIndexBits, nearest_bits, nearest);
  return search;
}

/// The fewest index bits of a binade for this x and square.
std::optional<int> IndexBits(const std::vector<TableBinade>& binades, size_t binade, int low_bits,
                             int column) {
  for (int bits = 0; bits + low_bits <= kFraction; ++bits) {
    if (Feasible(binades, PlacesOf(binade, bits, low_bits), column, nullptr)) return bits;
  }
  return std::nullopt;
}

/// Every binade has its own index bits.
TableSearch FitBinades(const std::vector<TableBinade>& binades, const TableShape& shape) {
  TableSearch search;
  const size_t middle = binades.size() / 2;
  for (int low_bits = kMaxLowBits; low_bits >= kMinLowBits && search.fits.empty(); --low_bits) {
    // One binade says which squares are possible at all.
    std::vector<int> columns;
    for (int bits = 0; bits + low_bits <= kFraction && columns.empty(); ++bits) {
      columns = Columns(binades, PlacesOf(middle, bits, low_bits), nullptr);
    }
    for (const int column : columns) {
      std::vector<int> index_bits;
      std::vector<Place> places;
      for (size_t b = 0; b < binades.size(); ++b) {
        const auto bits = IndexBits(binades, b, low_bits, column);
        if (!bits) break;
        index_bits.push_back(*bits);
        for (const Place& place : PlacesOf(b, *bits, low_bits)) places.push_back(place);
      }
      if (index_bits.size() != binades.size()) continue;
      if (auto fit = MakeFit(binades, places, column, shape)) {
        fit->index_bits = index_bits;
        search.fits.push_back(std::move(*fit));
        if (search.fits.size() == kMaxFits) break;
      }
    }
  }
  if (search.fits.empty()) {
    search.failure = fmt::format("no truncated quadratic with {} to {} bits of x gives the samples",
                                 kMinLowBits, kMaxLowBits);
  }
  return search;
}

}  // namespace

units::Interpolator TableFit::interpolator() const {
  units::Interpolator t;
  t.low_bits = low_bits;
  t.square_first_column = square_first_column;
  t.fraction_bits = fraction_bits;
  t.c0_shift = c0_shift;
  t.c2_shift = c2_shift;
  t.bias = bias;
  t.rows = rows;
  return t;
}

TableSearch FitTable(const std::vector<TableBinade>& binades, const TableShape& shape) {
  return shape.own_index_bits ? FitBinades(binades, shape) : FitUniform(binades, shape);
}

}  // namespace samebits::harness::profile
