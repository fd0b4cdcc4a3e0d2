#include "gpu/cuda/kernel_name.h"

#include <cuda_runtime_api.h>
#include <cxxabi.h>

#include <cstdlib>
#include <memory>

#include "gpu/cuda/check.h"

namespace samebits::gpu {

std::string MangledKernelName(const void* kernel) {
  const char* name = nullptr;
  CheckCuda(cudaFuncGetName(&name, kernel), "name of a kernel");
  return name;
}

std::string Demangle(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 ? text.get() : name;
}

}  // namespace samebits::gpu
