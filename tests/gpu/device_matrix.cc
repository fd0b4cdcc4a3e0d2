#include "tests/gpu/device_matrix.h"

#include <array>
#include <string_view>

#include "golden/inputs.h"

namespace samebits::gpu {
namespace {

/// Deals the values of a list in turn; lists of coprime lengths meet in every combination.
template <typename T, size_t N>
class Deal {
 public:
  explicit Deal(const std::array<T, N>& values) : values_(values) {}
  const T& Next() { return values_[next_++ % N]; }

 private:
  std::array<T, N> values_;
  size_t next_ = 0;
};

class Matrix {
 public:
  void Add(int tokens, const std::string& layout, const std::string& type, int gate_mode,
           bool record) {
    DeviceCase c;
    c.config = {{"tokens", std::to_string(tokens)},
                {"conv_layout", layout},
                {"conv_type", type},
                {"gate_mode", std::to_string(gate_mode)},
                {"record", record ? "1" : "0"},
                {"requests", requests_.Next()},
                {"heads", heads_.Next()},
                {"bias", bias_.Next()},
                {"window", window_.Next()},
                {"padding", padding_.Next()},
                {"rows", rows_.Next()},
                {"pages", pages_.Next()}};
    if (tokens > 1) c.config["accepted"] = accepted_.Next();
    if (tokens > 2 && !record) c.config["targets"] = targets_.Next();
    c.style = styles_[cases_.size() / 2 % styles_.size()];  // twice: without and with taps
    c.seed = cases_.size();
    c.ctas = ctas_.Next();
    for (const bool taps : {false, true}) {
      c.taps = taps;
      cases_.push_back(c);
    }
  }
  std::vector<DeviceCase> cases() && { return std::move(cases_); }

 private:
  std::vector<DeviceCase> cases_;
  std::vector<std::string> styles_{golden::StyleNames().begin(), golden::StyleNames().end()};
  Deal<std::string, 5> requests_{{"3", "1", "5", "4", "7"}};
  Deal<std::string, 3> heads_{{"2", "1", "6"}};
  Deal<std::string, 2> bias_{{"0", "1"}};
  Deal<std::string, 3> window_{{"+0", "+1", "+6"}};
  Deal<std::string, 7> padding_{{"none", "alternate", "first", "none", "last", "none", "all"}};
  Deal<std::string, 3> rows_{{"dense", "padded", "packed"}};
  Deal<std::string, 2> pages_{{"gapped", "dense"}};
  Deal<std::string, 3> accepted_{{"mixed", "full", "one"}};
  Deal<std::string, 5> targets_{{"distinct", "source", "repeated", "null", "distinct"}};
  Deal<int, 7> ctas_{{0, 1, 2, 3, 132, 5, 1}};
};

}  // namespace

std::vector<DeviceCase> DeviceCases() {
  Matrix matrix;
  for (int tokens = 1; tokens <= 8; ++tokens) {
    for (const std::string layout : {"sd", "ds"}) {
      for (const std::string type : {"bf16", "f32"}) {
        for (int gate_mode = 0; gate_mode < 2; ++gate_mode) {
          matrix.Add(tokens, layout, type, gate_mode, false);
          if (tokens > 1) matrix.Add(tokens, layout, type, gate_mode, true);
        }
      }
    }
  }
  return std::move(matrix).cases();
}

}  // namespace samebits::gpu
