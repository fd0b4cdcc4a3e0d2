// From a list of cases to a file.
#ifndef SAMEBITS_GOLDEN_GENERATE_H_
#define SAMEBITS_GOLDEN_GENERATE_H_

#include <functional>
#include <string>
#include <vector>

#include "golden/writer.h"

namespace samebits::golden {

struct GenerateOptions {
  WriterOptions writer;
  int threads = 1;
  /// Called after every case with the number of finished cases, by one thread at a time.
  std::function<void(size_t done)> progress;
};

/// Computes the cases with the model under info.contract and writes `path`. Small cases run side by
/// side, large ones one after the other on all threads; the bytes of the file depend on neither.
/// Throws as Writer does, and ConfigError for a contract that the kernel refuses.
void Generate(const std::string& path, const FileInfo& info, const std::vector<CaseSpec>& cases,
              const GenerateOptions& options);

}  // namespace samebits::golden

#endif  // SAMEBITS_GOLDEN_GENERATE_H_
