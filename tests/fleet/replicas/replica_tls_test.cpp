// Replicas that reach each other over TLS, and prove by certificates what they are.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "fleet/http/fleet_http.hpp"
#include "fleet/replica_desk.hpp"
#include "fleet/replicas/shared_fleet.hpp"
#include "fleet/rights/access.hpp"
#include "net/server/http_server.hpp"
#include "net/server/server_context.hpp"
#include "rollcall/testing/virtual_loop.hpp"
#include "support/certificates.hpp"
#include "support/lease/memory_lease.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

constexpr const char* name_of_replicas = "URI:spiffe://example/rollcall";

CertificateRequest replica_request(const std::string& name) { return CertificateRequest({name, "IP:127.0.0.1"}); }

CertificateRequest authority_of_replicas() {
  CertificateRequest request;
  request.common_name = "Replicas";
  request.is_authority = true;
  return request;
}

// A process with its settings: it serves and follows with the same certificate.
class TlsReplica {
 public:
  TlsReplica(VirtualLoop& loop, const std::shared_ptr<MemoryLease>& lease, const std::string& id, const std::string& certificate_file,
             const std::string& clients_file, const std::string& servers_file, bool shows_certificate = true)
      : runtime(loop.io.get_executor(), runtime_options(loop)) {
    FleetServiceOptions options;
    options.tls.certificate_file = certificate_file;
    options.tls.client_authorities_file = clients_file;
    options.clients.emplace_back();
    FleetRight& right = options.rights.emplace_back();
    right.who = "certificate:spiffe://example/rollcall";
    right.replica = true;
    fleet::ReplicaOptions replica;
    replica.id = id;
    replica.access.authorities = servers_file;
    if (shows_certificate) replica.access.certificate = certificate_file;
    auto elector = std::make_shared<lease::Elector>(runtime, std::make_shared<MemoryLeaseEngine>(lease), id, lease::min_ttl);
    const auto none = [](const Runtime&, const std::string&) -> Result<std::shared_ptr<ClusterResolver>> {
      return Failure(Errc::invalid_argument, "there is no cloud here");
    };
    fleet = std::make_shared<fleet::SharedFleet>(runtime, fleet::FleetOptions(), none, std::move(elector), replica);
    fleet->start();
    fleet::FleetHttpOptions http_options;
    http_options.access = value_of(fleet::make_access(runtime, options));
    http = std::make_shared<fleet::FleetHttp>(fleet, http_options);
    server = std::make_unique<HttpServer>(loop.io.get_executor(), http->handler(), http_options.server_limits, loop.time);
    server->leave_bodies(http->body_rule());
    TlsFiles of_server;
    of_server.certificate = certificate_file;
    of_server.authorities = clients_file;
    context = value_of(ServerContext::open(of_server, loop.time, [](const Failure&) {}));
    const std::uint16_t port = value_of(server->listen("127.0.0.1", 0, [this](std::string_view) { return context->current(); }));
    fleet->serves_at(fmt::format("https://127.0.0.1:{}", port));
  }
  ~TlsReplica() {
    http->entry()->close();
    fleet->close();
    server->stop();
  }
  FleetReplicas replicas() const { return fleet->replica_desk()->replicas(); }

 private:
  static RuntimeOptions runtime_options(VirtualLoop& loop) {
    RuntimeOptions options;
    options.time = loop.time;
    options.environment = fixed_environment({});
    return options;
  }

 public:
  Runtime runtime;
  std::shared_ptr<fleet::SharedFleet> fleet;
  std::shared_ptr<fleet::FleetHttp> http;
  std::shared_ptr<ServerContext> context;
  std::unique_ptr<HttpServer> server;
};

class TlsLoop : public VirtualLoop {
 public:
  TlsLoop()
      : authority(authority_of_replicas()), other(authority_of_replicas()), own(replica_request(name_of_replicas), &authority),
        stranger(replica_request("URI:spiffe://example/launcher"), &authority), authority_file(authority.pem()), other_file(other.pem()),
        own_file(own.pem() + own.key_pem()), stranger_file(stranger.pem() + stranger.key_pem()) {
    lease::LeaseRecord released;
    released.epoch = 1;
    lease->put(std::move(released));  // free at once
  }
  /// Sockets are real; virtual time goes on while none has anything.
  template <class What>
  bool until(const What& what) {
    for (int i = 0; i < 3000 && !what(); ++i) {
      io.restart();
      if (io.run_one_for(2ms) == 0) time->advance(100ms);
    }
    return what();
  }

  rollcall::testing::CertifiedKey authority, other, own, stranger;
  TemporaryFile authority_file, other_file, own_file, stranger_file;
  std::shared_ptr<MemoryLease> lease = std::make_shared<MemoryLease>();
};

std::string trouble_of(TlsLoop& loop, const TlsReplica& replica, const std::string& part) {
  loop.until([&] { return replica.replicas().trouble.find(part) != std::string::npos; });
  return replica.replicas().trouble;
}

}  // namespace

TEST_CASE("replicas follow each other over TLS by their certificates, and a stranger does not", "[fleet]") {
  TlsLoop t;
  const TlsReplica leader(t, t.lease, "a", t.own_file.path(), t.authority_file.path(), t.authority_file.path());
  REQUIRE(t.until([&] { return leader.replicas().leader == "a" && leader.fleet->polls(); }));
  const TlsReplica follower(t, t.lease, "b", t.own_file.path(), t.authority_file.path(), t.authority_file.path());
  CHECK(t.until([&] { return follower.replicas().leader == "a" && follower.replicas().trouble.empty(); }));
  CHECK(t.until([&] { return leader.replicas().replicas.size() == 2 && leader.replicas().replicas[1].view_age; }));

  const TlsReplica stranger(t, t.lease, "c", t.stranger_file.path(), t.authority_file.path(), t.authority_file.path());
  CHECK_THAT(trouble_of(t, stranger, "403"), Contains("HTTP 403") && Contains("may not follow the service"));
  const TlsReplica nameless(t, t.lease, "d", t.own_file.path(), t.authority_file.path(), t.authority_file.path(), false);
  CHECK_THAT(trouble_of(t, nameless, "401"), Contains("HTTP 401"));
  const TlsReplica misled(t, t.lease, "e", t.own_file.path(), t.authority_file.path(), t.other_file.path());
  CHECK_THAT(trouble_of(t, misled, "certificate"), Contains("certificate"));
  for (const FleetReplica& one : leader.replicas().replicas) CHECK((one.replica == "a" || one.replica == "b"));
}
