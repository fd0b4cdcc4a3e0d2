#include "model/kda_decode/profile_entries.h"

#include <string>

#include "model/kda_decode/contract.h"
#include "model/profiles/profile_entries.h"

namespace samebits::kda_decode {
namespace {

/// sqrt, then its reciprocal or a division.
bool UsesSqrt(NormReciprocal form) {
  return form == NormReciprocal::kRcpSqrt || form == NormReciprocal::kDivSqrt;
}

/// Functions of the special-function unit that the contract's forms call.
std::vector<std::string> Functions(const Choices& c) {
  const bool sqrt = UsesSqrt(c.qk_norm_reciprocal) || UsesSqrt(c.out_norm_reciprocal);
  const bool divides = c.silu_division != Division::kRn || c.sigmoid_division != Division::kRn;
  std::vector<std::string> names;
  if (c.exp != ExpForm::kExact) names.emplace_back("ex2");
  if (divides || sqrt) names.emplace_back("rcp");
  if (sqrt) names.emplace_back("sqrt");
  if (c.qk_norm_reciprocal == NormReciprocal::kRsqrt ||
      c.out_norm_reciprocal == NormReciprocal::kRsqrt) {
    names.emplace_back("rsq");
  }
  if (c.gate_form == GateForm::kSoftplus) names.emplace_back("lg2");
  return names;
}

}  // namespace

std::vector<ProfileEntry> ProfileEntries(const Contract& contract) {
  const Choices choices = ReadChoices(contract);
  std::vector<ProfileEntry> entries;
  if (choices.special_functions == SpecialFunctions::kClosedForm) {
    for (const std::string& name : Functions(choices)) entries.push_back({contract.profile, name});
  }
  profiles::AddMatrixEntry(contract.choices.at("matrix_unit"), &entries);
  return entries;
}

}  // namespace samebits::kda_decode
