# embed_profiles(OUTPUT FILES...): a C++ file with the bytes of the files.
function(embed_profiles output)
  set(arrays "")
  set(entries "")
  set(index 0)
  foreach(file IN LISTS ARGN)
    file(READ ${file} hex HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
    get_filename_component(name ${file} NAME)
    string(APPEND arrays "const unsigned char kFile${index}[] = {${bytes}};\n")
    string(APPEND entries "    {\"${name}\", kFile${index}, sizeof(kFile${index})},\n")
    math(EXPR index "${index} + 1")
  endforeach()
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT "// Made from data/profiles by embed.cmake.
#include \"harness/profile/embedded.h\"

namespace samebits::harness::profile {
namespace {

${arrays}
const EmbeddedFile kFiles[] = {
${entries}};

}  // namespace

std::span<const EmbeddedFile> EmbeddedFiles() { return kFiles; }

}  // namespace samebits::harness::profile
")
endfunction()
