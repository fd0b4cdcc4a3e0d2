// From an operation's value to a template argument.
#ifndef SAMEBITS_GPU_PROBE_DISPATCH_H_
#define SAMEBITS_GPU_PROBE_DISPATCH_H_

#include <stdexcept>
#include <utility>

#include "gpu/probe/operations.h"

namespace samebits::gpu::probe {

inline constexpr int kUnaryCount = static_cast<int>(Unary::kEx2FtzBf16) + 1;
inline constexpr int kScalarCount = static_cast<int>(Scalar::kFmaFtz) + 1;

/// Whether PTX has the operation.
constexpr bool InPtx(Unary operation) {
  return operation != Of(units::Instruction::kMufuSin) &&
         operation != Of(units::Instruction::kMufuCos);
}

template <typename Enum, Enum kValue>
struct Constant {
  static constexpr Enum value = kValue;
};

/// body(Constant<Enum, value>()) for the value, one of the first kCount.
template <typename Enum, int kCount, typename Body>
void Dispatch(Enum value, const Body& body) {
  bool found = false;
  [&]<int... kIndex>(std::integer_sequence<int, kIndex...>) {
    ((static_cast<int>(value) == kIndex
          ? (body(Constant<Enum, static_cast<Enum>(kIndex)>()), found = true)
          : false),
     ...);
  }
  (std::make_integer_sequence<int, kCount>());
  if (!found) throw std::logic_error("probe: unknown operation");
}
template <typename Body>
void DispatchUnary(Unary operation, const Body& body) {
  Dispatch<Unary, kUnaryCount>(operation, body);
}
template <typename Body>
void DispatchScalar(Scalar operation, const Body& body) {
  Dispatch<Scalar, kScalarCount>(operation, body);
}

}  // namespace samebits::gpu::probe

#endif  // SAMEBITS_GPU_PROBE_DISPATCH_H_
