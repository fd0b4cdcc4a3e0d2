// Memory of a device that holds every block of an image, guard zones included.
#ifndef SAMEBITS_HARNESS_DEVICE_COPY_H_
#define SAMEBITS_HARNESS_DEVICE_COPY_H_

#include <memory>
#include <vector>

#include "golden/memory_image.h"
#include "gpu/device_kernel.h"

namespace samebits::harness {

class DeviceCopy {
 public:
  /// Uploads the image. `device` must outlive it. Throws gpu::EnvironmentError, as all here.
  DeviceCopy(gpu::Device* device, const golden::MemoryImage& image);

  /// Of the allocations, behind their guard zones.
  std::vector<void*> addresses() const;
  void Download(golden::MemoryImage* image) const;

 private:
  gpu::Device* device_;
  std::vector<std::shared_ptr<void>> blocks_;
};

}  // namespace samebits::harness

#endif  // SAMEBITS_HARNESS_DEVICE_COPY_H_
