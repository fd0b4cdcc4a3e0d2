// One segment of a piecewise quadratic: which coefficients give every sample?
#ifndef SAMEBITS_HARNESS_PROFILE_FIT_SEGMENT_H_
#define SAMEBITS_HARNESS_PROFILE_FIT_SEGMENT_H_

#include <cstdint>
#include <optional>
#include <vector>

namespace samebits::harness::profile {

/// Samples low <= K + C1 * u + C2 * t < high of one segment: u = x / 2^low_bits and
/// t = T(x) / max T, so that C1 and C2 are in the units of the values.
class Segment {
 public:
  void Add(double u, double t, double low, double high) {
    u_.push_back(u);
    t_.push_back(t);
    low_.push_back(low);
    high_.push_back(high);
  }
  size_t size() const { return u_.size(); }
  /// Smallest and largest high - low.
  double finest() const;
  double coarsest() const;

  /// max(low - p) - min(high - p), p = C1 * u + C2 * t: some K gives every sample if it is
  /// negative. Convex in (C1, C2).
  double Width(double c1, double c2) const;

  struct Point {
    double c1 = 0, c2 = 0, width = 0;
  };
  /// Where the width is smallest; the search ends early at a negative width if `any`.
  Point Best(bool any) const;
  /// The same with C1 fixed, from a C2 near the best.
  Point BestC2(double c1, double near_c2, bool any) const;

 private:
  Point LeastSquares() const;
  double Radius() const;

  std::vector<double> u_, t_, low_, high_;
};

}  // namespace samebits::harness::profile

#endif  // SAMEBITS_HARNESS_PROFILE_FIT_SEGMENT_H_
