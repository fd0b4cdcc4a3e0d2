// The operations of a trace as nested lines: an operation above its operands, a chain of
// accumulations as one line above its steps in the order of execution.
#ifndef SAMEBITS_HARNESS_SLICE_OUTLINE_H_
#define SAMEBITS_HARNESS_SLICE_OUTLINE_H_

#include <set>
#include <string>
#include <vector>

#include "model/trace.h"

namespace samebits::harness {

struct OutlineLine {
  int node = 0;        // of the trace: whose bits the line shows
  std::string text;    // "fma", "chain of 32 fma"; empty for an element
  bool again = false;  // an operation that stands further up already
  std::vector<OutlineLine> inner;

  int64_t size() const;  // lines, this one included
};

OutlineLine MakeOutline(const Trace& trace);
/// The line, or one below it, is an element of the set.
bool LeadsTo(const Trace& trace, const OutlineLine& line, const std::set<ElementRef>& elements);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_SLICE_OUTLINE_H_
