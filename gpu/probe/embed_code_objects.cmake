# cmake -DOUTPUT=... -DTARGETS=... -DOBJECTS=... -P: a C++ file with the bytes of code objects.
set(text "#include \"gpu/probe/code_objects.h\"\n\nnamespace samebits::gpu::probe {\nnamespace {\n\n")
set(entries "")
foreach(target object IN ZIP_LISTS TARGETS OBJECTS)
  file(READ ${object} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND text "alignas(4096) constexpr unsigned char k_${target}[] = {${bytes}};\n")
  string(APPEND entries "    {\"${target}\", k_${target}},\n")
endforeach()
string(APPEND text "constexpr CodeObject kObjects[] = {\n${entries}};\n\n}  // namespace\n\n"
       "std::span<const CodeObject> CodeObjects() { return kObjects; }\n\n"
       "}  // namespace samebits::gpu::probe\n")
file(WRITE ${OUTPUT} "${text}")
