// What was measured on one chip, all that fitting and checking need.
#ifndef SAMEBITS_HARNESS_PROFILE_CAPTURE_H_
#define SAMEBITS_HARNESS_PROFILE_CAPTURE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gpu/probe/prober.h"
#include "harness/profile/matrix_cases.h"

namespace samebits::harness::profile {

/// Inputs in a row of binades: all `fields` exponent fields from first_field on, with every
/// stride-th of the capture's fractions.
struct Binades {
  int first_field = 0, fields = 0, stride = 1;
  bool operator==(const Binades&) const = default;
};

/// One operation of a float32.
struct UnaryCapture {
  std::string name;
  gpu::probe::Unary operation = {};
  std::vector<uint64_t> fingerprints;  // of Capture::blocks
  std::vector<uint32_t> edges;         // results of Capture::edges
  Binades binades;                     // fields == 0: none
  std::vector<uint32_t> results;       // [fields][fractions / stride]
};

/// One operation of a 16-bit operand: results of all 65536.
struct HalfCapture {
  std::string name;
  gpu::probe::Unary operation = {};
  std::vector<uint16_t> results;
};

struct ScalarCapture {
  std::string name;
  gpu::probe::Scalar operation = {};
  std::vector<uint32_t> results;  // of Capture::operands
};

struct MatrixCapture {
  std::string name;
  int m = 0, n = 0, k = 0;
  std::vector<uint32_t> results;  // of the cases of this k
  int placements = 0;             // in the tile of the instruction where every case was computed
  int placements_differ = 0;      // cases whose result depends on the place
};

struct Capture {
  gpu::DeviceInfo device;
  std::string backend;
  std::string tool_version, commit, date;  // date: "2026-11-29", UTC
  int64_t clock_mhz = 0;
  gpu::probe::Vendor vendor = gpu::probe::Vendor::kNvidia;

  std::vector<uint16_t> blocks;     // ascending: upper halves of the inputs of the fingerprints
  std::vector<uint32_t> fractions;  // 23 bits, ascending
  std::vector<uint32_t> edges;      // inputs: every exponent, special values, random patterns
  std::vector<float> operands[3];   // of the scalar operations

  std::vector<UnaryCapture> unary;
  std::vector<HalfCapture> half;
  std::vector<ScalarCapture> scalar;
  std::vector<MatrixCases> cases;  // one per k
  std::vector<MatrixCapture> matrix;

  bool complete() const { return blocks.size() == gpu::probe::kAllBlocks; }
  const UnaryCapture* Find(gpu::probe::Unary operation) const;
  const MatrixCases* CasesOf(int k) const;
};

/// The bit patterns of the inputs of `binades`, in the order of the results.
std::vector<uint32_t> Inputs(const Capture& capture, const Binades& binades);

struct CaptureOptions {
  int blocks = gpu::probe::kAllBlocks;  // fewer: spread over all inputs
  /// Operations of one operand, and no scalar ones; empty: all.
  std::vector<gpu::probe::Unary> only;
  std::function<void(int64_t done, int64_t total)> progress;
};

/// Throws EnvironmentError.
Capture TakeCapture(gpu::probe::Prober& prober, const std::string& backend,
                    const CaptureOptions& options);

}  // namespace samebits::harness::profile

#endif  // SAMEBITS_HARNESS_PROFILE_CAPTURE_H_
