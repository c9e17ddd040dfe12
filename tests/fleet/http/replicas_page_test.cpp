// GET /v1/replicas: which replica of the service leads, and who may read that.
#include <catch2/catch.hpp>

#include "fleet/http/scripted_access.hpp"
#include "fleet/replica_desk.hpp"
#include "fleet/wire/cluster_summary.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;

namespace {

class ScriptedDesk final : public fleet::ReplicaDesk {
 public:
  Result<void> check_leads() const override { return Result<void>(); }
  asio::awaitable<void> feed(std::string, int, fleet::ReplicaLine&) override { co_return; }
  Result<void> take_wanted(std::string_view) override { return Result<void>(); }
  FleetReplicas replicas() const override { return all; }
  FleetReplicas all;
};

FleetReplicas two_replicas() {
  FleetReplicas all;
  all.replica = "rollcall-0-1f2e3d4c";
  all.leader = "rollcall-1-5d0c77a1";
  all.leader_url = "https://rollcall-1.example:7070";
  all.epoch = 1764243000;
  all.leads_since = WallTime(1764243000s);
  all.replicas.resize(2);
  all.replicas[0].replica = all.replica;
  all.replicas[0].view_age = 420ms;
  all.replicas[1].replica = "rollcall-2-90ab3e5f";
  return all;
}

constexpr std::string_view none = R"({"replica":"","leader":"","leader_url":"","epoch":0,"trouble":"","replicas":[]})";

}  // namespace

TEST_CASE("A service says which of its replicas leads, and one that is alone has none", "[fleet]") {
  ServiceLoop loop;
  CHECK(loop.request("GET", "/v1/replicas")->answered.body == none);
  ScriptedDesk desk;
  desk.all = two_replicas();
  loop.clouds->desk = &desk;
  const std::string body = loop.request("GET", "/v1/replicas")->answered.body;
  CHECK(
      body ==
      R"({"replica":"rollcall-0-1f2e3d4c","leader":"rollcall-1-5d0c77a1","leader_url":"https://rollcall-1.example:7070","epoch":1764243000,)"
      R"("since":"2025-11-27T11:30:00Z","trouble":"","replicas":[{"replica":"rollcall-0-1f2e3d4c","view_age_ms":420},)"
      R"({"replica":"rollcall-2-90ab3e5f","view_age_ms":null}]})");
  CHECK(value_of(fleet::parse_replicas(body, {})) == desk.all);
  CHECK(loop.request("GET", "/v1/replicas?x=1")->answered.status == 400);
}

TEST_CASE("Names of replicas are for clients that may read the metrics", "[fleet]") {
  AccessLoop t;
  ScriptedDesk desk;
  desk.all = two_replicas();
  t.loop.clouds->desk = &desk;
  CHECK(t.ask("/v1/replicas", "")->answered.status == 401);
  CHECK(t.ask("/v1/replicas", "a")->answered.body == none);
}

TEST_CASE("A list of replicas that is none is refused, and its texts come out printable", "[fleet]") {
  check_failure(fleet::parse_replicas(R"({"epoch":-1,"replicas":[]})", {}), Errc::malformed_response, "epoch");
  check_failure(fleet::parse_replicas(R"({"since":"soon","replicas":[]})", {}), Errc::malformed_response, "since");
  check_failure(fleet::parse_replicas(R"({"replicas":[{"view_age_ms":1}]})", {}), Errc::malformed_response, "has no id");
  check_failure(fleet::parse_replicas(R"({"replicas":[{"replica":"a","view_age_ms":-1}]})", {}), Errc::malformed_response, "view_age_ms");
  check_failure(fleet::parse_replicas("[", {}), Errc::malformed_response, "list of replicas");
  const FleetReplicas read =
      value_of(fleet::parse_replicas("{\"leader\":\"a\\u001b[31mb\",\"trouble\":\"one\\ntwo\",\"replicas\":[]}", {}));
  CHECK(read.leader.find('\x1b') == std::string::npos);
  CHECK(read.trouble.find('\n') == std::string::npos);
}
