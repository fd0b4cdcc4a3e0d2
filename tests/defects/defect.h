// Faults that people reported in public, made again: a case, what was observed of it, and the words
// by which the cause must be named. README.md lists the reports.
#ifndef SAMEBITS_TESTS_DEFECTS_DEFECT_H_
#define SAMEBITS_TESTS_DEFECTS_DEFECT_H_

#include <functional>
#include <span>
#include <string>

#include "model/kernel.h"

namespace samebits::defects {

/// A case with right results, and the same as it was observed.
struct Capture {
  const Kernel* kernel = nullptr;
  Settings config;  // complete
  std::string style = "realistic";
  TensorSet inputs;
  TensorSet expected;  // taps and outputs
  TensorSet observed;  // any subset of them
};

struct Defect {
  std::string report;  // "vllm-project/vllm#40956"
  std::string what;    // the fault, in a few words
  std::function<Capture()> make;
  std::string sentence;  // a part of what `explain` says
};

/// Every report whose fault leaves its mark in the bits of one launch.
std::span<const Defect> Defects();

}  // namespace samebits::defects

#endif  // SAMEBITS_TESTS_DEFECTS_DEFECT_H_
