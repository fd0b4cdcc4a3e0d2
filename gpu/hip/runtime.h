// The HIP runtime library, opened when it is first needed: no build and no link depends on ROCm.
#ifndef SAMEBITS_GPU_HIP_RUNTIME_H_
#define SAMEBITS_GPU_HIP_RUNTIME_H_

#include <cstddef>
#include <string>

namespace samebits::gpu::hip {

/// hipError_t, of which only success is named.
using Error = int;
inline constexpr Error kSuccess = 0;
enum class CopyKind : int { kHostToDevice = 1, kDeviceToHost = 2 };

/// The functions of libamdhip64 that this program calls, as the library declares them.
struct Runtime {
  Error (*GetDeviceCount)(int*);
  Error (*GetDevice)(int*);
  Error (*DeviceGetName)(char*, int, int);
  Error (*DriverGetVersion)(int*);
  Error (*RuntimeGetVersion)(int*);
  Error (*Malloc)(void**, size_t);
  Error (*Free)(void*);
  Error (*Memcpy)(void*, const void*, size_t, CopyKind);
  Error (*Memset)(void*, int, size_t);
  Error (*DeviceSynchronize)();
  Error (*GetLastError)();
  const char* (*GetErrorString)(Error);
  Error (*ModuleLoadData)(void** module, const void* image);
  Error (*ModuleUnload)(void* module);
  Error (*ModuleGetFunction)(void** function, void* module, const char* name);
  Error (*ModuleLaunchCooperativeKernel)(void* function, unsigned grid_x, unsigned grid_y,
                                         unsigned grid_z, unsigned block_x, unsigned block_y,
                                         unsigned block_z, unsigned shared_bytes, void* stream,
                                         void** arguments);
};

/// nullptr where there is no such library; `Missing` says why.
const Runtime* FindRuntime();
std::string Missing();
/// Throws EnvironmentError where there is none.
const Runtime& GetRuntime();
/// Throws EnvironmentError: "HIP: WHAT: out of memory".
void Check(Error error, const std::string& what);

/// The target of the current device: the first of the build's whose code it loads. Empty if it
/// loads none of them.
std::string DeviceTarget();

}  // namespace samebits::gpu::hip

#endif  // SAMEBITS_GPU_HIP_RUNTIME_H_
