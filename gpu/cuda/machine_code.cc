#include "gpu/cuda/machine_code.h"

#include <elf.h>

#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>

#include "gpu/device_kernel.h"

namespace samebits::gpu {
namespace {

using Bytes = std::span<const uint8_t>;

// Container of images in .nv_fatbin, and the header of each image.
constexpr uint32_t kContainerMagic = 0xBA55ED50;
struct Container {
  uint32_t magic;
  uint16_t version, header_bytes;
  uint64_t bytes;  // of the images
};
struct Image {
  uint16_t kind, version;
  uint32_t header_bytes;
  uint64_t bytes;
  uint32_t unused[3];
  uint32_t architecture;
};
constexpr uint16_t kImageElf = 2;

// Attributes of .nv.info: format, number, size, then (symbol index, value).
constexpr uint8_t kAttributeSized = 4, kFrameSize = 0x11, kRegisterCount = 0x2f;

template <typename T>
T Read(Bytes bytes, uint64_t offset) {
  T value;
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) {
    throw EnvironmentError("executable: a header of the device code is cut off");
  }
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

Bytes Slice(Bytes bytes, uint64_t offset, uint64_t size) {
  if (offset > bytes.size() || bytes.size() - offset < size) {
    throw EnvironmentError("executable: the device code is cut off");
  }
  return bytes.subspan(offset, size);
}

struct Section {
  std::string_view name;
  Elf64_Shdr header;
  Bytes data;
};

std::string_view Text(Bytes table, uint64_t offset) {
  const Bytes rest = Slice(table, offset, table.size() - offset);
  const auto* text = reinterpret_cast<const char*>(rest.data());
  return {text, strnlen(text, rest.size())};
}

std::vector<Section> Sections(Bytes elf) {
  const auto header = Read<Elf64_Ehdr>(elf, 0);
  std::vector<Section> sections;
  for (int i = 0; i < header.e_shnum; ++i) {
    Section section{{}, Read<Elf64_Shdr>(elf, header.e_shoff + i * sizeof(Elf64_Shdr)), {}};
    if (section.header.sh_type != SHT_NOBITS) {
      section.data = Slice(elf, section.header.sh_offset, section.header.sh_size);
    }
    sections.push_back(section);
  }
  const Bytes names = sections.at(header.e_shstrndx).data;
  for (Section& section : sections) section.name = Text(names, section.header.sh_name);
  return sections;
}

const Section* Find(const std::vector<Section>& sections, std::string_view name) {
  for (const Section& section : sections) {
    if (section.name == name) return &section;
  }
  return nullptr;
}

/// Registers and frame sizes of the kernels in `codes`.
void ReadAttributes(const std::vector<Section>& sections, std::span<MachineCode> codes) {
  const Section* info = Find(sections, ".nv.info");
  const Section* symbols = Find(sections, ".symtab");
  const Section* names = Find(sections, ".strtab");
  if (info == nullptr || symbols == nullptr || names == nullptr) return;
  for (uint64_t at = 0; at + 4 <= info->data.size();) {
    const auto format = Read<uint8_t>(info->data, at), number = Read<uint8_t>(info->data, at + 1);
    const uint64_t size = format == kAttributeSized ? Read<uint16_t>(info->data, at + 2) : 0;
    if (format == kAttributeSized && size == 8) {
      const auto index = Read<uint32_t>(info->data, at + 4);
      const auto value = static_cast<int>(Read<uint32_t>(info->data, at + 8));
      const auto symbol = Read<Elf64_Sym>(symbols->data, index * sizeof(Elf64_Sym));
      for (MachineCode& code : codes) {
        if (Text(names->data, symbol.st_name) != code.symbol) continue;
        if (number == kRegisterCount) code.registers = value;
        if (number == kFrameSize) code.stack_bytes = value;
      }
    }
    at += 4 + size;
  }
}

void ReadCubin(Bytes cubin, int architecture, std::vector<MachineCode>* codes) {
  constexpr std::string_view kText = ".text.";
  const std::vector<Section> sections = Sections(cubin);
  const size_t first = codes->size();
  for (const Section& section : sections) {
    if (!section.name.starts_with(kText)) continue;
    codes->push_back({architecture, std::string(section.name.substr(kText.size())), 0, 0,
                      std::vector<uint8_t>(section.data.begin(), section.data.end())});
  }
  ReadAttributes(sections, std::span(*codes).subspan(first));
}

std::vector<uint8_t> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw EnvironmentError("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

std::vector<MachineCode> ReadMachineCode(const std::string& executable) {
  const std::vector<uint8_t> file = ReadFile(executable);
  const std::vector<Section> sections = Sections(file);
  const Section* fatbin = Find(sections, ".nv_fatbin");
  if (fatbin == nullptr) throw EnvironmentError(executable + ": no device code in it");
  std::vector<MachineCode> codes;
  for (uint64_t at = 0; at + sizeof(Container) <= fatbin->data.size();) {
    const auto container = Read<Container>(fatbin->data, at);
    if (container.magic != kContainerMagic) {  // padding between translation units
      at += 8;
      continue;
    }
    at += container.header_bytes;
    for (const uint64_t end = at + container.bytes; at < end;) {
      const auto image = Read<Image>(fatbin->data, at);
      const Bytes data = Slice(fatbin->data, at + image.header_bytes, image.bytes);
      const bool elf = data.size() > SELFMAG && std::memcmp(data.data(), ELFMAG, SELFMAG) == 0;
      if (image.kind == kImageElf && elf) {
        ReadCubin(data, static_cast<int>(image.architecture), &codes);
      }
      at += image.header_bytes + image.bytes;
    }
  }
  return codes;
}

std::string MachineCodeHash(std::string_view symbol, int architecture) {
  static const std::vector<MachineCode> codes = ReadMachineCode("/proc/self/exe");
  for (const MachineCode& code : codes) {
    if (code.symbol != symbol || code.architecture != architecture) continue;
    uint64_t hash = 0xCBF29CE484222325;
    for (const uint8_t byte : code.text) hash = (hash ^ byte) * 0x100000001B3;
    char text[24];
    std::snprintf(text, sizeof text, "fnv1a:%016llx", static_cast<unsigned long long>(hash));
    return text;
  }
  throw EnvironmentError("no machine code for sm_" + std::to_string(architecture) + " of " +
                         std::string(symbol) + " in this program");
}

}  // namespace samebits::gpu
