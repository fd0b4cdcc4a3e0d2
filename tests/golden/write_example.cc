// Writes a golden file of the fake kernel for read_with_h5py.py: every style, values stored.
#include <cstdio>

#include "golden/generate.h"
#include "golden/inputs.h"
#include "tests/golden/fake_kernel.h"

int main(int argc, char** argv) {
  using namespace samebits::golden;
  if (argc != 2) return 2;
  const samebits::Kernel& kernel = testing::Fake();
  FileInfo info;
  info.kernel = "fake";
  info.taps = true;
  info.tool_version = "0";
  info.commit = "0";
  info.contract = kernel.NamedContract("");
  std::vector<CaseSpec> cases;
  for (const std::string_view style : StyleNames()) {
    cases.push_back(
        {&kernel, kernel.Complete({{"rows", "8"}, {"columns", "150"}}), std::string(style), 42});
  }
  GenerateOptions options;
  options.writer.force = true;
  Generate(argv[1], info, cases, options);
}
