// Where the elements of a cause differ: over pairs of named axes, and over lanes and registers.
#ifndef SAMEBITS_HARNESS_REPORT_HEAT_MAPS_H_
#define SAMEBITS_HARNESS_REPORT_HEAT_MAPS_H_

#include "golden/reader.h"
#include "harness/report/page_data.h"

namespace samebits::harness {

/// Fills `maps` and `lanes` of the page's causes from the values of both files, for the first cases
/// of each cause, as far as `budget` bytes go: the tensors that begin or show the difference.
/// Counts are uint16, saturated, little-endian, row-major, in base64. Lanes need the kernel's
/// Owner.
void AddHeatMaps(const Grouping& grouping, const Json& cases, const golden::Reader& expected,
                 const golden::Reader& actual, const Kernel& kernel, size_t budget, Json* page);

/// RFC 4648, with padding.
std::string Base64(std::span<const std::byte> bytes);

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_REPORT_HEAT_MAPS_H_
