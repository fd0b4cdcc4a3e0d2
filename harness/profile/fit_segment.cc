#include "harness/profile/fit_segment.h"

#include <algorithm>
#include <cmath>

namespace samebits::harness::profile {
namespace {

constexpr int kSteps = 48;
const double kGolden = (std::sqrt(5.0) - 1) / 2;

/// Golden-section search of a convex function; value(x) returns a Point with `width`.
template <typename Value>
Segment::Point Minimise(double low, double high, bool any, const Value& value) {
  double x1 = high - kGolden * (high - low), x2 = low + kGolden * (high - low);
  Segment::Point p1 = value(x1), p2 = value(x2);
  for (int step = 0; step < kSteps; ++step) {
    if (any && std::min(p1.width, p2.width) < 0) break;
    if (p1.width < p2.width) {
      high = x2;
      x2 = x1;
      p2 = p1;
      x1 = high - kGolden * (high - low);
      p1 = value(x1);
    } else {
      low = x1;
      x1 = x2;
      p1 = p2;
      x2 = low + kGolden * (high - low);
      p2 = value(x2);
    }
  }
  return p1.width < p2.width ? p1 : p2;
}

}  // namespace

double Segment::finest() const {
  double least = high_[0] - low_[0];
  for (size_t i = 1; i < size(); ++i) least = std::min(least, high_[i] - low_[i]);
  return least;
}

double Segment::coarsest() const {
  double most = 0;
  for (size_t i = 0; i < size(); ++i) most = std::max(most, high_[i] - low_[i]);
  return most;
}

double Segment::Radius() const { return 48 * coarsest() / std::sqrt(static_cast<double>(size())); }

double Segment::Width(double c1, double c2) const {
  double above = -HUGE_VAL, below = HUGE_VAL;
  for (size_t i = 0; i < size(); ++i) {
    const double p = c1 * u_[i] + c2 * t_[i];
    const double low = low_[i] - p, high = high_[i] - p;
    above = low > above ? low : above;
    below = high < below ? high : below;
  }
  return above - below;
}

/// Weighted by the inverse squares of the intervals; plain normal equations, about the first
/// sample.
Segment::Point Segment::LeastSquares() const {
  double m[3][4] = {};
  for (size_t i = 0; i < size(); ++i) {
    const double width = high_[i] - low_[i];
    const double row[4] = {1, u_[i], t_[i], (low_[i] + high_[i]) / 2 - low_[0]};
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 4; ++c) m[r][c] += row[r] * row[c] / (width * width);
    }
  }
  for (int p = 0; p < 3; ++p) {
    int pivot = p;
    for (int r = p + 1; r < 3; ++r) {
      if (std::fabs(m[r][p]) > std::fabs(m[pivot][p])) pivot = r;
    }
    std::swap(m[p], m[pivot]);
    for (int r = 0; r < 3; ++r) {
      if (r == p || m[p][p] == 0) continue;
      const double factor = m[r][p] / m[p][p];
      for (int c = p; c < 4; ++c) m[r][c] -= factor * m[p][c];
    }
  }
  const auto solution = [&](int i) { return m[i][i] == 0 ? 0 : m[i][3] / m[i][i]; };
  return {solution(1), solution(2), 0};
}

Segment::Point Segment::BestC2(double c1, double near_c2, bool any) const {
  const double radius = Radius();
  return Minimise(near_c2 - radius, near_c2 + radius, any, [&](double c2) {
    return Point{c1, c2, Width(c1, c2)};
  });
}

Segment::Point Segment::Best(bool any) const {
  const Point start = LeastSquares();
  const double radius = Radius();
  return Minimise(start.c1 - radius, start.c1 + radius, any,
                  [&](double c1) { return BestC2(c1, start.c2, any); });
}

}  // namespace samebits::harness::profile
