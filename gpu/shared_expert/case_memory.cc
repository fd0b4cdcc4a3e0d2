#include "gpu/shared_expert/case_memory.h"

#include "gpu/shared_expert/placement.h"
#include "gpu/shared_expert/preconditions.h"

namespace samebits::gpu::shared_expert {

using samebits::shared_expert::Config;
using samebits::shared_expert::MakeOperands;
using samebits::shared_expert::MakeTaps;
using samebits::shared_expert::Operands;

int DownBlocks(const Config& config, const LaunchOptions& options) {
  return options.ctas != 0 ? options.ctas : config.sms;
}

CaseMemory::CaseMemory(const Config& config, bool taps,
                       std::span<const std::vector<void*>> addresses)
    : config_(config) {
  for (const std::vector<void*>& on_device : addresses) {
    operands_.push_back(MakeOperands(config, on_device));
    taps_.push_back(MakeTaps(config, taps, on_device));
  }
}

int CaseMemory::device_of(LaunchPoint point) const {
  return DeviceOf(config_.rank_of(point.index), devices());
}

const Operands& CaseMemory::OperandsOf(int rank) const {
  return operands_[DeviceOf(rank, devices())];
}

void CaseMemory::Check(int down_blocks) const {
  for (const Operands& operands : operands_) CheckLaunch(config_, operands, down_blocks);
}

Params CaseMemory::UnmappedParams(LaunchPoint point) const {
  const int device = device_of(point);
  Params params = MakeParams(config_, operands_[device], taps_[device], point);
  for (int peer = 0; peer < config_.tp; ++peer) {
    params.peers[peer] = OperandsOf(peer).peer(peer);
    if (config_.has_front()) params.front_peers[peer] = OperandsOf(peer).front_peer(peer);
  }
  return params;
}

ConsumerParams CaseMemory::ConsumerOf(int step) const {
  ConsumerParams params = MakeConsumerParams(config_, operands_[kConsumerDevice], step);
  for (int peer = 0; peer < config_.tp; ++peer) params.peers[peer] = OperandsOf(peer).peer(peer);
  return params;
}

}  // namespace samebits::gpu::shared_expert
