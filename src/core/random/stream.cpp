#include "core/random/stream.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <stdexcept>
#include <utility>

#include "core/base/int128.hpp"

namespace dpmix {

struct RandomStream::Cipher {
  EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();

  Cipher() = default;
  Cipher(const Cipher&) = delete;
  Cipher& operator=(const Cipher&) = delete;
  ~Cipher() { EVP_CIPHER_CTX_free(context); }  // erases the key

  // Block counter and nonce begin at zero: no key ever makes more than one buffer.
  void set_key(const EVP_CIPHER* cipher, const void* key) {
    static constexpr unsigned char counter_and_nonce[16] = {};
    if (context == nullptr ||
        EVP_EncryptInit_ex(context, cipher, nullptr, static_cast<const unsigned char*>(key),
                           counter_and_nonce) != 1) {
      throw std::runtime_error("libcrypto could not set up ChaCha20");
    }
  }
};

namespace {
constexpr std::size_t key_words = sizeof(RandomStream::Key) / sizeof(std::uint64_t);
}

RandomStream::RandomStream(const Key& key) : cipher_(std::make_unique<Cipher>()) {
  cipher_->set_key(EVP_chacha20(), key.data());
}

RandomStream::~RandomStream() {
  OPENSSL_cleanse(buffer_.data(), sizeof buffer_);
  OPENSSL_cleanse(&bits_, sizeof bits_);
}

void RandomStream::refill() {
  // Out of its place until the next key is in: a failure half way must not repeat a keystream.
  auto cipher = std::exchange(cipher_, nullptr);
  if (cipher == nullptr) throw std::runtime_error("random stream used after a failure");
  // Used words are zero, so encryption in place leaves the bare keystream. A whole number of
  // ChaCha20 blocks: no part of it stays behind in libcrypto's own buffer.
  static_assert(sizeof buffer_ % 64 == 0);
  auto* bytes = reinterpret_cast<unsigned char*>(buffer_.data());
  int written = 0;
  if (EVP_EncryptUpdate(cipher->context, bytes, &written, bytes, sizeof buffer_) != 1 ||
      written != sizeof buffer_) {
    OPENSSL_cleanse(bytes, sizeof buffer_);
    throw std::runtime_error("libcrypto failed in ChaCha20");
  }
  cipher->set_key(nullptr, bytes);
  OPENSSL_cleanse(bytes, sizeof(Key));
  position_ = key_words;
  cipher_ = std::move(cipher);
}

bool RandomStream::bit() {
  if (bits_left_ == 0) {
    bits_ = next64();
    bits_left_ = 64;
  }
  const bool result = (bits_ & 1) != 0;
  bits_ >>= 1;
  --bits_left_;
  return result;
}

// Lemire 2019: the high word of word * bound, after rejecting 2^64 mod bound of the low words.
std::uint64_t RandomStream::below(std::uint64_t bound) {
  UInt128 product = static_cast<UInt128>(next64()) * bound;
  if (static_cast<std::uint64_t>(product) < bound) {
    const std::uint64_t rejected = -bound % bound;
    while (static_cast<std::uint64_t>(product) < rejected) {
      product = static_cast<UInt128>(next64()) * bound;
    }
  }
  return static_cast<std::uint64_t>(product >> 64);
}

}  // namespace dpmix
