// How the captures of the defects are made.
#ifndef SAMEBITS_TESTS_DEFECTS_MAKE_H_
#define SAMEBITS_TESTS_DEFECTS_MAKE_H_

#include <functional>
#include <string>
#include <string_view>

#include "tests/defects/defect.h"

namespace samebits::defects {

struct Case {
  std::string kernel;
  Settings config;  // need not be complete
  std::string style = "realistic";
};

/// Observed as it should be: for faults that are put in afterwards.
Capture Right(const Case& c);
/// A kernel that makes another choice.
Capture OtherChoice(const Case& c, const std::string& choice, const std::string& value);
/// A kernel that was built for, or given, another configuration of the same tensors.
Capture OtherAxis(const Case& c, const std::string& axis, const std::string& value);
/// A kernel that got another input than it should have.
Capture OtherInput(const Case& c, std::string_view input,
                   const std::function<void(Tensor*)>& change);
/// A result that was changed on its way out.
Capture OtherResult(const Case& c, Role role, std::string_view tensor,
                    const std::function<void(const Capture&, Tensor*)>& change);

/// bits(element's bits) of every element, or of those whose coordinate along `dim` is `at`.
void Map(Tensor* tensor, const std::function<uint32_t(uint32_t)>& bits);
void MapAt(Tensor* tensor, std::string_view dim, int64_t at,
           const std::function<uint32_t(uint32_t)>& bits);
/// out[.., i, ..] = in[.., i + 1, ..] along a dimension, around its end.
void Rotate(Tensor* tensor, std::string_view dim);
/// The last two dimensions, of equal extent.
void Transpose(Tensor* tensor);

}  // namespace samebits::defects

#endif  // SAMEBITS_TESTS_DEFECTS_MAKE_H_
