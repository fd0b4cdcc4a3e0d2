#include "harness/profile/matrix_parameters.h"

#include <array>

namespace samebits::harness::profile {
namespace {

using units::BlockSum;
using units::MatrixUnit;

constexpr uint32_t Bit(BlockSum op) { return 1u << static_cast<int>(op); }
constexpr uint32_t kJoin = Bit(BlockSum::kJoin), kLate = Bit(BlockSum::kLate),
                   kPair = Bit(BlockSum::kPair), kExact = Bit(BlockSum::kExact),
                   kSequential = Bit(BlockSum::kSequential);

template <auto kField>
constexpr MatrixParameter Field(std::string_view name, int min, int max, bool power_of_two,
                                bool flag, uint32_t read_by) {
  return {name,
          [](const MatrixUnit& unit) { return static_cast<int64_t>(unit.*kField); },
          [](MatrixUnit* unit, int64_t value) {
            using Type = std::remove_reference_t<decltype(unit->*kField)>;
            unit->*kField = static_cast<Type>(value);
          },
          min,
          max,
          power_of_two,
          flag,
          read_by};
}

constexpr std::array kParameters = {
    Field<&MatrixUnit::products_per_block>("products_per_block", 1, 64, true, false,
                                           kJoin | kLate | kPair | kExact),
    Field<&MatrixUnit::fraction_bits>("fraction_bits", 18, 36, false, false, kJoin | kLate),
    Field<&MatrixUnit::rounding>("rounds_to_nearest_even", 0, 1, false, true, kJoin),
    Field<&MatrixUnit::exponent_floor>("exponent_floor", -180, -100, false, false, kJoin),
    Field<&MatrixUnit::dot_fraction_bits>("dot_fraction_bits", 23, 40, false, false, kLate),
    Field<&MatrixUnit::c_fraction_bits>("c_fraction_bits", 23, 36, false, false, kLate),
    Field<&MatrixUnit::normalised_fraction_bits>("normalised_fraction_bits", 24, 40, false, false,
                                                 kLate),
    Field<&MatrixUnit::zero_c_exponent>("zero_c_exponent", -150, -110, false, false, kLate),
    Field<&MatrixUnit::product_overflow>("product_overflow", 0, 1, false, true,
                                         kJoin | kLate | kExact),
    Field<&MatrixUnit::flush_inputs>("flush_inputs", 0, 1, false, true,
                                     kJoin | kLate | kPair | kExact | kSequential),
    Field<&MatrixUnit::flush_results>("flush_results", 0, 1, false, true, kPair),
    Field<&MatrixUnit::keep_underflow_sign>("keep_underflow_sign", 0, 1, false, true, kJoin),
};

}  // namespace

std::span<const MatrixParameter> MatrixParameters() { return kParameters; }

std::string_view Name(BlockSum op) {
  switch (op) {
    case BlockSum::kJoin:
      return "join";
    case BlockSum::kLate:
      return "late";
    case BlockSum::kPair:
      return "pair";
    case BlockSum::kExact:
      return "exact";
    case BlockSum::kSequential:
      break;
  }
  return "sequential";
}

}  // namespace samebits::harness::profile
