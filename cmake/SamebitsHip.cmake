# Finds a clang that compiles for AMD GPUs (no ROCm needed) and sets SAMEBITS_HAVE_HIP; else
# SAMEBITS_HIP_MISSING says why. SAMEBITS_HIP_TARGETS are the targets that it knows.
set(SAMEBITS_HAVE_HIP OFF)
set(SAMEBITS_HIP_TARGETS "")
set(SAMEBITS_HIP_MISSING "SAMEBITS_HIP=OFF")
# Exactness of device code: no contraction, no flushing. -O1 at least: no calls, no stack.
set(SAMEBITS_HIP_FLAGS -x hip --offload-device-only --no-gpu-bundle-output -nogpuinc -nogpulib
    -std=c++20 -O3 -ffp-contract=off -Wall -Wextra -Wno-unused-parameter)

if(NOT SAMEBITS_HIP STREQUAL "OFF")
  find_program(SAMEBITS_HIP_CLANG NAMES clang++-22 clang++-21 clang++-20 clang++-19 amdclang++
               PATHS /opt/rocm/bin /opt/rocm/llvm/bin)
  set(SAMEBITS_HIP_MISSING "built without a HIP-capable clang")
  if(SAMEBITS_HIP_CLANG)
    # A linked code object: clang alone, without its lld, cannot make one.
    set(probe ${CMAKE_BINARY_DIR}/hip_probe)
    file(WRITE ${probe}.hip "extern \"C\" __attribute__((global)) void probe() {}\n")
    foreach(target gfx942 gfx950)
      if(NOT DEFINED SAMEBITS_HIP_${target})
        execute_process(
          COMMAND ${SAMEBITS_HIP_CLANG} ${SAMEBITS_HIP_FLAGS} --offload-arch=${target}
                  -c ${probe}.hip -o ${probe}.${target}.co
          RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
        string(COMPARE EQUAL "${result}" "0" works)
        set(SAMEBITS_HIP_${target} ${works} CACHE INTERNAL "the HIP compiler knows the target")
      endif()
      if(SAMEBITS_HIP_${target})
        list(APPEND SAMEBITS_HIP_TARGETS ${target})
      endif()
    endforeach()
    if(SAMEBITS_HIP_TARGETS)
      set(SAMEBITS_HAVE_HIP ON)
      string(REGEX MATCH "[0-9]+$" version ${SAMEBITS_HIP_CLANG})
      find_program(SAMEBITS_HIP_OBJDUMP NAMES llvm-objdump-${version} llvm-objdump
                   PATHS /opt/rocm/llvm/bin)
      find_program(SAMEBITS_HIP_READELF NAMES llvm-readelf-${version} llvm-readelf
                   PATHS /opt/rocm/llvm/bin)
    endif()
  endif()
  if(SAMEBITS_HIP STREQUAL "ON" AND NOT SAMEBITS_HAVE_HIP)
    message(FATAL_ERROR "SAMEBITS_HIP=ON, but no clang that compiles for gfx942 or gfx950 was found")
  endif()
endif()

# samebits_code_object(OUT SOURCE TARGET): the command that makes OUT, a code object for TARGET.
function(samebits_code_object out source target)
  get_filename_component(source ${source} ABSOLUTE)
  add_custom_command(OUTPUT ${out}
    COMMAND ${SAMEBITS_HIP_CLANG} ${SAMEBITS_HIP_FLAGS} --offload-arch=${target}
            -I${PROJECT_SOURCE_DIR} -Xclang -dependency-file -Xclang ${out}.d
            -Xclang -MT -Xclang ${out} -c ${source} -o ${out}
    DEPENDS ${source} DEPFILE ${out}.d VERBATIM)
endfunction()
