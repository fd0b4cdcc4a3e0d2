# Compile rules that every target shares, and two helpers that create targets with them.

# Exactness: no contraction anywhere (gcc contracts by default, through intrinsics too), no errno
# from math functions; never a fast-math flag, at compile or at link.
add_library(samebits_flags INTERFACE)
target_include_directories(samebits_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(samebits_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off -fno-math-errno -Wall -Wextra>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${SAMEBITS_WERROR}>>:-Werror>)
if(SAMEBITS_SANITIZE)
  target_compile_options(samebits_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${SAMEBITS_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer>)
  target_link_options(samebits_flags INTERFACE -fsanitize=${SAMEBITS_SANITIZE})
endif()

# Flags of a Highway translation unit: the baseline becomes AVX2, so that only AVX2 and AVX-512 are
# built; below AVX2, Highway's MulAdd is not fused. Callers check SimdSupported() first.
set(SAMEBITS_SIMD_FLAGS "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(SAMEBITS_SIMD_FLAGS -march=x86-64-v3 -maes -mpclmul)
endif()

# samebits_library(NAME SOURCES a.cc b.cc [SIMD c.cc] [DEPS lib...]): a static library of the project.
function(samebits_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;SIMD;DEPS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES} ${ARG_SIMD})
  target_link_libraries(${name} PUBLIC samebits_flags ${ARG_DEPS})
  if(ARG_SIMD)
    set_source_files_properties(${ARG_SIMD} PROPERTIES COMPILE_OPTIONS "${SAMEBITS_SIMD_FLAGS}")
    target_link_libraries(${name} PUBLIC hwy::hwy)
  endif()
endfunction()

# samebits_test(NAME SOURCES a_test.cc [DEPS lib...] [LABELS l...] [ARGS a...] [TIMEOUT s]): one
# Boost.Test program (shared Boost.Test; each source but one includes <boost/test/unit_test.hpp>
# only, tests/main.cc holds the module), run from the source folder so that data/ is found.
function(samebits_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;DEPS;LABELS;ARGS" ${ARGN})
  add_executable(${name} ${PROJECT_SOURCE_DIR}/tests/main.cc ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE samebits_flags ${ARG_DEPS} Boost::unit_test_framework)
  target_compile_definitions(${name} PRIVATE BOOST_TEST_DYN_LINK)
  add_test(NAME ${name} COMMAND ${name} --color_output=no ${ARG_ARGS}
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 600)
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT} SKIP_RETURN_CODE 77)
  if(ARG_LABELS)
    set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}")
  endif()
endfunction()
