// Correctly rounded twins of the unit's functions, for inputs that are not special cases (those are
// the hardware's and handled by the callers). Round to nearest even, results below 2^-126 become
// zero. Own code in integers and double: the result does not depend on the machine's libm.
#ifndef SAMEBITS_MODEL_UNITS_SPECIAL_FUNCTIONS_CORRECTLY_ROUNDED_H_
#define SAMEBITS_MODEL_UNITS_SPECIAL_FUNCTIONS_CORRECTLY_ROUNDED_H_

namespace samebits::units::correctly_rounded {

float Ex2(float x);      // normal, |x| < 128
float Rcp(float x);      // normal
float Rsq(float x);      // positive normal
float Sqrt(float x);     // positive normal
float Lg2(float x);      // positive normal, not 1
float Tanh(float x);     // not NaN
float Sin(float turns);  // finite
float Cos(float turns);  // finite

}  // namespace samebits::units::correctly_rounded

#endif  // SAMEBITS_MODEL_UNITS_SPECIAL_FUNCTIONS_CORRECTLY_ROUNDED_H_
