// The input styles: one function each, from an element's place and random bits to its bit pattern.
// schema.md defines them in words; both must say the same.
#ifndef SAMEBITS_GOLDEN_STYLES_H_
#define SAMEBITS_GOLDEN_STYLES_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "model/kernel.h"

namespace samebits::golden {

/// A tensor and the place of one of its elements: index = (outer * rows + row) * columns + column.
struct Element {
  Recipe recipe;
  DType dtype = DType::kF32;
  uint64_t key = 0;  // of the tensor
  int64_t rows = 1, columns = 1;
  int64_t outer = 0, row = 0, column = 0;

  uint64_t index() const {
    return (static_cast<uint64_t>(outer) * rows + row) * static_cast<uint64_t>(columns) + column;
  }
};

struct Style {
  std::string_view name;
  uint32_t (*bits)(const Element& element);  // pattern of the element's type
};

/// In the order of the documentation.
std::span<const Style> Styles();

}  // namespace samebits::golden

#endif  // SAMEBITS_GOLDEN_STYLES_H_
