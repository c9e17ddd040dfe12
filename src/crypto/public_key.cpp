#include "crypto/public_key.hpp"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/param_build.h>

#include <string>

namespace rollcall {
namespace {

constexpr std::size_t p256_bytes = 32;

const unsigned char* raw(std::string_view bytes) { return reinterpret_cast<const unsigned char*>(bytes.data()); }

using Number = std::unique_ptr<BIGNUM, decltype(&BN_free)>;
Number number(std::string_view bytes) { return Number(BN_bin2bn(raw(bytes), static_cast<int>(bytes.size()), nullptr), BN_free); }

using ParamBuilder = std::unique_ptr<OSSL_PARAM_BLD, decltype(&OSSL_PARAM_BLD_free)>;

Result<PublicKey> make_key(const char* kind, OSSL_PARAM_BLD* builder) {
  const std::unique_ptr<OSSL_PARAM, decltype(&OSSL_PARAM_free)> params(OSSL_PARAM_BLD_to_param(builder), OSSL_PARAM_free);
  const std::unique_ptr<EVP_PKEY_CTX, decltype(&EVP_PKEY_CTX_free)> context(EVP_PKEY_CTX_new_from_name(nullptr, kind, nullptr),
                                                                            EVP_PKEY_CTX_free);
  EVP_PKEY* key = nullptr;
  const bool is_made = params && context && EVP_PKEY_fromdata_init(context.get()) == 1 &&
                       EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, params.get()) == 1;
  PublicKey made(key, EVP_PKEY_free);
  ERR_clear_error();
  if (!is_made) return Failure(Errc::invalid_argument, "is no public key");
  return made;
}

// An ES256 signature is two numbers of fixed size, OpenSSL needs them in DER.
std::string der_of(std::string_view signature) {
  const std::unique_ptr<ECDSA_SIG, decltype(&ECDSA_SIG_free)> pair(ECDSA_SIG_new(), ECDSA_SIG_free);
  Number r = number(signature.substr(0, p256_bytes));
  Number s = number(signature.substr(p256_bytes));
  if (!pair || !r || !s || ECDSA_SIG_set0(pair.get(), r.get(), s.get()) != 1) return {};
  r.release();
  s.release();
  unsigned char* der = nullptr;
  const int size = i2d_ECDSA_SIG(pair.get(), &der);
  std::string bytes(reinterpret_cast<const char*>(der), size > 0 ? static_cast<std::size_t>(size) : 0);
  OPENSSL_free(der);
  return bytes;
}

}  // namespace

Result<PublicKey> rsa_public_key(std::string_view modulus, std::string_view exponent) {
  const ParamBuilder builder(OSSL_PARAM_BLD_new(), OSSL_PARAM_BLD_free);
  const Number n = number(modulus);
  const Number e = number(exponent);
  const bool is_built = builder && n && e && OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, n.get()) == 1 &&
                        OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, e.get()) == 1;
  if (!is_built) return Failure(Errc::invalid_argument, "is no public key");
  return make_key("RSA", builder.get());
}

Result<PublicKey> p256_public_key(std::string_view x, std::string_view y) {
  if (x.size() != p256_bytes || y.size() != p256_bytes) return Failure(Errc::invalid_argument, "is no point of P-256");
  const std::string point = std::string("\x04").append(x).append(y);  // SEC 1, 2.3.3: uncompressed
  const ParamBuilder builder(OSSL_PARAM_BLD_new(), OSSL_PARAM_BLD_free);
  const bool is_built = builder && OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0) == 1 &&
                        OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size()) == 1;
  if (!is_built) return Failure(Errc::invalid_argument, "is no public key");
  return make_key("EC", builder.get());
}

bool has_signed(const PublicKey& key, std::string_view message, std::string_view signature) {
  std::string der;
  if (EVP_PKEY_get_base_id(key.get()) == EVP_PKEY_EC) {
    if (signature.size() != 2 * p256_bytes) return false;
    der = der_of(signature);
    signature = der;
  }
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> digest(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  const bool is_fine = digest && EVP_DigestVerifyInit(digest.get(), nullptr, EVP_sha256(), nullptr, key.get()) == 1 &&
                       EVP_DigestVerify(digest.get(), raw(signature), signature.size(), raw(message), message.size()) == 1;
  ERR_clear_error();
  return is_fine;
}

}  // namespace rollcall
