// A slice as text, as JSON and as a page.
#ifndef SAMEBITS_HARNESS_SLICE_WRITE_H_
#define SAMEBITS_HARNESS_SLICE_WRITE_H_

#include <cstdio>
#include <string>

#include "harness/report/json_writer.h"
#include "harness/slice/slice.h"

namespace samebits::harness {

/// What the reader must know beside the operations.
struct SliceTitle {
  std::string kernel, contract, case_text;
  std::string expected, observed;  // files; observed may be empty
};

/// Operations below `depth` levels are counted, not shown, unless the bits part there; 0: all.
void Print(std::FILE* file, const Slice& slice, const SliceTitle& title, int depth);
/// Fields of the current object.
void Write(const Slice& slice, const SliceTitle& title, JsonWriter* json);
/// One HTML page that needs no network.
std::string MakeSlicePage(const Slice& slice, const SliceTitle& title);

/// "taps/dot request=0 token=0 head=0 value=1"
std::string ElementText(const Slice& slice, const ElementRef& element);
/// Where the observed bits come from, one sentence per element of the path, from the one that was
/// asked for on; one sentence if there is no observed file or no difference.
std::vector<std::string> Findings(const Slice& slice, const SliceTitle& title);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_SLICE_WRITE_H_
