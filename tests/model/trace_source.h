// Elements of tensors in memory, for traces.
#ifndef SAMEBITS_TESTS_MODEL_TRACE_SOURCE_H_
#define SAMEBITS_TESTS_MODEL_TRACE_SOURCE_H_

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

}  // namespace samebits::testing

#endif  // SAMEBITS_TESTS_MODEL_TRACE_SOURCE_H_
