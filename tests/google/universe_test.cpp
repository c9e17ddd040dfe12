// The universe of requests: from the variable, credentials or the metadata server, and a token is sent to no other one.
#include <catch2/catch.hpp>

#include "google/cloud_place.hpp"
#include "rollcall/doctor.hpp"
#include "rollcall/gce_resolver.hpp"
#include "rollcall/resolver.hpp"
#include "rollcall/tpu_resolver.hpp"
#include "support/credential_files.hpp"
#include "support/result.hpp"
#include "support/test_runtime.hpp"

namespace rollcall::testing {
namespace {

using UniverseTexts = std::map<std::string, std::string, std::less<>>;

constexpr const char* variable = "GOOGLE_CLOUD_UNIVERSE_DOMAIN";
const std::string key_path = "/keys/key.json";

const UniverseTexts google_machine = {{"/sys/class/dmi/id/product_name", "Google Compute Engine\n"}};

UniverseTexts key_of(const std::string& universe) { return {{key_path, service_account_sample({{"universe_domain", universe}})}}; }

// Every host that got a request, in order.
std::string hosts_of(const TestRuntime& t) {
  std::string hosts;
  for (const HttpRequest& request : t.transport->requests) hosts += request.url.host + " ";
  return hosts;
}

TpuOptions trainer() { return TpuOptions("trainer").project("p").zone("z"); }

Result<ClusterSpec> spec_of_tpu(TestRuntime& t, TpuOptions options = trainer()) {
  return t.run(make_tpu_resolver(t.runtime, std::move(options))->try_cluster_spec());
}

// A metadata server with `universe`; a status other than 200 is its answer to that request.
void serve_metadata(TestRuntime& t, std::string universe, int status = 200) {
  t.transport->respond = [universe, status](const HttpRequest& request) {
    const bool is_universe = request.url.target.ends_with("/universe-domain");
    const bool is_token = request.url.target.ends_with("/token");
    HttpResponse response =
        ScriptedTransport::reply(is_universe ? status
                                 : is_token  ? 200
                                             : 404,
                                 is_universe ? universe
                                 : is_token  ? R"({"access_token":"vm-token-0123456789","expires_in":3599,"token_type":"Bearer"})"
                                             : "{}");
    response.headers.add("Metadata-Flavor", "Google");
    return ScriptedTransport::Answer(std::move(response));
  };
}

TEST_CASE("the default endpoints are those of the credentials' universe") {
  TestRuntime t({}, {}, credential_file(key_path), key_of("cloud.example"));
  t.answer(404, "{}");
  CHECK(spec_of_tpu(t).error().code() == Errc::not_found);
  CHECK(hosts_of(t) == "tpu.cloud.example ");
  t.transport->requests.clear();
  CHECK(t.run(make_gce_resolver(t.runtime, GceOptions("g").project("p").zone("z").port(1))->try_cluster_spec()).has_error());
  CHECK(hosts_of(t) == "compute.cloud.example ");
  CHECK(t.transport->requests.front().url.target.starts_with("/compute/v1/projects/p/"));
  t.transport->requests.clear();
  CHECK(t.run(make_resolver(t.runtime, "tpu:qr/q,project=p,zone=z").value()->try_cluster_spec()).has_error());
  CHECK(hosts_of(t) == "tpu.cloud.example ");
  t.transport->requests.clear();
  CHECK(t.run(try_doctor(t.runtime, DoctorOptions().target("tpu:x,project=p,zone=z"))).has_value());
  CHECK_THAT(hosts_of(t), Catch::Contains("cloudresourcemanager.cloud.example ") && !Catch::Contains("googleapis"));
}

TEST_CASE("an endpoint that is named is taken as it is") {
  TestRuntime t({{"CLOUDSDK_API_ENDPOINT_OVERRIDES_COMPUTE", "https://compute.test/compute/v1/"}}, {}, credential_file(key_path),
                key_of("cloud.example"));
  t.answer(404, "{}");
  CHECK(spec_of_tpu(t, trainer().endpoint("https://tpu.test/")).has_error());
  CHECK(t.run(make_gce_resolver(t.runtime, GceOptions("g").project("p").zone("z").port(1))->try_cluster_spec()).has_error());
  CHECK(hosts_of(t) == "tpu.test compute.test ");
  // Google's own hosts get no token of another universe, independent of the URL's source.
  t.transport->requests.clear();
  check_failure(spec_of_tpu(t, trainer().endpoint("https://tpu.googleapis.com/")), Errc::refused_by_policy, "cloud.example");
  CHECK(t.transport->requests.empty());
}

TEST_CASE("a given token is of the universe that the variable names") {
  TestRuntime t(UniverseTexts{{variable, "cloud.example"}});
  t.answer(404, "{}");
  CHECK(spec_of_tpu(t).has_error());
  CHECK(hosts_of(t) == "tpu.cloud.example ");
  TestRuntime bad(UniverseTexts{{variable, "evil.test/x"}});
  bad.answer(404, "{}");
  check_failure(spec_of_tpu(bad), Errc::invalid_argument, "GOOGLE_CLOUD_UNIVERSE_DOMAIN: 'evil.test/x' is not a domain");
  CHECK(bad.transport->requests.empty());
}

TEST_CASE("variable and credentials of different universes: nothing is sent") {
  std::string of_file = GENERATE("googleapis.com", "good.example");
  TestRuntime t({{variable, "cloud.example"}}, {}, credential_file(key_path), key_of(of_file));
  t.answer(404, "{}");
  const Result<ClusterSpec> spec = spec_of_tpu(t);
  check_failure(spec, Errc::refused_by_policy,
                "GOOGLE_CLOUD_UNIVERSE_DOMAIN is cloud.example, and the credentials (service_account) are of the universe " + of_file);
  CHECK_THAT(spec.error().hint(), Catch::Contains(of_file));
  CHECK(t.transport->requests.empty());
  TestRuntime same({{variable, of_file}}, {}, credential_file(key_path), key_of(of_file));
  same.answer(404, "{}");
  CHECK(spec_of_tpu(same).error().code() == Errc::not_found);
  of_file.front() = 'G';
  TestRuntime spelt({{variable, of_file}}, {}, credential_file(key_path), key_of("g" + of_file.substr(1)));
  spelt.answer(404, "{}");
  CHECK(spec_of_tpu(spelt).error().code() == Errc::not_found);
}

TEST_CASE("only Google's hosts are moved to another universe") {
  for (const std::string host : {"tpu.googleapis.com", "googleapis.com", "tpu.test", "notgoogleapis.com"}) {
    Url root = Url::parse("https://" + host + "/").value();
    move_to_universe(root, "cloud.example");
    CHECK(root.host == (host == "tpu.googleapis.com" ? "tpu.cloud.example" : host == "googleapis.com" ? "cloud.example" : host));
  }
}

TEST_CASE("the metadata server's universe is requested once") {
  TestRuntime t({}, {}, metadata_token(), google_machine);
  serve_metadata(t, "cloud.example\n");
  for (int i = 0; i < 3; ++i) CHECK(spec_of_tpu(t).error().code() == Errc::not_found);
  CHECK(hosts_of(t) == "metadata.google.internal metadata.google.internal tpu.cloud.example tpu.cloud.example tpu.cloud.example ");
  TestRuntime other({{variable, "googleapis.com"}}, {}, metadata_token());
  serve_metadata(other, "cloud.example");
  check_failure(spec_of_tpu(other), Errc::refused_by_policy, "the credentials (metadata server) are of the universe cloud.example");
  CHECK_THAT(hosts_of(other), !Catch::Contains("tpu."));
}

TEST_CASE("a substitute of the metadata server is not queried for a universe, unless the variable names one") {
  TestRuntime t({}, {}, metadata_token());
  serve_metadata(t, "cloud.example");
  for (int i = 0; i < 2; ++i) CHECK(spec_of_tpu(t).error().code() == Errc::not_found);
  CHECK(hosts_of(t) == "metadata.google.internal tpu.googleapis.com tpu.googleapis.com ");
  TestRuntime same({{variable, "cloud.example"}}, {}, metadata_token());
  serve_metadata(same, "cloud.example");
  CHECK(spec_of_tpu(same).error().code() == Errc::not_found);
  CHECK(hosts_of(same) == "metadata.google.internal metadata.google.internal tpu.cloud.example ");
}

TEST_CASE("a metadata server without a universe is Google's; after an invalid answer nothing is sent") {
  for (const int status : {404, 200}) {
    TestRuntime t({}, {}, metadata_token(), google_machine);
    serve_metadata(t, "", status);
    CHECK(spec_of_tpu(t).error().code() == Errc::not_found);
    CHECK(hosts_of(t) == "metadata.google.internal metadata.google.internal tpu.googleapis.com ");
  }
  // If there is no token, that is the failure, and the universe does not matter.
  TestRuntime none({}, {}, metadata_token(), google_machine);
  none.answer(404, "no service account");
  CHECK(spec_of_tpu(none).has_error());
  CHECK(hosts_of(none) == "metadata.google.internal ");
  TestRuntime t({}, {}, metadata_token(), google_machine);
  serve_metadata(t, "evil.test/x?");
  check_failure(spec_of_tpu(t), Errc::malformed_response, "is not a domain");
  CHECK_THAT(hosts_of(t), !Catch::Contains("tpu."));
}

TEST_CASE("a discovery document of the universe may name its own services") {
  TestRuntime t({}, {}, credential_file(key_path), key_of("cloud.example"));
  for (const std::string root : {"https://tpu.cloud.example/", "https://tpu.googleapis.com/"}) {
    CAPTURE(root);
    t.transport->requests.clear();
    t.transport->answers.clear();
    t.answer(200, R"({"rootUrl":")" + root + R"("})");
    t.answer(404, "{}");
    CHECK(spec_of_tpu(t, trainer().discovery_url("https://docs.cloud.example/tpu")).has_error());
    REQUIRE(t.transport->requests.size() == 2);
    CHECK(t.transport->requests[1].bearer.empty() == (root == "https://tpu.googleapis.com/"));
  }
}

}  // namespace
}  // namespace rollcall::testing
