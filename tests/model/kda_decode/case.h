// One case in memory for tests: inputs from a plan, a run of the model, and its results.
#ifndef SAMEBITS_TESTS_MODEL_KDA_DECODE_CASE_H_
#define SAMEBITS_TESTS_MODEL_KDA_DECODE_CASE_H_

#include <functional>
#include <string>
#include <vector>

#include "model/kda_decode/config.h"
#include "model/kda_decode/contract.h"
#include "model/kda_decode/math.h"
#include "model/kernel.h"

namespace samebits::kda_decode::testing {

/// Values drawn from a hash of (seed, tensor, index). Styles: "realistic", "wide" (any exponent
/// near one), "tiny" (subnormals and values that multiply to them), "specials" (now and then zero,
/// subnormal, infinite, NaN).
class HashSource final : public InputSource {
 public:
  explicit HashSource(uint64_t seed, std::string style = "realistic")
      : seed_(seed), style_(std::move(style)) {}
  std::string_view style() const override { return style_; }
  uint64_t Draw(std::string_view tensor, uint64_t index) const override;
  void Fill(const Recipe& recipe, Tensor* tensor) const override;

 private:
  float Value(const Recipe& recipe, uint64_t draw) const;

  uint64_t seed_;
  std::string style_;
};

/// Changes the generated inputs of a case.
using Edit = std::function<void(const Config&, TensorSet*)>;

struct Case {
  Config config;
  TensorSet inputs;
};
Case MakeCase(const Settings& settings, const InputSource& source, const Edit& edit = {});

struct Results {
  TensorSet tensors;         // taps and outputs
  bool strays_kept = false;  // bytes that belong to no operand kept their bits
};
Results Run(const Case& c, const Choices& choices = {}, Path path = Path::kFast, int threads = 1,
            bool taps = true);

/// Name of the first tensor that differs and where, "" if all are equal.
std::string FirstDifference(const TensorSet& a, const TensorSet& b);
/// Name of the first differing tensor alone.
std::string FirstDifferentTensor(const TensorSet& a, const TensorSet& b);

}  // namespace samebits::kda_decode::testing

#endif  // SAMEBITS_TESTS_MODEL_KDA_DECODE_CASE_H_
