#include "crypto/signature.hpp"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <memory>

#include "base/append_formatted.hpp"
#include "base/pem_text.hpp"
#include "crypto/private_key.hpp"

namespace rollcall {
namespace {

template <auto Free>
class Freed {
 public:
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};
using Bio = std::unique_ptr<BIO, Freed<BIO_free_all>>;
using Digest = std::unique_ptr<EVP_MD_CTX, Freed<EVP_MD_CTX_free>>;

}  // namespace

Result<std::string> sign_rs256(std::string_view name, const Secret<std::string>& key, std::string_view message) {
  constexpr int min_bits = 2048;
  const auto refuse = [&name](std::string_view what) {
    ERR_clear_error();
    return Failure(Errc::invalid_argument, fmt::format("{} {}", name, what))
        .with_hint("make a new key in the console, or with gcloud iam service-accounts keys create");
  };
  const Bio text(BIO_new_mem_buf(key.reveal().data(), static_cast<int>(key.reveal().size())));
  if (!text) return refuse("cannot be read: out of memory");
  const Result<PrivateKeyPtr> read = read_private_key(*text);
  if (!read) {
    Failure failure = refuse(read.error().what());
    // A new key would be damaged in the same way.
    if (!pem_form_fault(key.reveal()).empty()) failure.with_hint("write it as the console gave it: in JSON \\n stands for each line end");
    return failure;
  }
  EVP_PKEY* const parsed = read->get();
  if (EVP_PKEY_get_base_id(parsed) != EVP_PKEY_RSA) return refuse("is not an RSA key");
  if (EVP_PKEY_get_bits(parsed) < min_bits)
    return refuse(fmt::format("has {} bits: fewer than {} are refused", EVP_PKEY_get_bits(parsed), min_bits));
  const Digest digest(EVP_MD_CTX_new());
  std::string signature(static_cast<std::size_t>(EVP_PKEY_get_size(parsed)), '\0');
  std::size_t size = signature.size();
  const bool is_signed = digest && EVP_DigestSignInit(digest.get(), nullptr, EVP_sha256(), nullptr, parsed) == 1 &&
                         EVP_DigestSign(digest.get(), reinterpret_cast<unsigned char*>(signature.data()), &size,
                                        reinterpret_cast<const unsigned char*>(message.data()), message.size()) == 1;
  if (!is_signed) return refuse("cannot sign");
  signature.resize(size);
  return signature;
}

std::string sha256(std::string_view message) {
  std::string digest(32, '\0');
  EVP_Digest(message.data(), message.size(), reinterpret_cast<unsigned char*>(digest.data()), nullptr, EVP_sha256(), nullptr);
  return digest;
}

Secret<std::string> hmac_sha256(std::string_view key, std::string_view message) {
  std::string digest(32, '\0');
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(message.data()), message.size(),
       reinterpret_cast<unsigned char*>(digest.data()), nullptr);
  return Secret<std::string>(std::move(digest));
}

bool is_same_code(std::string_view a, std::string_view b) noexcept {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string random_hex(std::size_t bytes) {
  std::string drawn(bytes, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(drawn.data()), static_cast<int>(bytes)) != 1) return {};
  return to_hex(drawn);
}

std::string to_hex(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const char c : bytes) append_formatted(text, "{:02x}", static_cast<unsigned char>(c));
  return text;
}

}  // namespace rollcall
