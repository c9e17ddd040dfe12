// Each call without an endpoint needs the universe: once known, this must not allocate.
#include <asio/io_context.hpp>
#include <catch2/catch.hpp>

#include "call/runtime_impl.hpp"
#include "google/cloud_place.hpp"
#include "rollcall/runtime.hpp"
#include "support/credential_files.hpp"
#include "support/live_bytes.hpp"

namespace rollcall::testing {
namespace {

const std::string path = "/keys/application_default_credentials.json";

// The number of allocations of the second look-up.
std::size_t allocations_with(std::shared_ptr<Credentials> credentials, std::shared_ptr<const Environment> environment) {
  asio::io_context loop{1};
  RuntimeOptions options;
  options.environment = std::move(environment);
  options.files = fixed_files({{path, credential_sample("authorized_user")}});
  options.credentials = std::move(credentials);
  const Runtime runtime(loop.get_executor(), std::move(options));
  std::size_t used = 0;
  for (int i = 0; i < 2; ++i) {
    const std::size_t before = live_bytes.allocations();
    const std::optional<Result<std::string>> universe = known_universe(impl_of(runtime));
    used = live_bytes.allocations() - before;
    REQUIRE(universe);
    CHECK(**universe == "googleapis.com");
  }
  return used;
}

}  // namespace

TEST_CASE("a known universe is returned without allocations") {
  const std::shared_ptr<const Environment> nothing_set = fixed_environment({});
  CHECK(allocations_with(credential_file(path), nothing_set) == 0);
  CHECK(allocations_with(default_credentials(), fixed_environment({{"GOOGLE_APPLICATION_CREDENTIALS", path}})) == 0);
  CHECK(allocations_with(default_credentials(), nothing_set) == 0);  // the universe of the metadata server
  CHECK(allocations_with(metadata_token(), nothing_set) == 0);
  CHECK(allocations_with(static_token(Secret<std::string>("a token of one's own")), nothing_set) == 0);
  CHECK(allocations_with(token_file("/run/token"), process_environment()) == 0);
}

}  // namespace rollcall::testing
