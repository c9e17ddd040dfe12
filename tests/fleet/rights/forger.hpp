// Keys of the tests, and tokens that they sign: valid and forged ones.
#pragma once

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/base64.hpp"

namespace rollcall::testing {

class TokenKey {
 public:
  static TokenKey rsa(unsigned bits = 2048) { return TokenKey(EVP_RSA_gen(bits)); }
  static TokenKey p256() { return TokenKey(EVP_EC_gen("P-256")); }

  /// An entry of a key set.
  std::string shown(const std::string& id) const {
    if (is_rsa()) {
      return R"({"kty":"RSA","use":"sig","kid":")" + id + R"(","n":")" + number(OSSL_PKEY_PARAM_RSA_N, 0) + R"(","e":")" +
             number(OSSL_PKEY_PARAM_RSA_E, 0) + "\"}";
    }
    return R"({"kty":"EC","crv":"P-256","kid":")" + id + R"(","x":")" + number(OSSL_PKEY_PARAM_EC_PUB_X, 32) + R"(","y":")" +
           number(OSSL_PKEY_PARAM_EC_PUB_Y, 32) + "\"}";
  }
  std::string token_with(const std::string& header, const std::string& claims) const {
    const std::string message = base64url_encode(header) + "." + base64url_encode(claims);
    return message + "." + base64url_encode(signature(message));
  }
  /// With the matching header.
  std::string token(std::string_view id, const std::string& claims) const {
    const std::string algorithm = is_rsa() ? "RS256" : "ES256";
    return token_with(R"({"alg":")" + algorithm + R"(","kid":")" + std::string(id) + "\"}", claims);
  }

 private:
  explicit TokenKey(EVP_PKEY* key) : key_(key, EVP_PKEY_free) {}
  bool is_rsa() const { return EVP_PKEY_get_base_id(key_.get()) == EVP_PKEY_RSA; }
  static std::string bytes_of(const BIGNUM* number, int min) {
    const int size = std::max(min, BN_num_bytes(number));
    std::string bytes(static_cast<std::size_t>(size), '\0');
    BN_bn2binpad(number, reinterpret_cast<unsigned char*>(bytes.data()), size);
    return bytes;
  }
  std::string number(const char* name, int min) const {
    BIGNUM* number = nullptr;
    EVP_PKEY_get_bn_param(key_.get(), name, &number);
    const std::string bytes = bytes_of(number, min);
    BN_free(number);
    return base64url_encode(bytes);
  }
  std::string signature(const std::string& message) const {
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> digest(EVP_MD_CTX_new(), EVP_MD_CTX_free);
    std::string bytes(static_cast<std::size_t>(EVP_PKEY_get_size(key_.get())), '\0');
    std::size_t size = bytes.size();
    EVP_DigestSignInit(digest.get(), nullptr, EVP_sha256(), nullptr, key_.get());
    EVP_DigestSign(digest.get(), reinterpret_cast<unsigned char*>(bytes.data()), &size,
                   reinterpret_cast<const unsigned char*>(message.data()), message.size());
    bytes.resize(size);
    if (is_rsa()) return bytes;
    const auto* at = reinterpret_cast<const unsigned char*>(bytes.data());
    const std::unique_ptr<ECDSA_SIG, decltype(&ECDSA_SIG_free)> pair(d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(bytes.size())),
                                                                     ECDSA_SIG_free);
    return bytes_of(ECDSA_SIG_get0_r(pair.get()), 32) + bytes_of(ECDSA_SIG_get0_s(pair.get()), 32);
  }
  std::shared_ptr<EVP_PKEY> key_;
};

}  // namespace rollcall::testing
