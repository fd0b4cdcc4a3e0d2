// Values of axes as text, as the command line and golden files have them.
#ifndef SAMEBITS_MODEL_AXIS_TEXT_H_
#define SAMEBITS_MODEL_AXIS_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/contract.h"

namespace samebits {

Axis IntegerAxis(std::string name, std::string doc, int64_t min, int64_t max, std::string value);
Axis WordAxis(std::string name, std::string doc, std::vector<std::string> words, std::string value);
Axis RealAxis(std::string name, std::string doc, std::string value);

/// An integer of the axis' range. This and the next three throw ConfigError that names the axis.
int64_t ReadInteger(const Axis& axis, const std::string& text);
/// "+N": N, up to the axis' maximum; nothing for a text without a sign.
std::optional<int> ReadOffset(const Axis& axis, const std::string& text);
/// Position in axis.words.
size_t ReadWord(const Axis& axis, const std::string& text);
float ReadReal(const Axis& axis, const std::string& text);

/// The shortest text that reads back to the same float32.
std::string WriteReal(float value);

}  // namespace samebits

#endif  // SAMEBITS_MODEL_AXIS_TEXT_H_
