// Elements of tensors in memory, and their traces held against them.
#ifndef SAMEBITS_TESTS_MODEL_TRACE_SOURCE_H_
#define SAMEBITS_TESTS_MODEL_TRACE_SOURCE_H_

#include <boost/test/unit_test.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "model/trace.h"

namespace samebits::testing {

inline uint32_t BitsAt(const Tensor& tensor, int64_t index) {
  return SizeOf(tensor.spec.dtype) == 2 ? tensor.view<uint16_t>()[index]
                                        : tensor.view<uint32_t>()[index];
}

/// The first set that has the tensor.
class SetSource final : public ElementSource {
 public:
  explicit SetSource(std::vector<const TensorSet*> sets) : sets_(std::move(sets)) {}
  uint32_t Bits(const ElementRef& element) const override {
    for (const TensorSet* set : sets_) {
      if (const Tensor* tensor = set->Find(element.role, element.tensor)) {
        return BitsAt(*tensor, element.index);
      }
    }
    throw std::out_of_range("no tensor " + element.tensor);
  }

 private:
  std::vector<const TensorSet*> sets_;
};

/// Compares `count` random elements of every result with their traces, of trace(element, source);
/// says which is wrong.
template <typename MakeTrace>
void CheckTraces(const TensorSet& inputs, const TensorSet& results, int count, uint64_t seed,
                 const std::string& what, const MakeTrace& make_trace) {
  const SetSource source({&inputs, &results});
  std::mt19937_64 random(seed);
  for (const Tensor& tensor : results.tensors) {
    for (int i = 0; i < count; ++i) {
      const auto index = static_cast<int64_t>(random() % tensor.spec.elements());
      const Trace trace = make_trace(ElementRef{tensor.spec.role, tensor.spec.name, index}, source);
      const TraceNode& root = trace.nodes.at(trace.root);
      BOOST_TEST(root.bits == BitsAt(tensor, index),
                 what << ": " << tensor.spec.name << "[" << index << "]");
      BOOST_TEST((root.dtype == tensor.spec.dtype), tensor.spec.name);
    }
  }
}

}  // namespace samebits::testing

#endif  // SAMEBITS_TESTS_MODEL_TRACE_SOURCE_H_
