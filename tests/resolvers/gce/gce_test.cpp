// The GCE resolver through its public calls, over a scripted transport in virtual time.
#include <catch2/catch.hpp>

#include "resolvers/gce/gce_support.hpp"
#include "rollcall/union_resolver.hpp"
#include "support/result.hpp"
#include "support/spec_text.hpp"

using namespace rollcall;
using namespace rollcall::testing;

TEST_CASE("a group's addresses come from one list and its members, in text order as upstream has them") {
  TestRuntime t;
  t.transport->respond = three();
  const auto gce = make_gce_resolver(t.runtime, workers());
  CHECK(t.run(gce->cluster_spec()).to_json() == R"({"worker":["10.0.0.10:8470","10.0.0.1:8470","10.0.0.2:8470"]})");
  CHECK(paths(t) ==
        "POST /compute/v1/projects/p/zones/z/instanceGroups/workers/listInstances\n"
        "GET /compute/v1/projects/p/zones/z/instances/w-1\n"
        "GET /compute/v1/projects/p/zones/z/instances/w-10\n"
        "GET /compute/v1/projects/p/zones/z/instances/w-2\n");
  const HttpRequest& list = t.transport->requests[0];
  CHECK(list.url.origin() == "https://compute.googleapis.com");
  CHECK(list.body == R"({"instanceState":"RUNNING"})");
  CHECK(query_of(list, "orderBy") == "name");
  CHECK(query_of(list, "fields") == "items(instance,status,namedPorts),nextPageToken,warning");
  CHECK(query_of(list, "prettyPrint") == "false");
  CHECK(query_of(list, "returnPartialSuccess").empty());
  for (const HttpRequest& request : t.transport->requests) CHECK_FALSE(request.bearer.empty());
  CHECK(gce->describe() == "gce:workers");
}

TEST_CASE("order=name is the natural order") {
  TestRuntime t;
  t.transport->respond = three();
  const auto gce = make_gce_resolver(t.runtime, workers().order(GceOrder::name));
  CHECK(t.run(gce->cluster_spec()).to_json() == R"({"worker":["10.0.0.2:8470","10.0.0.10:8470","10.0.0.1:8470"]})");
}

TEST_CASE("order=topology places instances next to each other that are close in the network") {
  const auto at = [](const char* block, const char* subblock, const char* host) {
    return fmt::format(R"({{"physicalHostTopology":{{"cluster":"c","block":"{}","subblock":"{}","host":"{}"}}}})", block, subblock, host);
  };
  for (const GceLookup lookup : {GceLookup::get, GceLookup::list}) {
    TestRuntime t;
    Compute compute = three();
    compute.members.emplace_back("w-3", "10.0.0.3");
    compute.places = {
        {"w-1", at("b2", "s1", "h1")}, {"w-10", at("b1", "s2", "h1")}, {"w-2", at("b1", "s1", "h2")}, {"w-3", at("b1", "s2", "h1")}};
    t.transport->respond = compute;
    const auto gce = make_gce_resolver(t.runtime, workers().order(GceOrder::topology).lookup(lookup));
    CHECK(t.run(gce->cluster_spec()).to_json() == R"({"worker":["10.0.0.10:8470","10.0.0.3:8470","10.0.0.1:8470","10.0.0.2:8470"]})");
    CHECK_THAT(query_of(t.transport->requests.back(), "fields"), Catch::Contains(",resourceStatus/physicalHostTopology"));
    compute.places["w-2"] = R"({"physicalHostTopology":{"cluster":"c"}})";
    t.transport->respond = compute;
    const auto result = t.run(gce->try_cluster_spec());
    REQUIRE_FALSE(result);
    CHECK(result.error().code() == Errc::failed_precondition);
    CHECK_THAT(result.error().message(), Catch::Contains("w-2") && Catch::Contains("does not report its location"));
  }
}

TEST_CASE("an empty group is a job without tasks") {
  TestRuntime t;
  t.transport->respond = Compute();
  CHECK(t.run(make_gce_resolver(t.runtime, workers().task_type("w"))->cluster_spec()).to_json() == R"({"w":{}})");
}

TEST_CASE("members are looked up concurrently, up to the limit") {
  Limits limits;
  limits.requests_in_flight_per_host = 10;
  TestRuntime t({}, limits);
  Compute compute;
  for (int i = 0; i < 95; ++i) compute.members.emplace_back(fmt::format("w-{}", i), fmt::format("10.0.0.{}", i + 1));
  compute.delay = 1s;
  compute.page_size = 50;
  t.transport->respond = compute;
  const auto gce = make_gce_resolver(t.runtime, workers().order(GceOrder::name));
  const ClusterSpec spec = t.run(gce->cluster_spec());
  CHECK(spec.num_tasks("worker").value() == 95);
  CHECK(spec.task_address("worker", 94).value() == "10.0.0.95:8470");
  CHECK(t.seconds() == 2 + 10);  // two pages, ten rounds of ten
  CHECK(t.transport->max_in_flight == 10);
}

TEST_CASE("lookup=list asks for some hundred members in one request; so does a large group by itself") {
  TestRuntime t;
  Compute compute;
  for (int i = 0; i < 1000; ++i) compute.members.emplace_back(fmt::format("worker-{}", i), fmt::format("10.0.{}.{}", i / 250, i % 250 + 1));
  compute.delay = 1s;
  t.transport->respond = compute;
  const auto gce = make_gce_resolver(t.runtime, workers().order(GceOrder::name));
  const ClusterSpec spec = t.run(gce->cluster_spec());
  CHECK(spec.num_tasks("worker").value() == 1000);
  CHECK(spec.task_address("worker", 999).value() == "10.0.3.250:8470");
  CHECK(t.seconds() == 3);  // two pages, and the filters concurrently
  CHECK(t.transport->requests.size() < 15);
  for (const HttpRequest& request : t.transport->requests) CHECK(request.url.target.size() < 8000);
  TestRuntime few;
  few.transport->respond = three();
  CHECK(few.run(make_gce_resolver(few.runtime, workers().lookup(GceLookup::list))->cluster_spec()).num_tasks("worker").value() == 3);
  CHECK(paths(few).ends_with("GET /compute/v1/projects/p/zones/z/instances\n"));
  CHECK(few.transport->requests.size() == 2);
}

TEST_CASE("a regional group's members are asked for in their own zones") {
  for (const GceLookup lookup : {GceLookup::get, GceLookup::list}) {
    TestRuntime t;
    Compute compute = three();
    compute.zone = "us-east1-d";
    t.transport->respond = compute;
    const auto gce = make_gce_resolver(t.runtime, GceOptions("workers").project("p").region("us-east1").port(1).lookup(lookup));
    CHECK(t.run(gce->cluster_spec()).num_tasks("worker").value() == 3);
    CHECK(paths(t).starts_with("POST /compute/v1/projects/p/regions/us-east1/instanceGroups/workers/listInstances\n"));
    CHECK_THAT(paths(t), Catch::Contains("GET /compute/v1/projects/p/zones/us-east1-d/instances"));
  }
  TestRuntime t;
  t.answer(200, R"({"items":[{"instance":"a"}]})");
  CHECK_THAT(failure_of(t, GceOptions("workers").project("p").region("r").port(1)).message(),
             Catch::Contains("instance 'a': its URL names no zone"));
}

TEST_CASE("project and zone come from the environment, then from the metadata server") {
  TestRuntime t({{"GOOGLE_CLOUD_PROJECT", "pe"}, {"CLOUDSDK_COMPUTE_ZONE", "ze"}});
  t.transport->respond = Compute();
  t.run(make_gce_resolver(t.runtime, GceOptions("g").port(1))->cluster_spec());
  CHECK_THAT(paths(t), Catch::Contains("/projects/pe/zones/ze/instanceGroups/g/"));
  TestRuntime m;
  m.transport->respond = [](const HttpRequest& request) {
    if (request.url.host != "metadata.google.internal") return Answer(ScriptedTransport::reply(200, "{}"));
    HttpResponse response = ScriptedTransport::reply(200, request.url.target.ends_with("zone") ? "projects/1/zones/zm" : "pm");
    response.headers.add("Metadata-Flavor", "Google");
    return Answer(std::move(response));
  };
  m.run(make_gce_resolver(m.runtime, GceOptions("g").port(1))->cluster_spec());
  CHECK_THAT(paths(m), Catch::Contains("/projects/pm/zones/zm/instanceGroups/g/"));
  m.transport->requests.clear();
  m.run(make_gce_resolver(m.runtime, GceOptions("g").port(1).region("r"))->cluster_spec());
  CHECK_THAT(paths(m), Catch::Contains("/projects/pm/regions/r/instanceGroups/g/"));
}

TEST_CASE("the address of Compute Engine") {
  const auto root = [](GceOptions options, std::map<std::string, std::string, std::less<>> variables) {
    TestRuntime t(std::move(variables));
    t.transport->respond = Compute();
    const auto spec = t.run(make_gce_resolver(t.runtime, std::move(options))->try_cluster_spec());
    if (!spec) return spec.error().message();
    const std::string url = t.transport->requests[0].url.without_query();
    return url.substr(0, url.find("projects/"));
  };
  const std::string variable = "CLOUDSDK_API_ENDPOINT_OVERRIDES_COMPUTE";
  CHECK(root(workers(), {}) == "https://compute.googleapis.com/compute/v1/");
  CHECK(root(workers(), {{variable, "https://restricted.test/compute/beta"}}) == "https://restricted.test/compute/beta/");
  CHECK(root(workers().endpoint("http://localhost:1"), {{variable, "https://x.test/"}}) == "http://localhost:1/compute/v1/");
  CHECK_THAT(root(workers().endpoint("ftp://x"), {}), Catch::Contains("the endpoint option is not the root of an API"));
  CHECK_THAT(root(workers(), {{variable, "https://x.test/?q"}}), Catch::Contains(variable + " is not the root"));
  CHECK_THAT(root(workers().endpoint("http://compute.test/"), {}), Catch::Contains("never sent over plain http"));
}

TEST_CASE("named ports, interfaces and IPv6") {
  TestRuntime t;
  Compute compute = three();
  compute.extra_of_item = R"(,"namedPorts":[{"name":"http","port":80},{"name":"tf","port":2222}])";
  compute.extra_of_instance = R"(,"ipv6Address":"fd20::1"},{"name":"nic1","networkIP":"192.168.0.9")";
  compute.members.resize(1);
  t.transport->respond = compute;
  const auto spec = [&](GceOptions options) { return t.run(make_gce_resolver(t.runtime, std::move(options))->try_cluster_spec()); };
  const GceOptions named = GceOptions("workers").project("p").zone("z").named_port("tf");
  CHECK(spec(named)->to_json() == R"({"worker":["10.0.0.2:2222"]})");
  CHECK(spec(workers().address(GceAddress::ipv6))->to_json() == R"({"worker":["[fd20::1]:8470"]})");
  CHECK(spec(workers().network_interface("nic1"))->to_json() == R"({"worker":["192.168.0.9:8470"]})");
  const auto no_port = spec(GceOptions("workers").project("p").zone("z").named_port("grpc"));
  CHECK(no_port.error().code() == Errc::not_found);
  CHECK_THAT(no_port.error().message(), Catch::Contains("no port named 'grpc'") && Catch::Contains("it names http, tf"));
  const auto no_nic = spec(workers().network_interface("nic7"));
  CHECK_THAT(no_nic.error().message(),
             Catch::Contains("instance 'w-1' has no network interface 'nic7'") && Catch::Contains("it has nic0, nic1"));
  CHECK_THAT(spec(workers().network_interface("nic1").address(GceAddress::ipv6)).error().message(), Catch::Contains("no IPv6 address"));
}

TEST_CASE("a named port may be text; only the one that is asked for must be a port") {
  TestRuntime t;
  Compute compute = three();
  compute.extra_of_item = R"(,"namedPorts":[{"name":"tf","port":"22"},{"name":"odd","port":70000},{"name":"word","port":"x"}])";
  t.transport->respond = compute;
  const auto spec = [&t](const std::string& port) { return spec_text(t, t.runtime, "gce:workers,project=p,zone=z,order=name," + port); };
  CHECK(spec("named_port=tf") == R"({"worker":["10.0.0.2:22","10.0.0.10:22","10.0.0.1:22"]})");
  CHECK(spec("port=5") == R"({"worker":["10.0.0.2:5","10.0.0.10:5","10.0.0.1:5"]})");
  CHECK_THAT(spec("named_port=odd"), Catch::Contains("malformed_response") &&
                                         Catch::Contains("instance 'w-1': the port named 'odd' is '70000', not a port (1 to 65535)"));
  CHECK_THAT(spec("named_port=word"), Catch::Contains("the port named 'word' is 'x', not a port"));
}

TEST_CASE("the master, and the assignable properties of a GCE resolver") {
  TestRuntime t;
  t.transport->respond = three();
  const auto gce = make_gce_resolver(t.runtime, workers());
  CHECK(t.run(gce->master()) == "grpc://10.0.0.10:8470");
  CHECK(t.run(gce->master("worker", 2, "test")) == "test://10.0.0.2:8470");
  CHECK(t.run(gce->master({}, {}, "")) == "grpc://10.0.0.10:8470");
  CHECK(t.run(gce->try_master("worker", 3)).error().code() == Errc::not_found);
  const Result<void> refused = gce->set_task_type("chief");
  check_failure(refused, Errc::failed_precondition, "task_type");
  CHECK(gce->set_task_id(1).has_value());
  CHECK(gce->set_rpc_layer("").has_value());
  CHECK(t.run(gce->master()) == "10.0.0.1:8470");
  CHECK(gce->set_task_id(std::nullopt).has_value());
  CHECK(t.run(gce->master()).empty());
  CHECK(gce->environment() == "");
}

TEST_CASE("a union of groups asks all of them at the same time") {
  TestRuntime t;
  Compute compute = three();
  compute.delay = 1s;
  t.transport->respond = compute;
  std::vector<std::shared_ptr<ClusterResolver>> groups;
  for (int i = 0; i < 4; ++i) groups.push_back(make_gce_resolver(t.runtime, workers()));
  const auto both = make_union_resolver(t.runtime, groups);
  CHECK(t.run(both->cluster_spec()).num_tasks("worker").value() == 12);
  CHECK(t.seconds() == 2);
}

TEST_CASE("gce targets have every option") {
  TestRuntime t;
  Compute compute = three();
  compute.extra_of_item = R"(,"namedPorts":[{"name":"tf","port":2222}])";
  t.transport->respond = compute;
  const auto spec = [&t](const std::string& target) { return spec_text(t, t.runtime, target); };
  CHECK(spec("gce:workers,project=p,zone=z,named_port=tf,order=name,type=w,lookup=list,nic=nic0,address=ipv4,partial=true,task=1,rpc_"
             "layer=") == R"({"w":["10.0.0.2:2222","10.0.0.10:2222","10.0.0.1:2222"]})");
  CHECK_THAT(spec("gce:"), Catch::Contains("names no instance group"));
  CHECK_THAT(spec("gce:g,port=0"), Catch::Contains("is not a port"));
  CHECK_THAT(spec("gce:g,port=1,order=size"), Catch::Contains("order='size' is not address or name or topology"));
  CHECK_THAT(spec("gce:g,port=1,lookup=x"), Catch::Contains("lookup='x' is not auto or get or list"));
  CHECK_THAT(spec("gce:g,port=1,address=v6"), Catch::Contains("is not ipv4 or ipv6"));
  CHECK_THAT(spec("gce:g,port=1,partial=yes"), Catch::Contains("neither true nor false"));
  CHECK_THAT(spec("gce:g,port=1,prot=2"), Catch::Contains("did you mean port="));
  const auto resolver = make_resolver(t.runtime, "gce:workers,project=p,zone=z,port=1,task=1,rpc_layer=");
  REQUIRE(resolver.has_value());
  CHECK(t.run((*resolver)->master()) == "10.0.0.1:1");
}
