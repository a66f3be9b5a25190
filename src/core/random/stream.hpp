// Cryptographic random bits.
//
// Enters: a 32-byte key. Leaves: bits that nobody without the key tells from uniform ones
// (ChaCha20 by libcrypto, fast key erasure: each refill replaces the key, so that a later memory
// dump does not reveal earlier noise). Equal keys give equal bits: tests pass a fixed key, while
// production passes a fresh key of pg_strong_random for each call and has no way to pass another
// (pg/border/entropy.cpp). Failure of libcrypto throws std::runtime_error; the stream then stays
// unusable.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace dpmix {

class RandomStream {
 public:
  using Key = std::array<std::uint8_t, 32>;

  explicit RandomStream(const Key& key);
  ~RandomStream();  // erases key material and unused bits
  RandomStream(const RandomStream&) = delete;
  RandomStream& operator=(const RandomStream&) = delete;

  std::uint64_t next64() {
    if (position_ == buffer_.size()) refill();
    const std::uint64_t word = buffer_[position_];
    buffer_[position_++] = 0;
    return word;
  }
  bool bit();
  // Uniform on {0, ..., bound-1}, exactly (rejection). bound >= 1.
  std::uint64_t below(std::uint64_t bound);

 private:
  void refill();

  struct Cipher;  // libcrypto's context, the only holder of the current key
  std::unique_ptr<Cipher> cipher_;
  std::array<std::uint64_t, 512> buffer_{};
  std::size_t position_ = buffer_.size();
  std::uint64_t bits_ = 0;
  int bits_left_ = 0;
};

}  // namespace dpmix
