// Certificates that are rejected, and the explanation.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <vector>

#include "net/dial/tls_fixture.hpp"
#include "rollcall/runtime.hpp"

using namespace rollcall;
using namespace rollcall::testing;

TEST_CASE("an expired certificate is refused with its date") {
  TlsFixture fixture;
  CertificateRequest request({"DNS:tpu.example.com"});
  request.valid_from = -7200;
  request.valid_to = -3600;
  request.common_name = "old server";
  fixture.serve(CertifiedKey(request, &fixture.ca));
  const Failure failure = fixture.refused();
  CHECK(TlsFixture::has(failure.what(), "'tpu.example.com' cannot be trusted: the certificate of CN = old server expired on 20"));
  CHECK((TlsFixture::has(failure.what(), " UTC (1 h ago)") || TlsFixture::has(failure.what(), " UTC (1 h 0 m ago)")));
  CHECK(TlsFixture::has(failure.hint(), "renewed"));
}

TEST_CASE("the time since a certificate's expiry is given in days, for any number") {
  TlsFixture fixture;
  CertificateRequest request({"DNS:tpu.example.com"});
  const auto [days, text] = GENERATE(table<long, std::string>({{1, "(1 day ago)"}, {3, "(3 days ago)"}, {18000, "(18000 days ago)"}}));
  request.valid_from = -(days + 10) * 86400;
  request.valid_to = -days * 86400 - 60;
  fixture.serve(CertifiedKey(request, &fixture.ca));
  CHECK(TlsFixture::has(fixture.refused().what(), text));
}

TEST_CASE("an authority whose certificate has expired is named as one") {
  TlsFixture fixture;
  CertificateRequest old = authority_request("Old CA");
  old.valid_from = -20 * 86400;
  old.valid_to = -2 * 86400;
  const CertifiedKey authority(old);
  const TemporaryFile file(authority.pem());
  fixture.network.ca_file = file.path();
  fixture.serve(CertifiedKey(CertificateRequest({"DNS:tpu.example.com"}), &authority));
  CHECK(TlsFixture::has(fixture.refused().what(), "the certificate of its authority CN = Old CA expired on 20"));
}

TEST_CASE("a certificate for another purpose is refused with its purpose") {
  TlsFixture fixture;
  CertificateRequest request({"DNS:tpu.example.com"});
  request.common_name = "a client";
  request.usage = "clientAuth,emailProtection";
  fixture.serve(CertifiedKey(request, &fixture.ca));
  const Failure failure = fixture.refused();
  CHECK(TlsFixture::has(
      failure.what(),
      "the certificate of CN = a client has the wrong purpose: it is for TLS Web Client Authentication, E-mail Protection"));
  CHECK(TlsFixture::has(failure.hint(), "TLS Web Server Authentication"));
}

TEST_CASE("a server's certificate does not make it an authority") {
  TlsFixture fixture;
  CertificateRequest request({"DNS:other.example.com"});
  request.common_name = "a server";
  const CertifiedKey leaf(request, &fixture.ca);
  fixture.serve(CertifiedKey(CertificateRequest({"DNS:tpu.example.com"}), &leaf));
  CHECK(TlsFixture::has(fixture.refused().what(), "unknown authority (CN = a server)"));
}

TEST_CASE("a certificate that is not valid yet is refused with its date") {
  TlsFixture fixture;
  CertificateRequest request({"DNS:tpu.example.com"});
  request.valid_from = 3600;
  fixture.serve(CertifiedKey(request, &fixture.ca));
  const Failure failure = fixture.refused();
  CHECK(TlsFixture::has(failure.what(), "is not valid before 20"));
  CHECK(TlsFixture::has(failure.what(), "UTC (in "));
  CHECK(TlsFixture::has(failure.hint(), "clock"));
}

TEST_CASE("a certificate of another host is refused with its names, a few of them") {
  TlsFixture fixture;
  std::vector<std::string> names{"DNS:a.example.com", "IP:10.0.0.1", "IP:fd00::1"};
  for (int i = 0; i < 50; ++i) names.push_back(fmt::format("DNS:n{}.example.com", i));
  fixture.serve(CertifiedKey(CertificateRequest(names), &fixture.ca));
  const std::string what = fixture.refused().what();
  CHECK(TlsFixture::has(what,
                        "its certificate is for a.example.com, 10.0.0.1, fd00:0:0:0:0:0:0:1, n0.example.com, n1.example.com and 48 more"));
  CHECK(TlsFixture::has(what, "not for tpu.example.com"));
  CHECK_FALSE(fixture.refused().hint().empty());
}

TEST_CASE("a name with terminal escapes in a certificate is printed harmlessly") {
  TlsFixture fixture;
  CertificateRequest request;
  request.common_name = "evil\x1b[2Jname";
  fixture.serve(CertifiedKey(request, &fixture.ca));
  const std::string what = fixture.refused().what();
  CHECK(what.find('\x1b') == std::string::npos);
  CHECK(TlsFixture::has(what, "evil"));
}

TEST_CASE("an address is checked as an address") {
  TlsFixture fixture;
  fixture.serve(CertifiedKey(CertificateRequest({"IP:127.0.0.1", "IP:::1"}), &fixture.ca));
  CHECK(fixture.dial("https://127.0.0.1/")->stream().is_tls());
  CHECK(fixture.dial("https://[::1]/")->stream().is_tls());
  CHECK(TlsFixture::has(fixture.refused("https://127.0.0.2/").what(), "is for 127.0.0.1, 0:0:0:0:0:0:0:1, not for 127.0.0.2"));
}

TEST_CASE("an unknown authority is refused with a hint") {
  TlsFixture fixture;
  const CertifiedKey other(authority_request("Other CA"));
  fixture.serve(CertifiedKey(CertificateRequest({"DNS:tpu.example.com"}), &other));
  const Failure failure = fixture.refused();
  CHECK(TlsFixture::has(failure.what(),
                        "issued by an unknown authority (CN = Other CA), which is not among the trust anchors (the CA file /"));
  CHECK(TlsFixture::has(failure.hint(), "CA file"));
}

TEST_CASE("without a CA file the system's trust anchors are used, and the hint names the option") {
  TlsFixture fixture;
  fixture.network.ca_file.clear();
  fixture.serve(CertifiedKey(CertificateRequest({"DNS:tpu.example.com"}), &fixture.ca));
  const Failure failure = fixture.refused();
  CHECK(TlsFixture::has(failure.what(), "among the trust anchors (the system's)"));
  CHECK(TlsFixture::has(failure.hint(), "--ca FILE"));
}

TEST_CASE("a self-signed certificate is refused unless it is the CA file") {
  TlsFixture fixture;
  const CertifiedKey self(CertificateRequest({"DNS:tpu.example.com"}));
  fixture.serve(self);
  SECTION("refused") {
    const Failure failure = fixture.refused();
    CHECK(TlsFixture::has(failure.what(), "its certificate (CN = test) is self-signed and not among the trust anchors (the CA file /"));
    CHECK(TlsFixture::has(failure.hint(), "--ca FILE"));
  }
  SECTION("trusted by file") {
    const TemporaryFile file(self.pem());
    fixture.network.ca_file = file.path();
    CHECK(fixture.dial("https://tpu.example.com./")->stream().is_tls());
  }
}

TEST_CASE("an unusable CA file is named") {
  TlsFixture fixture;
  fixture.serve(CertifiedKey(CertificateRequest({"DNS:tpu.example.com"}), &fixture.ca));
  const TemporaryFile not_pem("this is no certificate");
  const TemporaryFile empty("");
  const std::string missing = not_pem.path() + "-missing";
  for (const std::string& path : {missing, not_pem.path(), empty.path(), std::string("/")}) {
    fixture.network.ca_file = path;
    fixture.dialer.reset();
    const Failure failure = fixture.dial("https://tpu.example.com/")->failure();
    INFO(failure.message());
    CHECK(failure.code() == Errc::invalid_argument);
    CHECK(failure.what().find(path) != std::string::npos);
    CHECK(check_ca_file(path).error().what() == failure.what());
    // Fails before any connection: no server listens at that address.
    CHECK(fixture.dial("https://127.0.0.1:9/")->failure().what() == failure.what());
  }
  const TemporaryFile good(fixture.ca.pem());
  CHECK(check_ca_file(good.path()).has_value());
}
