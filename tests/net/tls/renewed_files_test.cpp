// Certificates that are renewed while a program runs: new connections use the current content of the files.
#include <fcntl.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "net/tls/access_table.hpp"
#include "rollcall/runtime.hpp"
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

TEST_CASE("a CA file that has been checked is not read again, unless it has changed") {
  const TemporaryFile authorities(CertifiedKey(authority_request()).pem());
  TlsFiles files;
  files.authorities = authorities.path();
  const bool changes = GENERATE(false, true);
  REQUIRE(check_ca_file(authorities.path()));
  struct stat before{};
  REQUIRE(::stat(authorities.path().c_str(), &before) == 0);
  authorities.write(std::string(static_cast<std::size_t>(before.st_size), 'x'));
  const timespec times[] = {before.st_atim, {before.st_mtim.tv_sec + changes, before.st_mtim.tv_nsec}};
  REQUIRE(::utimensat(AT_FDCWD, authorities.path().c_str(), times, 0) == 0);
  if (!changes) CHECK(AccessTable(files).context(nullptr).has_value());  // its time says that it is the same
  check_failure(AccessTable(files).context(nullptr), Errc::invalid_argument, "it contains no PEM certificate");
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
