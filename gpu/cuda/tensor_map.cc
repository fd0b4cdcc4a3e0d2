#include "gpu/cuda/tensor_map.h"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstring>
#include <string>

#include "gpu/cuda/check.h"

namespace samebits::gpu {
namespace {

static_assert(sizeof(TensorMap) == sizeof(CUtensorMap));
static_assert(alignof(TensorMap) >= 64);

using Encode = decltype(&cuTensorMapEncodeTiled);

/// Through the runtime: the driver's library is not linked.
Encode FindEncode() {
  constexpr unsigned kVersion = 12000;
  void* function = nullptr;
  cudaDriverEntryPointQueryResult result{};
  CheckCuda(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, kVersion,
                                             cudaEnableDefault, &result),
            "looking for cuTensorMapEncodeTiled");
  if (result != cudaDriverEntryPointSuccess || function == nullptr) {
    throw EnvironmentError("CUDA: the driver has no cuTensorMapEncodeTiled");
  }
  return reinterpret_cast<Encode>(function);
}

}  // namespace

TensorMap EncodeCudaTensorMap(const TensorDescription& description) {
  if (const char* problem = description.Problem()) {
    throw EnvironmentError(std::string("tensor map: ") + problem);
  }
  static const Encode encode = FindEncode();
  const cuuint64_t dimensions[] = {static_cast<cuuint64_t>(description.columns),
                                   static_cast<cuuint64_t>(description.rows)};
  const cuuint64_t strides[] = {static_cast<cuuint64_t>(description.row_bytes)};
  const cuuint32_t box[] = {static_cast<cuuint32_t>(description.box_columns),
                            static_cast<cuuint32_t>(description.box_rows)};
  const cuuint32_t element_strides[] = {1, 1};
  CUtensorMap map;
  const CUresult error =
      encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, const_cast<void*>(description.base),
             dimensions, strides, box, element_strides, CU_TENSOR_MAP_INTERLEAVE_NONE,
             description.swizzle == Swizzle::k128Bytes ? CU_TENSOR_MAP_SWIZZLE_128B
                                                       : CU_TENSOR_MAP_SWIZZLE_NONE,
             CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (error != CUDA_SUCCESS) {
    throw EnvironmentError("CUDA: cuTensorMapEncodeTiled refuses a map (error " +
                           std::to_string(static_cast<int>(error)) + ")");
  }
  TensorMap result;
  std::memcpy(&result, &map, sizeof(result));
  return result;
}

}  // namespace samebits::gpu
