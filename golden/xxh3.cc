#include "golden/xxh3.h"

#include <xxhash.h>

#include <new>

namespace samebits::golden {
namespace {

std::string Hex(XXH128_hash_t hash) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, hash);
  std::string text;
  for (const unsigned char byte : canonical.digest) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

}  // namespace

struct Hasher::State {
  State() : state(XXH3_createState()) {
    if (state == nullptr) throw std::bad_alloc();
    XXH3_128bits_reset(state);
  }
  ~State() { XXH3_freeState(state); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  XXH3_state_t* state;
};

Hasher::Hasher() : state_(std::make_unique<State>()) {}
Hasher::~Hasher() = default;

void Hasher::Update(std::span<const std::byte> bytes) {
  XXH3_128bits_update(state_->state, bytes.data(), bytes.size());
}

void Hasher::Update(std::string_view text) { Update(std::as_bytes(std::span(text))); }

std::string Hasher::Hex() const { return golden::Hex(XXH3_128bits_digest(state_->state)); }

std::string HashHex(std::span<const std::byte> bytes) {
  return Hex(XXH3_128bits(bytes.data(), bytes.size()));
}

std::string HashHex(std::string_view text) { return HashHex(std::as_bytes(std::span(text))); }

std::string HashHex(const Tensor& tensor) { return HashHex(std::span(tensor.data)); }

}  // namespace samebits::golden
