// The content of certificates.
#include "crypto/certificate.hpp"

#include <catch2/catch.hpp>

#include "support/certificates.hpp"
#include "support/result.hpp"

namespace rollcall::testing {
namespace {

WallTime wall_now() { return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()); }

CertificateRequest aged(long from, long to) {
  CertificateRequest request;
  request.common_name = "ada";
  request.valid_from = from;
  request.valid_to = to;
  return request;
}

TEST_CASE("the owner and the dates of a certificate") {
  const CertifiedKey authority(authority_request("the authority"));
  const CertifiedKey good(aged(-3600, 3600), &authority);
  const CertificateFacts facts = value_of(read_certificate("text before\n" + good.pem() + authority.pem()));
  CHECK(facts.name == "ada");
  CHECK(facts.issuer == "the authority");
  CHECK(date_fault(facts, wall_now()).empty());
  constexpr long day = 24 * 3600;
  CHECK_THAT(date_fault(value_of(read_certificate(CertifiedKey(aged(-20 * day, -10 * day)).pem())), wall_now()),
             Catch::StartsWith("ended on 2") && Catch::Contains("d ") && Catch::EndsWith(" ago)"));
  CHECK_THAT(date_fault(value_of(read_certificate(CertifiedKey(aged(10 * day, 20 * day)).pem())), wall_now()),
             Catch::StartsWith("is not valid before 2"));
}

TEST_CASE("texts without a certificate") {
  const CertifiedKey one(aged(-1, 1000));
  check_failure(read_certificate(""), Errc::invalid_argument, "holds no PEM certificate");
  check_failure(read_certificate(one.key_pem()), Errc::invalid_argument, "holds no PEM certificate");
  check_failure(read_certificate("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"), Errc::invalid_argument, "damaged");
  check_failure(read_certificate("-----BEGIN CERTIFICATE-----\\nAAAA\\n-----END CERTIFICATE-----\\n"), Errc::invalid_argument,
                "its line ends are \\n as two characters");
}

TEST_CASE("a key belongs to a certificate, or does not") {
  const CertifiedKey one(aged(-1, 1000));
  const CertifiedKey other(aged(-1, 1000));
  CHECK(value_of(is_key_of(one.key_pem(), one.pem())));
  CHECK_FALSE(value_of(is_key_of(other.key_pem(), one.pem())));
  check_failure(is_key_of("nonsense", one.pem()), Errc::invalid_argument, "is no PEM private key");
  check_failure(is_key_of(one.key_pem(), "nonsense"), Errc::invalid_argument, "holds no PEM certificate");
}

TEST_CASE("authorities and expired ones are counted") {
  const CertifiedKey good(aged(-1, 1000));
  const CertifiedKey ended(aged(-1000, -10));
  const AuthorityFacts facts = value_of(read_authorities(good.pem() + ended.pem() + good.pem(), wall_now()));
  CHECK(facts.count == 3);
  CHECK(facts.ended == 1);
  check_failure(read_authorities(good.pem() + "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", wall_now()),
                Errc::invalid_argument, "damaged");
  check_failure(read_authorities("", wall_now()), Errc::invalid_argument, "holds no PEM certificate");
}

}  // namespace
}  // namespace rollcall::testing
