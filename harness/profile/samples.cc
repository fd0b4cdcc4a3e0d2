#include "harness/profile/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "model/arith/float32.h"

namespace samebits::harness::profile {
namespace {

using units::Instruction;
using units::SpecialFunctionTables;

/// Positive finite results as integers of 2^-kSampleBits; nothing if too small or large.
std::optional<int64_t> Fixed(uint32_t bits) {
  const float value = arith::FromBits(bits);
  if (!(value >= 0.0f && value < 4.0f)) return std::nullopt;
  const double scaled = std::ldexp(static_cast<double>(value), kSampleBits);
  if (scaled != std::floor(scaled)) return std::nullopt;
  return static_cast<int64_t>(scaled);
}

/// V truncates to this result: [result, next result), both scaled by 2^exponent.
std::optional<TableSample> Truncated(uint32_t fraction, uint32_t result, int exponent) {
  const auto low = Fixed(result), high = Fixed(result + 1);
  if (!low || !high || *low == 0) return std::nullopt;
  const auto scale = [&](int64_t x) {
    return exponent >= 0 ? x * (int64_t{1} << exponent) : x >> -exponent;
  };
  return TableSample{fraction, scale(*low), scale(*high)};
}

/// One or two binades of the mantissa; mantissa 1 of the first has a rule of its own.
FunctionSamples OfMantissas(const Capture& capture, const UnaryCapture& unary, int exponent) {
  FunctionSamples samples;
  const std::vector<uint32_t> inputs = Inputs(capture, unary.binades);
  const size_t per_binade = inputs.size() / static_cast<size_t>(unary.binades.fields);
  samples.binades.resize(static_cast<size_t>(unary.binades.fields));
  for (size_t i = 0; i < inputs.size(); ++i) {
    const uint32_t fraction = inputs[i] & 0x7FFFFFu;
    if (fraction == 0 && i < per_binade) continue;
    const auto sample = Truncated(fraction, unary.results[i], exponent);
    if (!sample) {
      samples.failure = fmt::format("the result of 0x{:08X} is 0x{:08X}: no value of a table",
                                    inputs[i], unary.results[i]);
      return samples;
    }
    samples.binades[i / per_binade].push_back(*sample);
  }
  return samples;
}

/// log2(m): the sum of exponent and table has a fixed number of fraction bits, seen where it is
/// small; the table has two more.
FunctionSamples OfLogarithm(const Capture& capture, const UnaryCapture& unary) {
  FunctionSamples samples;
  const std::vector<uint32_t> inputs = Inputs(capture, unary.binades);
  int sum_bits = 0;
  for (const uint32_t result : unary.results) {
    const auto value = Fixed(result);
    if (!value) {
      samples.failure = fmt::format("log2 of a number in [1, 2) is 0x{:08X}", result);
      return samples;
    }
    if (*value != 0) {
      sum_bits = std::max(sum_bits, kSampleBits - std::countr_zero(static_cast<uint64_t>(*value)));
    }
  }
  const int64_t step = int64_t{1} << (kSampleBits - sum_bits);
  samples.binades.resize(1);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const uint32_t fraction = inputs[i] & 0x7FFFFFu;
    if (fraction == 0) continue;
    const int64_t low = *Fixed(unary.results[i]);
    const int64_t next = Fixed(unary.results[i] + 1).value_or(low);
    samples.binades[0].push_back({fraction, low, std::max(next, low + step)});
  }
  samples.shape.fraction_bits = sum_bits + 2;
  return samples;
}

/// tanh: below its binades the result is the argument, above it is 1.
FunctionSamples OfTanh(const Capture& capture, const UnaryCapture& unary) {
  FunctionSamples samples;
  samples.shape.own_index_bits = true;
  const std::vector<uint32_t> inputs = Inputs(capture, unary.binades);
  const size_t per_binade = inputs.size() / static_cast<size_t>(unary.binades.fields);
  for (int f = 0; f < unary.binades.fields; ++f) {
    const int exponent = unary.binades.first_field + f - 127;
    const auto first = static_cast<ptrdiff_t>(per_binade) * f;
    const auto begin = unary.results.begin() + first,
               end = begin + static_cast<ptrdiff_t>(per_binade);
    const bool identity = std::equal(begin, end, inputs.begin() + first);
    const bool one = std::all_of(begin, end, [](uint32_t y) { return y == 0x3F800000u; });
    if (exponent < SpecialFunctionTables::kTanhMinExponent   ? !identity
        : exponent > SpecialFunctionTables::kTanhMaxExponent ? !one
                                                             : identity || one) {
      samples.failure = fmt::format("the table is not for 2^{} to 2^{}: exponent {} is {}",
                                    SpecialFunctionTables::kTanhMinExponent,
                                    SpecialFunctionTables::kTanhMaxExponent + 1, exponent,
                                    identity ? "the argument"
                                    : one    ? "1"
                                             : "neither the argument nor 1");
      return samples;
    }
    if (identity || one) continue;
    TableBinade binade;
    for (ptrdiff_t i = first; i < first + static_cast<ptrdiff_t>(per_binade); ++i) {
      const auto at = static_cast<size_t>(i);
      const auto sample = Truncated(inputs[at] & 0x7FFFFFu, unary.results[at], 0);
      if (sample) binade.push_back(*sample);
    }
    samples.binades.push_back(std::move(binade));
  }
  return samples;
}

/// sin: the place in the first quarter of a turn comes from the argument by the reduction of
/// special_functions_more.md.
FunctionSamples OfSine(const Capture& capture, const UnaryCapture& unary) {
  FunctionSamples samples;
  const bool radians = unary.operation != gpu::probe::Of(Instruction::kMufuSin);
  const std::vector<uint32_t> inputs = Inputs(capture, unary.binades);
  samples.binades.resize(1);
  for (size_t i = 0; i < inputs.size(); ++i) {
    double turns = arith::FromBits(inputs[i]);
    if (radians) {
      turns *= 0x1.45f306p-3;  // exact; then FMUL.RZ
      const int exponent = std::ilogb(turns);
      turns = std::ldexp(std::trunc(std::ldexp(turns, 23 - exponent)), exponent - 23);
    }
    const auto fixed = static_cast<int64_t>(std::ldexp(turns, 25));
    if (fixed == 0 || fixed >= 1 << 23) continue;
    const auto sample = Truncated(static_cast<uint32_t>(fixed), unary.results[i], 0);
    if (sample) samples.binades[0].push_back(*sample);
  }
  // One float follows another, their places need not.
  std::stable_sort(
      samples.binades[0].begin(), samples.binades[0].end(),
      [](const TableSample& a, const TableSample& b) { return a.fraction < b.fraction; });
  return samples;
}

}  // namespace

FunctionSamples SamplesOf(const Capture& capture, const UnaryCapture& unary) {
  switch (static_cast<Instruction>(unary.operation)) {
    case Instruction::kEx2ApproxFtzF32:
      return OfMantissas(capture, unary, -1);  // x in [1, 2): 2 * 2^fraction
    case Instruction::kLg2ApproxFtzF32:
      return OfLogarithm(capture, unary);
    case Instruction::kTanhApproxF32:
      return OfTanh(capture, unary);
    case Instruction::kSinApproxFtzF32:
    case Instruction::kMufuSin:
      return OfSine(capture, unary);
    default:
      return OfMantissas(capture, unary, 0);
  }
}

}  // namespace samebits::harness::profile
