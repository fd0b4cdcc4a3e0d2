# Writes OUTPUT from INPUT with the commit that SOURCE is at, if it changed: a fact of the build, not
# of the configuration. Without git the commit is "unknown".
set(SAMEBITS_COMMIT unknown)
if(EXISTS "${GIT}")
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --short=12 HEAD
                  OUTPUT_VARIABLE head OUTPUT_STRIP_TRAILING_WHITESPACE
                  RESULT_VARIABLE status ERROR_QUIET)
  if(status EQUAL 0)
    set(SAMEBITS_COMMIT ${head})
  endif()
endif()
configure_file(${INPUT} ${OUTPUT} @ONLY)
