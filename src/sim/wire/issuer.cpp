#include "sim/wire/issuer.hpp"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

#include <memory>
#include <stdexcept>

#include "base/base64.hpp"
#include "sim/wire/encoding.hpp"
#include "sim/wire/signed_in.hpp"

namespace rollcall::sim {
namespace {

namespace json = boost::json;

class SigningKey {
 public:
  explicit SigningKey(std::string_view name) : id(fingerprint(name)), key(EVP_RSA_gen(2048), EVP_PKEY_free) {
    if (!key) throw std::runtime_error("OpenSSL makes no key");
  }
  std::string id;
  std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key;
};

const SigningKey& key_of(Issuer issuer) {
  static const SigningKey google("google");
  static const SigningKey kubernetes("kubernetes");
  return issuer == Issuer::google ? google : kubernetes;
}

using DigestContext = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;
const unsigned char* raw_bytes(std::string_view bytes) { return reinterpret_cast<const unsigned char*>(bytes.data()); }

std::string sign(EVP_PKEY* key, std::string_view message) {
  const DigestContext digest(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  std::string signature(static_cast<std::size_t>(EVP_PKEY_get_size(key)), '\0');
  std::size_t size = signature.size();
  const bool is_signed =
      digest && EVP_DigestSignInit(digest.get(), nullptr, EVP_sha256(), nullptr, key) == 1 &&
      EVP_DigestSign(digest.get(), reinterpret_cast<unsigned char*>(signature.data()), &size, raw_bytes(message), message.size()) == 1;
  if (!is_signed) throw std::runtime_error("OpenSSL does not sign");
  signature.resize(size);
  return signature;
}

std::string number_of(const EVP_PKEY* key, const char* name) {
  BIGNUM* number = nullptr;
  EVP_PKEY_get_bn_param(key, name, &number);
  const std::unique_ptr<BIGNUM, decltype(&BN_free)> owner(number, BN_free);
  std::string bytes(number ? static_cast<std::size_t>(BN_num_bytes(number)) : 0, '\0');
  if (number) BN_bn2bin(number, reinterpret_cast<unsigned char*>(bytes.data()));
  return base64url_encode(bytes);
}

}  // namespace

std::string signed_token(Issuer issuer, const json::object& claims) {
  const SigningKey& key = key_of(issuer);
  const json::object header{{"alg", "RS256"}, {"kid", key.id}, {"typ", "JWT"}};
  const std::string message = base64url_encode(json::serialize(header)) + "." + base64url_encode(json::serialize(claims));
  return message + "." + base64url_encode(sign(key.key.get(), message));
}

json::object key_set(Issuer issuer) {
  const SigningKey& key = key_of(issuer);
  json::object shown{{"use", "sig"}, {"kty", "RSA"}, {"kid", key.id}, {"alg", "RS256"}};
  shown["n"] = number_of(key.key.get(), OSSL_PKEY_PARAM_RSA_N);
  shown["e"] = number_of(key.key.get(), OSSL_PKEY_PARAM_RSA_E);
  return json::object{{"keys", json::array{std::move(shown)}}};
}

std::optional<json::object> verified_claims(Issuer issuer, std::string_view token) {
  std::optional<json::object> claims = jwt_claims(token);
  if (!claims) return std::nullopt;
  const std::size_t dot = token.rfind('.');
  const std::optional<std::string> signature = base64url_decode(token.substr(dot + 1));
  const std::string_view message = token.substr(0, dot);
  const DigestContext digest(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  const bool is_fine = signature && digest &&
                       EVP_DigestVerifyInit(digest.get(), nullptr, EVP_sha256(), nullptr, key_of(issuer).key.get()) == 1 &&
                       EVP_DigestVerify(digest.get(), raw_bytes(*signature), signature->size(), raw_bytes(message), message.size()) == 1;
  return is_fine ? std::move(claims) : std::nullopt;
}

}  // namespace rollcall::sim
