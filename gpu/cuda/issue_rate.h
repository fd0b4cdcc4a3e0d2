// What the device's arithmetic can issue.
#ifndef SAMEBITS_GPU_CUDA_ISSUE_RATE_H_
#define SAMEBITS_GPU_CUDA_ISSUE_RATE_H_

namespace samebits::gpu {

/// FP32 operations (a fused multiply-add is one) per second of the current device at its highest
/// clock: 128 lanes per multiprocessor and cycle. Throws EnvironmentError.
double Fp32IssueRate();

}  // namespace samebits::gpu

#endif  // SAMEBITS_GPU_CUDA_ISSUE_RATE_H_
