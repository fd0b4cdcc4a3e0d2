#include "model/contract.h"

#include <array>

namespace samebits {

std::string_view Name(ChoiceKind kind) {
  constexpr std::array<std::string_view, 7> names = {"order", "contraction",    "rounding", "form",
                                                     "unit",  "special_values", "layout"};
  return names[static_cast<size_t>(kind)];
}

}  // namespace samebits
