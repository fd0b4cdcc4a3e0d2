# Finds nvcc where it exists and sets SAMEBITS_HAVE_CUDA. The CUDA driver library is never linked.
set(SAMEBITS_HAVE_CUDA OFF)
if(NOT SAMEBITS_CUDA STREQUAL "OFF")
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES 90a-real 100a-real)
    endif()
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
    set(CMAKE_CUDA_STANDARD 20)
    # CMake 3.25 does not know how this nvcc takes C++20.
    if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
    endif()
    set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
    set(SAMEBITS_HAVE_CUDA ON)
  elseif(SAMEBITS_CUDA STREQUAL "ON")
    message(FATAL_ERROR "SAMEBITS_CUDA=ON, but no nvcc was found")
  endif()
endif()

# Exactness of device code: -fmad=false (every fused multiply-add is spelled), IEEE division and
# square root, no flush to zero; the host half of a .cu file gets the host's rule.
set(SAMEBITS_CUDA_FLAGS -fmad=false -prec-div=true -prec-sqrt=true -ftz=false
    -Xcompiler=-ffp-contract=off)
