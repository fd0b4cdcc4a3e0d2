// The page itself: markup, style and script of harness/report/page/, with the data in it.
#ifndef SAMEBITS_HARNESS_REPORT_PAGE_H_
#define SAMEBITS_HARNESS_REPORT_PAGE_H_

#include "harness/report/page_data.h"

namespace samebits::harness {

/// One HTML document that loads nothing.
std::string MakePage(const Json& data);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_REPORT_PAGE_H_
