// PEM files of our own settings: read at each use, and the same access while they are the same.
#include <catch2/catch.hpp>

#include "call/access_files.hpp"
#include "call/runtime_impl.hpp"
#include "support/result.hpp"
#include "support/test_runtime.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

class RuntimeOfFiles : public TestRuntime {
 public:
  explicit RuntimeOfFiles(std::map<std::string, std::string, std::less<>> files)
      : TestRuntime({}, {}, static_token(Secret<std::string>("t")), std::move(files)) {}
  Runtime::Impl& impl() { return impl_of(runtime); }
};

AccessFiles files_of(std::string authorities, std::string certificate, std::string key = {}) {
  AccessFiles files;
  files.authorities = std::move(authorities);
  files.certificate = std::move(certificate);
  files.key = std::move(key);
  return files;
}

}  // namespace

TEST_CASE("PEM files of the settings become an access, which is another one when they have been renewed") {
  AccessReader reader(files_of("/ca", "/own", "/key"), "the lease");
  RuntimeOfFiles first({{"/ca", "A"}, {"/own", "C"}, {"/key", "K"}});
  RuntimeOfFiles renewed({{"/ca", "A"}, {"/own", "D"}, {"/key", "L"}});
  const std::shared_ptr<const ServerAccess> access = value_of(reader.read(first.impl()));
  CHECK((access->authorities == "A" && access->certificate == "C" && access->key.reveal() == "K"));
  CHECK(access->authorities_from == "the CA file /ca");
  CHECK(access->identity_from == "'/own' with the key '/key'");
  CHECK(value_of(reader.read(first.impl())) == access);
  const std::shared_ptr<const ServerAccess> next = value_of(reader.read(renewed.impl()));
  CHECK((next != access && next->certificate == "D" && next->key.reveal() == "L"));
  // Without a file of its own the key is in the certificate's; without files there is nothing to say.
  CHECK(value_of(AccessReader(files_of("", "/own"), "x").read(first.impl()))->key.reveal() == "C");
  CHECK(value_of(AccessReader(files_of("", ""), "x").read(first.impl())) == nullptr);
}

TEST_CASE("a PEM file that cannot be read is named, with its owner") {
  RuntimeOfFiles t(std::map<std::string, std::string, std::less<>>{{"/own", "C"}});
  check_failure(AccessReader(files_of("/ca", "/own"), "the lease").read(t.impl()), Errc::not_found,
                "the authorities for the lease cannot be read");
  check_failure(AccessReader(files_of("", "/none"), "the lease").read(t.impl()), Errc::not_found,
                "the certificate for the lease cannot be read");
  check_failure(AccessReader(files_of("", "/own", "/key"), "the other replicas").read(t.impl()), Errc::not_found,
                "the key for the other replicas cannot be read");
}
