# Makes a run of 504 diverging cases, its page twice, and opens the page in a browser.
# -DSAMEBITS=... -DPYTHON=... -DSCRIPT=... -DFOLDER=...
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
file(WRITE ${FOLDER}/matrix.toml "kernel = \"kda_decode\"\nstyles = [\"realistic\", \"wide\", \"specials\"]\n[[block]]\n\
axes = { tokens = [1, 2, 3, 4, 5, 6, 7], heads = [1], requests = [1], gate_mode = [0, 1], bias = [0, 1], conv_layout = [\"sd\", \"ds\"], conv_type = [\"bf16\", \"f32\"] }\n\
[[block]]\naxes = { tokens = [2, 3, 4, 5, 6, 7, 8], heads = [1], requests = [1], record = [1], gate_mode = [0, 1], bias = [0, 1], conv_layout = [\"sd\", \"ds\"] }\n")
function(samebits status)
  execute_process(COMMAND ${SAMEBITS} ${ARGN} WORKING_DIRECTORY ${FOLDER} RESULT_VARIABLE result
                  OUTPUT_FILE ${FOLDER}/out.json ERROR_VARIABLE errors)
  if(NOT result EQUAL status)
    message(FATAL_ERROR "samebits ${ARGN}: ${result} ${errors}")
  endif()
endfunction()
samebits(0 generate kda_decode --matrix matrix.toml --store hashes --taps -o many.h5)
samebits(1 verify many.h5 --backend model --taps --contract stock.triton --json)
file(RENAME ${FOLDER}/out.json ${FOLDER}/verify.json)
samebits(1 reveal kda_decode --backend model --stage dot --config requests=1 --contract stock.triton
         --computes kda_ws.sm_90 --json)
file(RENAME ${FOLDER}/out.json ${FOLDER}/reveal.json)
# Values, for the maps.
samebits(0 generate kda_decode --config tokens=2,heads=2,requests=2 --taps -o golden.h5)
samebits(1 verify golden.h5 --backend model --taps --contract stock.triton --record seen.h5)
samebits(0 report golden.h5 seen.h5 reveal.json -o few.html)
samebits(0 report verify.json reveal.json -o page.html)
samebits(0 report verify.json reveal.json -o again.html)
execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files page.html again.html
                WORKING_DIRECTORY ${FOLDER} RESULT_VARIABLE differ)
if(differ)
  message(FATAL_ERROR "two pages of one result differ")
endif()
file(SIZE ${FOLDER}/page.html size)
if(size GREATER 5000000)
  message(FATAL_ERROR "page.html: ${size} bytes")
endif()
foreach(page few page)
  execute_process(COMMAND ${PYTHON} ${SCRIPT} ${FOLDER}/${page}.html RESULT_VARIABLE result)
  if(result EQUAL 77)
    message(STATUS "skipped: no browser")
  elseif(result)
    message(FATAL_ERROR "${page}.html: ${result}")
  endif()
endforeach()
