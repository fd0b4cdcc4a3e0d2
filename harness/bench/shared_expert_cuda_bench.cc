#include "harness/bench/shared_expert_cuda_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "gpu/cuda/backend.h"
#include "gpu/cuda/bandwidth.h"
#include "gpu/shared_expert/timing.h"
#include "harness/bench/operand_sets.h"
#include "model/shared_expert/axes.h"
#include "model/shared_expert/derived.h"
#include "model/shared_expert/kernel.h"

namespace samebits::harness {
namespace {

using shared_expert::Config;

constexpr int64_t kRotatedBytes = int64_t{800} << 20;  // many times the L2 cache
constexpr int64_t kBandwidthBytes = int64_t{2} << 30;
constexpr int kLeastSets = 16;
constexpr int kMostSets = 48;

struct Shape {
  const char* variant;
  int tp, batch;
  int sms = 28;  // of SharedDown
};

constexpr Shape kShapes[] = {
    {"fused", 8, 9},        {"fused", 8, 16},       {"fused", 8, 32},      {"fused", 8, 64},
    {"fused", 8, 128},      {"fused", 16, 9},       {"fused", 16, 16},     {"fused", 16, 32},
    {"fused", 16, 64},      {"fused", 16, 128},     {"split", 8, 16, 112}, {"split", 8, 64, 112},
    {"split", 16, 16, 112}, {"split", 16, 64, 112}, {"split", 8, 16, 28},  {"front", 8, 16, 112},
    {"front", 16, 16, 112},
};

/// Wished of the faster of FUSED and SPLIT, as production may choose: at most `times` W.
struct Wish {
  int tp, batch;
  double times;
};

constexpr Wish kWishes[] = {{8, 16, 1.45}, {8, 64, 1.45}, {16, 16, 1.9}, {16, 64, 1.9}};

double WeightBytes(const Config& c) {
  const shared_expert::Derived d = shared_expert::Derive(c);
  const double rows = 3.0 * d.hidden + (c.has_front() ? c.front.rows : 0);
  return 2.0 * rows * c.geometry.width;
}

/// The faster time, with overlapping launches and without, in W: what the weights take to read.
double BenchShape(gpu::Device* device, const Shape& shape, double read_rate, int repetitions,
                  BenchResult* result) {
  const Kernel& kernel = shared_expert::GetKernel();
  Settings wanted = {{"variant", shape.variant},
                     {"tp", std::to_string(shape.tp)},
                     {"batch", std::to_string(shape.batch)},
                     {"rank", "0"}};
  const bool split = std::string_view(shape.variant) != "fused";
  if (split) wanted["sms"] = std::to_string(shape.sms);
  const Settings settings = kernel.Complete(wanted);
  const Config config = shared_expert::ReadConfig(settings);
  const OperandSets sets(device, kernel, settings, kRotatedBytes, kLeastSets, kMostSets);
  const int cases = static_cast<int>(std::max<int64_t>(48, std::ssize(sets.addresses())));
  const double w = WeightBytes(config) / read_rate;
  double fastest = std::numeric_limits<double>::infinity();
  for (const bool overlap : {false, true}) {
    const double seconds = 1e-6 * gpu::shared_expert::TimeCases(config, {}, sets.addresses(), cases,
                                                                repetitions + 10, overlap)
                                      .median;
    const std::string name =
        fmt::format("{} TP={} B={}{}{}", shape.variant, shape.tp, shape.batch,
                    split ? fmt::format(" sms={}", shape.sms) : "", overlap ? " overlap" : "");
    result->measurements.push_back({name, seconds * 1e6, "us"});
    result->ratios.push_back({name, "weights at the read rate", seconds / w});
    fastest = std::min(fastest, seconds / w);
  }
  return fastest;
}

}  // namespace

BenchResult BenchSharedExpertCuda(int repetitions) {
  BenchResult result;
  const gpu::Backend* backend = gpu::CudaBackend();
  if (!backend->unavailable().empty()) return result;
  const std::unique_ptr<gpu::Device> device = backend->Open();
  const double read_rate = gpu::MeasureBandwidth(kBandwidthBytes, repetitions).read;
  result.measurements.push_back({"read rate", read_rate * 1e-9, "GB/s"});
  std::map<std::pair<int, int>, double> fastest;  // of TP and batch
  for (const Shape& shape : kShapes) {
    const double times = BenchShape(device.get(), shape, read_rate, repetitions, &result);
    if (std::string_view(shape.variant) == "front") continue;  // more than the layer
    double& best = fastest.try_emplace({shape.tp, shape.batch}, times).first->second;
    best = std::min(best, times);
  }
  for (const Wish& wish : kWishes) {
    result.ratios.push_back(
        {fmt::format("TP={} B={}, faster of fused and split", wish.tp, wish.batch),
         "weights at the read rate", fastest.at({wish.tp, wish.batch}), Ratio::Wish::kAtMost,
         wish.times});
  }
  return result;
}

}  // namespace samebits::harness
