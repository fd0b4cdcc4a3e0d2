// A HIP runtime as a machine without an AMD GPU has it: every function is there, no device is.
namespace {
constexpr int kNoDevice = 100;  // hipErrorNoDevice
}  // namespace

extern "C" {
int hipGetDeviceCount(int* count) {
  *count = 0;
  return kNoDevice;
}
int hipGetDevice(int*) { return kNoDevice; }
int hipDeviceGetName(char*, int, int) { return kNoDevice; }
int hipDriverGetVersion(int*) { return kNoDevice; }
int hipRuntimeGetVersion(int*) { return kNoDevice; }
int hipMalloc(void**, unsigned long) { return kNoDevice; }
int hipFree(void*) { return kNoDevice; }
int hipMemcpy(void*, const void*, unsigned long, int) { return kNoDevice; }
int hipMemset(void*, int, unsigned long) { return kNoDevice; }
int hipDeviceSynchronize() { return kNoDevice; }
int hipGetLastError() { return kNoDevice; }
const char* hipGetErrorString(int) { return "no ROCm-capable device is detected"; }
int hipModuleLoadData(void**, const void*) { return kNoDevice; }
int hipModuleUnload(void*) { return kNoDevice; }
int hipModuleGetFunction(void**, void*, const char*) { return kNoDevice; }
int hipModuleLaunchCooperativeKernel() { return kNoDevice; }
}
