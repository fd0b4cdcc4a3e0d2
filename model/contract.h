// Configurations and contracts as text: what golden files store and the command line reads. Each
// kernel turns them into its own structs.
#ifndef SAMEBITS_MODEL_CONTRACT_H_
#define SAMEBITS_MODEL_CONTRACT_H_

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "model/order/tree.h"

namespace samebits {

/// Name -> value, both as text; ordered by name, so that equal settings have equal text.
using Settings = std::map<std::string, std::string, std::less<>>;

/// A configuration, contract or operand that the rules of a kernel refuse. One line that names the
/// field and what was expected. The command line exits with status 2.
class ConfigError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One dimension of a kernel's configuration space.
struct Axis {
  enum class Kind : uint8_t { kInteger, kWord, kReal };
  std::string name;
  std::string doc;  // one line
  Kind kind = Kind::kInteger;
  std::vector<std::string> words;  // kWord: the legal values
  int64_t min = 0, max = 0;        // kInteger: the legal range
  std::string default_value;       // as text; kReal: shortest text that reads back to the float32
};

/// What another value of a choice does to the computation.
enum class ChoiceKind : uint8_t {
  kOrder,          // the same operations, joined in another order
  kContraction,    // a product joins its sum rounded or unrounded
  kRounding,       // a rounding point more or less, or another direction
  kForm,           // another formula of the same function
  kUnit,           // what a unit of the chip returns
  kSpecialValues,  // subnormals, the sign of zero, NaN
  kLayout,         // where a result goes
};
/// "order", "contraction", "rounding", "form", "unit", "special_values", "layout".
std::string_view Name(ChoiceKind kind);

/// One thing that can change a bit, with its named alternatives.
struct Choice {
  std::string name;
  std::string doc;  // one line, with the section of the kernel's specification
  std::vector<std::string> values;
  std::string first_tap;  // the first tap, in dataflow order, that another value can change
  ChoiceKind kind = ChoiceKind::kForm;
};

/// Name of a sum (model/sum.h) -> its tree.
using Orders = std::map<std::string, order::Tree, std::less<>>;

/// A contract: a value for every choice of a kernel.
struct Contract {
  std::string kernel;
  std::string name;     // "kda_ws.sm_90"; changed contracts get "+choice=value" appended
  std::string profile;  // the chip whose units are meant, e.g. "sm_90"
  Settings choices;
  Orders orders = {};  // sums in an order that no choice names; no file holds them
  bool operator==(const Contract&) const = default;
};

}  // namespace samebits

#endif  // SAMEBITS_MODEL_CONTRACT_H_
