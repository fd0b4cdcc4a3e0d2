#include "golden/seal.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <vector>

#include "golden/integrity_error.h"
#include "golden/posix_file.h"
#include "golden/xxh3.h"

namespace samebits::golden {
namespace {

constexpr std::string_view kMagic = "samebits-file ";
constexpr std::string_view kHdf5Signature = "\x89HDF\r\n\x1a\n";
constexpr int kSealVersion = 1;
constexpr int64_t kPieceBytes = int64_t{1} << 20;

std::string SealText(int64_t bytes, const std::string& hash) {
  std::string text = std::string(kMagic) + std::to_string(kSealVersion) + "\nbytes " +
                     std::to_string(bytes) + "\nxxh3-128 " + hash + "\n";
  text.resize(kUserBlockBytes, '\0');
  return text;
}

std::string HashBehindSeal(const PosixFile& file) {
  Hasher hasher;
  std::vector<std::byte> piece(
      static_cast<size_t>(std::clamp<int64_t>(file.size(), 1, kPieceBytes)));
  for (int64_t at = kUserBlockBytes;;) {
    const size_t n = file.ReadAt(at, piece);
    hasher.Update(std::span(piece).first(n));
    at += static_cast<int64_t>(n);
    if (n < piece.size()) return hasher.Hex();
  }
}

/// The number behind `key`, or -1.
int64_t NumberAfter(std::string_view text, std::string_view key) {
  const size_t at = text.find(key);
  int64_t value = -1;
  if (at != std::string_view::npos) {
    std::from_chars(text.data() + at + key.size(), text.data() + text.size(), value);
  }
  return value;
}

}  // namespace

void WriteSeal(const std::string& path) {
  PosixFile file(path, PosixFile::Mode::kReadWrite);
  const std::string text = SealText(file.size(), HashBehindSeal(file));
  file.WriteAt(0, std::as_bytes(std::span(text)));
  file.Sync();
}

SealCheck CheckSeal(const std::string& path) {
  using Verdict = SealCheck::Verdict;
  const PosixFile file(path, PosixFile::Mode::kRead);
  std::string head(kUserBlockBytes + kHdf5Signature.size(), '\0');
  head.resize(file.ReadAt(0, std::as_writable_bytes(std::span(head))));
  const std::string text = head.substr(0, kUserBlockBytes);
  const bool magic = text.starts_with(kMagic);
  // A damaged first line is told from a foreign file by what follows.
  const bool body = head.size() > kUserBlockBytes &&
                    head.compare(kUserBlockBytes, std::string::npos, kHdf5Signature) == 0;
  if (!magic && !(body && text.find("\nxxh3-128 ") != std::string::npos)) {
    return {Verdict::kForeign, "expected a file that samebits wrote (\"samebits-file 1\" first)"};
  }
  const int64_t size = file.size(), sealed = NumberAfter(text, "\nbytes ");
  if (text == SealText(size, HashBehindSeal(file))) return {};
  const int64_t version = NumberAfter(text, kMagic);
  if (magic && version > kSealVersion) {
    return {Verdict::kNewer, "expected version 1 of the seal, found " + std::to_string(version)};
  }
  if (sealed >= 0 && sealed != size) {
    return {Verdict::kTruncated,
            "expected " + std::to_string(sealed) + " bytes, found " + std::to_string(size)};
  }
  return {Verdict::kDamaged, "expected bytes with the XXH3-128 of the seal; some byte has changed"};
}

H5File OpenSealed(const std::string& path) {
  const SealCheck seal = CheckSeal(path);
  if (seal.verdict != SealCheck::Verdict::kIntact) {
    throw IntegrityError(path + ": seal: " + seal.detail);
  }
  return H5File::Open(path);
}

}  // namespace samebits::golden
