// Dot products that tell matrix units apart: the probes of model/units/matrix_units.md, section 7,
// and random ones.
#ifndef SAMEBITS_HARNESS_PROFILE_MATRIX_CASES_H_
#define SAMEBITS_HARNESS_PROFILE_MATRIX_CASES_H_

#include <cstdint>
#include <string>
#include <vector>

namespace samebits::harness::profile {

struct MatrixCases {
  int k = 0;                      // of each dot product
  std::vector<std::string> tags;  // what a case settles, e.g. "Fprod_25"
  std::vector<uint16_t> a, b;     // [cases][k], bf16
  std::vector<uint32_t> c;        // [cases], float32
  size_t size() const { return tags.size(); }
};

/// The cases of instructions of that k: a power of two from 2 on. Always the same.
MatrixCases MakeMatrixCases(int k);

}  // namespace samebits::harness::profile

#endif  // SAMEBITS_HARNESS_PROFILE_MATRIX_CASES_H_
