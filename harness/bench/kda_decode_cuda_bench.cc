#include "harness/bench/kda_decode_cuda_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "gpu/cuda/backend.h"
#include "gpu/cuda/bandwidth.h"
#include "gpu/cuda/issue_rate.h"
#include "gpu/kda_decode/timing.h"
#include "gpu/kda_decode/traffic.h"
#include "harness/bench/operand_sets.h"
#include "model/kda_decode/axes.h"
#include "model/kda_decode/kernel.h"

namespace samebits::harness {
namespace {

constexpr int kHeads = 12;
constexpr int64_t kRotatedBytes = int64_t{512} << 20;  // several times the L2 cache
constexpr int kLeastSets = 2, kMostSets = 128;
constexpr int64_t kBandwidthBytes = int64_t{2} << 30;

struct Shape {
  int tokens, requests;
  bool record = false;
  double copy_wish = 0;  // state bytes per second over the copy rate; 0: no wish
};

constexpr Shape kShapes[] = {
    {1, 1},        {1, 8},
    {1, 32},       {1, 64, false, 0.85},
    {1, 128},      {1, 256, false, 0.91},
    {4, 8},        {4, 64, false, 0.85},
    {4, 256},      {8, 64, false, 0.82},
    {4, 64, true}, {8, 64, true},
};

std::string NameOf(const Shape& shape) {
  return fmt::format("T={} R={}{}", shape.tokens, shape.requests, shape.record ? " record" : "");
}

/// What the recurrence issues: decay, dot, update and out of 128 x 128 elements (SPEC.md section
/// 8).
double RecurrenceOperations(const kda_decode::Config& config) {
  return 4.0 * kda_decode::kHeadDim * kda_decode::kHeadDim *
         static_cast<double>(config.items() * config.tokens);
}

/// State bytes that must cross: the page once, and a page per token where states are written.
double StateBytes(const kda_decode::Config& config) {
  const double page = 4.0 * kda_decode::kHeadDim * kda_decode::kHeadDim;
  return page * static_cast<double>(config.items()) * (config.record ? 1 : 1 + config.tokens);
}

void BenchShape(gpu::Device* device, const Shape& shape, const gpu::Bandwidth& bandwidth,
                double issue_rate, int repetitions, BenchResult* result) {
  const Settings settings =
      kda_decode::GetKernel().Complete({{"tokens", std::to_string(shape.tokens)},
                                        {"requests", std::to_string(shape.requests)},
                                        {"heads", std::to_string(kHeads)},
                                        {"record", shape.record ? "1" : "0"}});
  const kda_decode::Config config = kda_decode::ReadConfig(settings);
  const OperandSets sets(device, kda_decode::GetKernel(), settings, kRotatedBytes, kLeastSets,
                         kMostSets);
  const int launches = static_cast<int>(std::max<int64_t>(16, std::ssize(sets.addresses())));
  const double seconds =
      1e-6 *
      gpu::kda_ws::TimeLaunches(config, {}, sets.addresses(), launches, repetitions + 10).median;
  const std::string name = NameOf(shape);
  const double all_bytes = static_cast<double>(gpu::kda_ws::BytesPerLaunch(config));
  result->measurements.push_back({name, seconds * 1e6, "us"});
  result->measurements.push_back({name + ", all bytes", all_bytes / seconds * 1e-9, "GB/s"});
  const double rate = StateBytes(config) / seconds;
  if (shape.record) {
    result->ratios.push_back({name + ", state bytes", "read rate", rate / bandwidth.read});
  } else {
    result->ratios.push_back({name + ", state bytes", "copy rate", rate / bandwidth.copy,
                              shape.copy_wish > 0 ? Ratio::Wish::kAtLeast : Ratio::Wish::kNone,
                              shape.copy_wish});
  }
  result->ratios.push_back({name + ", recurrence", "FP32 issue rate",
                            RecurrenceOperations(config) / seconds / issue_rate});
}

}  // namespace

BenchResult BenchKdaDecodeCuda(int repetitions) {
  BenchResult result;
  const gpu::Backend* backend = gpu::CudaBackend();
  if (!backend->unavailable().empty()) return result;
  const std::unique_ptr<gpu::Device> device = backend->Open();
  const gpu::Bandwidth bandwidth = gpu::MeasureBandwidth(kBandwidthBytes, repetitions);
  const double issue_rate = gpu::Fp32IssueRate();
  result.measurements.push_back({"copy rate", bandwidth.copy * 1e-9, "GB/s"});
  result.measurements.push_back({"read rate", bandwidth.read * 1e-9, "GB/s"});
  result.measurements.push_back({"FP32 issue rate", issue_rate * 1e-9, "Gop/s"});
  for (const Shape& shape : kShapes) {
    BenchShape(device.get(), shape, bandwidth, issue_rate, repetitions, &result);
  }
  return result;
}

}  // namespace samebits::harness
