// The float32 constants of the specification (SPEC.md 0.2), each its double value rounded once.
#ifndef SAMEBITS_MODEL_KDA_PRE_CONSTANTS_H_
#define SAMEBITS_MODEL_KDA_PRE_CONSTANTS_H_

#include "model/arith/float32.h"

namespace samebits::kda_pre {

inline constexpr float kLog2E = arith::FromBits(0x3FB8AA3Bu);           // L2E
inline constexpr float kNegativeLog2E = arith::FromBits(0xBFB8AA3Bu);   // NL2E
inline constexpr float kInverseHidden = arith::FromBits(0x39124925u);   // INV_H = 1/7168
inline constexpr float kInverseHeadDim = arith::FromBits(0x3C000000u);  // INV_D = 1/128
inline constexpr float kQueryScale = arith::FromBits(0x3DB504F3u);      // QSCALE = 128^-0.5
inline constexpr float kNormEps = arith::FromBits(0x358637BDu);         // L2EPS = 1e-6
inline constexpr float kMask = arith::FromBits(0xFF61B1E6u);            // MASK = -3.0e38

}  // namespace samebits::kda_pre

#endif  // SAMEBITS_MODEL_KDA_PRE_CONSTANTS_H_
