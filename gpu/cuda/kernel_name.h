// Names of kernels by the address that launches take.
#ifndef SAMEBITS_GPU_CUDA_KERNEL_NAME_H_
#define SAMEBITS_GPU_CUDA_KERNEL_NAME_H_

#include <string>

namespace samebits::gpu {

/// As in the machine code. Throws EnvironmentError.
std::string MangledKernelName(const void* kernel);
/// The name itself if it is no mangled C++ name.
std::string Demangle(const std::string& name);

}  // namespace samebits::gpu

#endif  // SAMEBITS_GPU_CUDA_KERNEL_NAME_H_
