// Runs probes on a chip: a device, the kernel sources on the CPU, or the model itself.
#ifndef SAMEBITS_GPU_PROBE_PROBER_H_
#define SAMEBITS_GPU_PROBE_PROBER_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/device_kernel.h"
#include "gpu/probe/operations.h"
#include "model/units/matrix_unit.h"

namespace samebits::gpu::probe {

/// Operands of matrix instructions, dense: a [tiles][m][k], b [tiles][n][k], c [tiles][m][n].
struct Tiles {
  int64_t count = 0;
  std::vector<uint16_t> a, b;
  std::vector<float> c;
};

/// One chip. Results are bit patterns. All functions throw EnvironmentError.
class Prober {
 public:
  virtual ~Prober() = default;
  virtual const DeviceInfo& info() const = 0;
  virtual Vendor vendor() const = 0;
  /// Of the multiprocessors, in MHz; 0: none.
  virtual int clock_mhz() const = 0;
  virtual std::span<const MatrixOperation> matrix_operations() const = 0;

  /// One fingerprint (fingerprint.h) per block.
  virtual std::vector<uint64_t> Fingerprints(Unary operation, std::span<const uint16_t> blocks) = 0;
  virtual std::vector<uint32_t> Evaluate(Unary operation, std::span<const uint32_t> x) = 0;
  virtual std::vector<uint32_t> Evaluate(Scalar operation, std::span<const float> a,
                                         std::span<const float> b, std::span<const float> c) = 0;
  /// D [tiles][m][n] of instruction i of matrix_operations().
  virtual std::vector<uint32_t> Multiply(size_t i, const Tiles& tiles) = 0;
};

/// A chip that is executed on the CPU: its units.
struct Chip {
  std::string name, architecture;
  Vendor vendor = Vendor::kNvidia;
  units::SpecialFunctionTables special;
  std::shared_ptr<const void> owner;  // of the rows and names that it refers to, if need be
  struct Matrix {
    MatrixOperation operation;
    units::MatrixUnit unit;
  };
  std::vector<Matrix> matrix;  // for kNvidia on the executor: mma.sync m16n8k16, wgmma m64n8k16
};

/// The model's array functions: fast enough for all inputs.
std::unique_ptr<Prober> OpenModelProber(Chip chip, int threads);
/// The probe kernels thread by thread.
std::unique_ptr<Prober> OpenSimtProber(Chip chip, uint64_t schedule);
/// The current CUDA device. Throws EnvironmentError: no device, or no CUDA in this build.
std::unique_ptr<Prober> OpenCudaProber();
/// The first AMD device. Throws EnvironmentError: no device, or no HIP in this build or here.
std::unique_ptr<Prober> OpenHipProber();

}  // namespace samebits::gpu::probe

#endif  // SAMEBITS_GPU_PROBE_PROBER_H_
