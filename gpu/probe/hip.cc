// The probe kernels on an AMD device. The HIP runtime is loaded where it is; nothing of ROCm is
// needed to build this.
#include <dlfcn.h>

#include <array>
#include <cstring>

#include "gpu/probe/code_objects.h"
#include "gpu/probe/kernels.cuh"
#include "gpu/probe/prober.h"

namespace samebits::gpu::probe {
namespace {

/// The entry points that are used, by their C names; 0 is success.
class HipRuntime {
 public:
  HipRuntime() {
    for (const char* name :
         {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"}) {
      if (library_ == nullptr) library_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
    if (library_ == nullptr) throw EnvironmentError("HIP: no libamdhip64.so here (install ROCm)");
    Find("hipGetDeviceCount", &device_count);
    Find("hipDeviceGetName", &device_name);
    Find("hipDriverGetVersion", &driver_version);
    Find("hipRuntimeGetVersion", &runtime_version);
    Find("hipMalloc", &allocate);
    Find("hipFree", &release);
    Find("hipMemcpy", &copy);
    Find("hipDeviceSynchronize", &synchronize);
    Find("hipModuleLoadData", &load);
    Find("hipModuleGetFunction", &function);
    Find("hipModuleLaunchKernel", &launch);
    Find("hipGetErrorString", &error_string);
  }

  void Check(int error, const std::string& what) const {
    if (error != 0) throw EnvironmentError("HIP: " + what + ": " + error_string(error));
  }

  int (*device_count)(int*) = nullptr;
  int (*device_name)(char*, int, int) = nullptr;
  int (*driver_version)(int*) = nullptr;
  int (*runtime_version)(int*) = nullptr;
  int (*allocate)(void**, size_t) = nullptr;
  int (*release)(void*) = nullptr;
  int (*copy)(void*, const void*, size_t, int) = nullptr;
  int (*synchronize)() = nullptr;
  int (*load)(void**, const void*) = nullptr;
  int (*function)(void**, void*, const char*) = nullptr;
  int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*,
                void**, void**) = nullptr;
  const char* (*error_string)(int) = nullptr;

 private:
  template <typename Function>
  void Find(const char* name, Function* function) {
    *function = reinterpret_cast<Function>(dlsym(library_, name));
    if (*function == nullptr) throw EnvironmentError(std::string("HIP: the runtime lacks ") + name);
  }
  void* library_ = nullptr;  // stays loaded
};

constexpr int kToDevice = 1, kFromDevice = 2;

struct MfmaKernel {
  MatrixOperation operation;
  const char* kernel;
};
// gfx90a spells the first two ..16bf16_1k and ..8bf16_1k.
constexpr MfmaKernel kGfx90a[] = {{{"v_mfma_f32_16x16x16bf16_1k", 16, 16, 16}, "mfma_16x16x16"},
                                  {{"v_mfma_f32_32x32x8bf16_1k", 32, 32, 8}, "mfma_32x32x8"}};
constexpr MfmaKernel kGfx9[] = {{{"v_mfma_f32_16x16x16_bf16", 16, 16, 16}, "mfma_16x16x16"},
                                {{"v_mfma_f32_32x32x8_bf16", 32, 32, 8}, "mfma_32x32x8"},
                                {{"v_mfma_f32_16x16x32_bf16", 16, 16, 32}, "mfma_16x16x32"}};

std::string_view NameOf(Unary operation) {
  for (const UnaryOperation& known : UnaryOperations(Vendor::kAmd)) {
    if (known.operation == operation) return known.name;
  }
  throw EnvironmentError("HIP: no such operation on AMD");
}
std::string_view NameOf(Scalar operation) {
  for (const ScalarOperation& known : ScalarOperations(Vendor::kAmd)) {
    if (known.operation == operation) return known.name;
  }
  throw EnvironmentError("HIP: no such operation on AMD");
}

class HipProber : public Prober {
 public:
  HipProber() {
    int devices = 0;
    hip_.Check(hip_.device_count(&devices), "counting devices");
    if (devices == 0) throw EnvironmentError("HIP: no AMD device here");
    // The runtime refuses code objects of other architectures.
    for (const CodeObject& object : CodeObjects()) {
      if (hip_.load(&module_, object.data) != 0) continue;
      info_.architecture = object.architecture;
      break;
    }
    if (info_.architecture.empty()) {
      throw EnvironmentError("HIP: the device is none of the architectures of this build");
    }
    char name[256] = "";
    int version = 0;
    hip_.Check(hip_.device_name(name, sizeof name, 0), "name of the device");
    info_.name = name;
    hip_.Check(hip_.driver_version(&version), "driver version");
    info_.driver = "HIP " + std::to_string(version);
    hip_.Check(hip_.runtime_version(&version), "runtime version");
    info_.runtime = "HIP " + std::to_string(version);
    if (info_.architecture == "gfx90a")
      kernels_ = kGfx90a;
    else
      kernels_ = std::span(kGfx9).first(info_.architecture == "gfx950" ? 3 : 2);
    for (const MfmaKernel& kernel : kernels_) operations_.push_back(kernel.operation);
  }

  const DeviceInfo& info() const override { return info_; }
  Vendor vendor() const override { return Vendor::kAmd; }
  int clock_mhz() const override { return 0; }
  std::span<const MatrixOperation> matrix_operations() const override { return operations_; }

  std::vector<uint64_t> Fingerprints(Unary operation, std::span<const uint16_t> blocks) override {
    auto in = Upload(blocks), out = Allocate(blocks.size() * sizeof(uint64_t));
    void *x = in.get(), *y = out.get();
    void* arguments[] = {&x, &y};
    Run("fingerprint_" + std::string(NameOf(operation)), blocks.size(), kThreads, arguments);
    return Download<uint64_t>(y, blocks.size());
  }

  std::vector<uint32_t> Evaluate(Unary operation, std::span<const uint32_t> x) override {
    auto in = Upload(x), out = Allocate(x.size_bytes());
    void *from = in.get(), *to = out.get();
    int n = static_cast<int>(x.size());
    void* arguments[] = {&from, &to, &n};
    Run("evaluate_" + std::string(NameOf(operation)), Blocks(x.size()), kThreads, arguments);
    return Download<uint32_t>(to, x.size());
  }

  std::vector<uint32_t> Evaluate(Scalar operation, std::span<const float> a,
                                 std::span<const float> b, std::span<const float> c) override {
    auto memory_a = Upload(a), memory_b = Upload(b), memory_c = Upload(c);
    auto out = Allocate(a.size_bytes());
    void *x = memory_a.get(), *y = memory_b.get(), *z = memory_c.get(), *to = out.get();
    int n = static_cast<int>(a.size());
    void* arguments[] = {&x, &y, &z, &to, &n};
    Run("evaluate_" + std::string(NameOf(operation)), Blocks(a.size()), kThreads, arguments);
    return Download<uint32_t>(to, a.size());
  }

  std::vector<uint32_t> Multiply(size_t i, const Tiles& tiles) override {
    auto a = Upload(std::span(tiles.a)), b = Upload(std::span(tiles.b));
    auto c = Upload(std::span(tiles.c)), d = Allocate(tiles.c.size() * sizeof(float));
    void *x = a.get(), *y = b.get(), *z = c.get(), *to = d.get();
    void* arguments[] = {&x, &y, &z, &to};
    Run(kernels_[i].kernel, static_cast<size_t>(tiles.count), 64, arguments);
    return Download<uint32_t>(to, tiles.c.size());
  }

 private:
  static size_t Blocks(size_t n) { return (n + kThreads - 1) / kThreads; }

  std::shared_ptr<void> Allocate(size_t bytes) {
    void* memory = nullptr;
    hip_.Check(hip_.allocate(&memory, bytes), "allocating memory");
    return {memory, [this](void* p) { hip_.release(p); }};
  }
  template <typename T>
  std::shared_ptr<void> Upload(std::span<const T> values) {
    auto memory = Allocate(values.size_bytes());
    hip_.Check(hip_.copy(memory.get(), values.data(), values.size_bytes(), kToDevice), "upload");
    return memory;
  }
  template <typename T>
  std::vector<T> Download(const void* device, size_t n) {
    std::vector<T> values(n);
    hip_.Check(hip_.copy(values.data(), device, n * sizeof(T), kFromDevice), "download");
    return values;
  }
  void Run(const std::string& name, size_t blocks, unsigned threads, void** arguments) {
    void* function = nullptr;
    hip_.Check(hip_.function(&function, module_, name.c_str()), "kernel " + name);
    hip_.Check(hip_.launch(function, static_cast<unsigned>(blocks), 1, 1, threads, 1, 1, 0, nullptr,
                           arguments, nullptr),
               "launch of " + name);
    hip_.Check(hip_.synchronize(), "kernel " + name);
  }

  HipRuntime hip_;
  void* module_ = nullptr;
  DeviceInfo info_;
  std::span<const MfmaKernel> kernels_;
  std::vector<MatrixOperation> operations_;
};

}  // namespace

std::unique_ptr<Prober> OpenHipProber() { return std::make_unique<HipProber>(); }

}  // namespace samebits::gpu::probe
