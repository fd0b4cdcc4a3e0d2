// samebits profile capture | fit | check | show.
#include "harness/profile/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "gpu/probe/prober.h"
#include "harness/names.h"
#include "harness/profile/capture_file.h"
#include "harness/profile/report.h"
#include "harness/progress.h"
#include "harness/status.h"
#include "harness/verbs/verbs.h"

namespace samebits::harness {
namespace {

using profile::Capture;

constexpr int kSimtBlocks = 256;  // one thread after the other: a few seconds

std::unique_ptr<gpu::probe::Prober> OpenProber(const ProfileOptions& options) {
  if (options.backend == "cuda") return gpu::probe::OpenCudaProber();
  if (options.backend == "hip") return gpu::probe::OpenHipProber();
  if (options.backend != "model" && options.backend != "simt") {
    throw UsageError("profile capture: --backend: expected cuda, hip, simt or model");
  }
  gpu::probe::Chip chip =
      profile::LoadProfile(options.profile.empty() ? "sm_90" : options.profile).chip();
  if (options.backend == "model") {
    return gpu::probe::OpenModelProber(std::move(chip), ThreadCount(options.threads));
  }
  return gpu::probe::OpenSimtProber(std::move(chip), 0);
}

int CaptureChip(const ProfileOptions& options) {
  if (options.output.empty()) throw UsageError("profile capture: expected -o FILE");
  const auto prober = OpenProber(options);
  profile::CaptureOptions how;
  how.blocks = options.blocks > 0          ? options.blocks
               : options.backend == "simt" ? kSimtBlocks
                                           : static_cast<int>(gpu::probe::kAllBlocks);
  Capture capture;
  {
    std::optional<Progress> progress;
    how.progress = [&](int64_t done, int64_t total) {
      if (!progress) progress.emplace("capture", total);
      progress->Update(done);
    };
    capture = profile::TakeCapture(*prober, options.backend, how);
  }
  profile::WriteCapture(options.output, capture, options.force);
  profile::ReportCapture(options.output, capture, options.json);
  return kIdentical;
}

int FitChip(const ProfileOptions& options) {
  const Capture capture = profile::ReadCapture(options.file);
  profile::ChipFit fit;
  {
    std::optional<Progress> progress;
    profile::FitOptions how;
    how.threads = ThreadCount(options.threads);
    how.progress = [&](int64_t done, int64_t total) {
      if (!progress) progress.emplace("fit", total);
      progress->Update(done);
    };
    fit = profile::FitChip(capture, how);
  }
  profile::ReportFit(options.file, capture, fit, options.json);
  if (!options.output.empty()) {
    profile::SaveProfile(options.output,
                         profile::ProfileOf(fit, capture, options.name, options.file),
                         options.force);
  }
  return fit.exact() ? kIdentical : kDivergent;
}

int CheckChip(const ProfileOptions& options) {
  if (options.profile.empty()) throw UsageError("profile check: expected --profile NAME|FILE");
  const profile::Profile known = profile::LoadProfile(options.profile);
  const Capture capture = profile::ReadCapture(options.file);
  const profile::ChipCheck check = profile::CheckChip(capture, known, ThreadCount(options.threads));
  profile::ReportCheck(options.file, known, check, options.json);
  return check.same() ? kIdentical : kDivergent;
}

}  // namespace

int ProfileVerb(const ProfileOptions& options) {
  if (options.action == "capture") return CaptureChip(options);
  if (options.action == "show") {
    profile::ReportProfiles(options.file, options.json);
    return kIdentical;
  }
  if (options.file.empty()) {
    throw UsageError(fmt::format("profile {}: expected the file of a capture", options.action));
  }
  return options.action == "fit" ? FitChip(options) : CheckChip(options);
}

}  // namespace samebits::harness
