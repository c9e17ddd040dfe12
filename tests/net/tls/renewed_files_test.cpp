// Certificates that are renewed while a program runs: new connections use the current content of the files.
#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "net/tls/access_table.hpp"
#include "support/certificates.hpp"
#include "support/result.hpp"

namespace rollcall::testing {
namespace {

TEST_CASE("renewed files are read for the next connection, and while they are damaged the last ones are used") {
  const CertifiedKey first(authority_request());
  const CertifiedKey second(authority_request());
  const TemporaryFile authorities(first.pem());
  TlsFiles files;
  files.authorities = authorities.path();
  AccessTable table(files);
  const auto access = std::make_shared<const ServerAccess>();
  const std::shared_ptr<TlsContext> common = value_of(table.context(nullptr));
  const std::shared_ptr<TlsContext> own = value_of(table.context(access));
  CHECK(value_of(table.context(nullptr)) == common);
  CHECK(value_of(table.context(access)) == own);

  authorities.write(second.pem() + first.pem());
  const std::shared_ptr<TlsContext> renewed = value_of(table.context(nullptr));
  CHECK(renewed != common);
  CHECK(value_of(table.context(access)) != own);
  CHECK(value_of(table.context(nullptr)) == renewed);

  authorities.write("-----BEGIN CERTIFICATE-----\nhalf of it");
  CHECK(value_of(table.context(nullptr)) == renewed);
  authorities.write(second.pem());
  CHECK(value_of(table.context(nullptr)) != renewed);
}

TEST_CASE("without own files nothing is read, and an unreadable file at the start is an error") {
  CHECK(TlsFiles().stamp().empty());
  TlsFiles files;
  files.authorities = "/nowhere/ca.pem";
  AccessTable table(files);
  check_failure(table.context(nullptr), Errc::invalid_argument, "/nowhere/ca.pem");
}

}  // namespace
}  // namespace rollcall::testing
