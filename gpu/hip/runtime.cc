#include "gpu/hip/runtime.h"

#include <dlfcn.h>

#include <optional>

#include "gpu/device_kernel.h"
#include "gpu/hip/code_objects.h"

namespace samebits::gpu::hip {
namespace {

struct Library {
  std::optional<Runtime> runtime;
  std::string missing;
};

void* OpenLibrary() {
  for (const char* name : {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",
                           "/opt/rocm/lib/libamdhip64.so"}) {
    if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  }
  return nullptr;
}

template <typename Function>
void Resolve(void* library, const char* name, Function** function, std::string* missing) {
  *function = reinterpret_cast<Function*>(dlsym(library, name));
  if (*function == nullptr && missing->empty()) {
    *missing = std::string("libamdhip64 has no ") + name;
  }
}

Library Load() {
  void* library = OpenLibrary();
  if (library == nullptr) return {std::nullopt, "no libamdhip64 here"};
  Runtime r{};
  std::string missing;
  const auto resolve = [&](const char* name, auto** function) {
    Resolve(library, name, function, &missing);
  };
  resolve("hipGetDeviceCount", &r.GetDeviceCount);
  resolve("hipGetDevice", &r.GetDevice);
  resolve("hipDeviceGetName", &r.DeviceGetName);
  resolve("hipDriverGetVersion", &r.DriverGetVersion);
  resolve("hipRuntimeGetVersion", &r.RuntimeGetVersion);
  resolve("hipMalloc", &r.Malloc);
  resolve("hipFree", &r.Free);
  resolve("hipMemcpy", &r.Memcpy);
  resolve("hipMemset", &r.Memset);
  resolve("hipDeviceSynchronize", &r.DeviceSynchronize);
  resolve("hipGetLastError", &r.GetLastError);
  resolve("hipGetErrorString", &r.GetErrorString);
  resolve("hipModuleLoadData", &r.ModuleLoadData);
  resolve("hipModuleUnload", &r.ModuleUnload);
  resolve("hipModuleGetFunction", &r.ModuleGetFunction);
  resolve("hipModuleLaunchCooperativeKernel", &r.ModuleLaunchCooperativeKernel);
  if (!missing.empty()) return {std::nullopt, missing};
  return {r, ""};
}

const Library& TheLibrary() {
  static const Library library = Load();
  return library;
}

}  // namespace

const Runtime* FindRuntime() {
  const Library& library = TheLibrary();
  return library.runtime ? &*library.runtime : nullptr;
}

std::string Missing() { return TheLibrary().missing; }

const Runtime& GetRuntime() {
  const Runtime* runtime = FindRuntime();
  if (runtime == nullptr) throw EnvironmentError("HIP: " + Missing());
  return *runtime;
}

void Check(Error error, const std::string& what) {
  if (error == kSuccess) return;
  GetRuntime().GetLastError();  // clears it
  throw EnvironmentError("HIP: " + what + ": " + GetRuntime().GetErrorString(error) + " (" +
                         std::to_string(error) + ")");
}

std::string DeviceTarget() {
  const Runtime& runtime = GetRuntime();
  std::string_view tried;
  for (const CodeObject& object : CodeObjects()) {
    if (object.target == tried) continue;
    tried = object.target;
    void* module = nullptr;
    if (runtime.ModuleLoadData(&module, object.elf.data()) == kSuccess) {
      runtime.ModuleUnload(module);
      return std::string(object.target);
    }
    runtime.GetLastError();  // clears it
  }
  return "";
}

}  // namespace samebits::gpu::hip
