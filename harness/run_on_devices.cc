#include "harness/run_on_devices.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "harness/device_copy.h"

namespace samebits::harness {
namespace {

using golden::MemoryImage;
using golden::Trespass;

void CopyBlock(const MemoryImage& from, size_t allocation, MemoryImage* to) {
  std::ranges::copy(from.block(allocation), to->block(allocation).begin());
}
void CopySlice(const MemoryImage& from, const gpu::RankSlice& slice, MemoryImage* to) {
  const auto a = static_cast<size_t>(slice.allocation);
  const int64_t at = MemoryImage::kGuardBytes + slice.offset;
  std::memcpy(to->block(a).data() + at, from.block(a).data() + at,
              static_cast<size_t>(slice.bytes));
}

class SpreadImages {
 public:
  SpreadImages(const MemoryPlan& plan, std::vector<gpu::RankSlice> slices, const TensorSet& inputs)
      : plan_(plan), slices_(std::move(slices)), sliced_(plan.allocations.size(), false) {
    for (const Tensor& input : inputs.tensors) merged_.Scatter(input);
    for (const gpu::RankSlice& slice : slices_)
      sliced_[static_cast<size_t>(slice.allocation)] = true;
  }

  /// What `device` has before the launch. Overwrites the image of the device before.
  const MemoryImage& Before(int device) {
    for (size_t a = 0; a < sliced_.size(); ++a) {
      CopyBlock(sliced_[a] ? poison_ : merged_, a, &local_);
    }
    for (const gpu::RankSlice& slice : slices_) {
      if (slice.device == device) CopySlice(merged_, slice, &local_);
    }
    return local_;
  }

  /// Takes what `device` has after the launch.
  void Collect(int device, const DeviceCopy& copy) {
    copy.Download(&local_);
    for (const gpu::RankSlice& slice : slices_) {
      if (slice.device != device) continue;
      CopySlice(local_, slice, &merged_);
      CopySlice(poison_, slice, &local_);
    }
    for (size_t a = 0; a < sliced_.size(); ++a) CompareRest(device, a);
  }

  /// After all devices.
  void Finish(const TensorSet& inputs, RunResult* result) const {
    result->tensors = merged_.GatherResults();
    result->trespasses = merged_.CheckUntouched(inputs);
    result->trespasses.insert(result->trespasses.end(), trespasses_.begin(), trespasses_.end());
  }

 private:
  /// The device's slices are out of the image already.
  void CompareRest(int device, size_t a) {
    const auto actual = local_.block(a);
    const auto expected = sliced_[a] ? std::as_const(poison_).block(a) : merged_.block(a);
    if (std::memcmp(actual.data(), expected.data(), actual.size()) == 0) return;
    const auto first = std::ranges::mismatch(actual, expected).in1 - actual.begin();
    int64_t changed = 0;
    for (size_t i = 0; i < actual.size(); ++i) changed += actual[i] != expected[i];
    trespasses_.push_back({"device " + std::to_string(device) + ": " + plan_.allocations[a].name +
                               (sliced_[a] ? " outside its slices" : ""),
                           first - MemoryImage::kGuardBytes, changed});
  }

  const MemoryPlan& plan_;
  const std::vector<gpu::RankSlice> slices_;
  std::vector<bool> sliced_;  // per allocation: has slices
  const MemoryImage poison_{plan_};
  MemoryImage merged_{plan_};
  MemoryImage local_{plan_};
  std::vector<Trespass> trespasses_;
};

}  // namespace

RunResult RunOnDevices(const Kernel& kernel, const Target& target, const Settings& config,
                       const TensorSet& inputs, const gpu::LaunchOptions& options) {
  const gpu::RankedKernel& ranked = *target.kernel->ranked();
  const MemoryPlan plan = kernel.Plan(config, options.taps);
  SpreadImages images(plan, ranked.Placement(config, options.taps, target.devices()), inputs);
  std::vector<DeviceCopy> copies;
  std::vector<std::vector<void*>> addresses;
  for (int d = 0; d < target.devices(); ++d) {
    copies.emplace_back(target.device_at(d), images.Before(d));
    addresses.push_back(copies.back().addresses());
  }
  RunResult result;
  result.launch = ranked.Launch(config, options, addresses);
  for (int d = 0; d < target.devices(); ++d) target.device_at(d)->Synchronize();
  for (int d = 0; d < target.devices(); ++d) images.Collect(d, copies[static_cast<size_t>(d)]);
  images.Finish(inputs, &result);
  return result;
}

}  // namespace samebits::harness
