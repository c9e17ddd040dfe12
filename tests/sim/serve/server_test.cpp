// The cloud on real sockets: plain and TLS, environment, faults on the wire.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "net/http/http_transport.hpp"
#include "rollcall/sim/server.hpp"
#include "rollcall/testing/fake_time.hpp"
#include "rollcall/testing/virtual_loop.hpp"
#include "sim/support.hpp"

namespace rollcall::sim {

namespace {

class ServedCloud {
 public:
  explicit ServedCloud(const std::string& rest = "")
      : cloud(cloud_of("{\"nodes\": [{\"name\": \"n\"}]" + (rest.empty() ? "" : ", \"faults\": [{" + rest + "}]") + "}")) {
    auto started = SimServer::start(io.get_executor(), cloud);
    if (!started) FAIL(started.error().message());
    server = *std::move(started);
    ca_path = std::filesystem::temp_directory_path() / ("rollcall-sim-ca-" + std::to_string(server->https_port()) + ".pem");
    REQUIRE(server->write_ca(ca_path));
    NetworkOptions network;
    network.ca_file = ca_path;
    for (const std::string& text : server->connect_to()) network.connect_to.push_back(*ConnectTo::parse(text));
    transport = make_http_transport(io.get_executor(), std::make_shared<TimerQueue>(system_time(), io.get_executor()), network);
  }
  ~ServedCloud() {
    transport->close();
    server->stop();
    io.restart();
    io.run();  // returns since nothing keeps the loop running
    std::filesystem::remove(ca_path);
  }

  Result<HttpResponse> get(const std::string& url, bool with_token = true) {
    request = HttpRequest(*Url::parse(url));
    request.headers.add("Metadata-Flavor", "Google");
    if (with_token) request.bearer = Secret<std::string>("t");
    std::optional<Result<HttpResponse>> out;
    asio::co_spawn(io, transport->send(request, options), [&out](std::exception_ptr error, Result<HttpResponse> result) {
      if (error) std::rethrow_exception(error);
      out = std::move(result);
    });
    io.restart();
    while (!out && io.run_one() > 0) {
    }
    return *out;
  }
  Errc error() {
    const auto result = get("https://tpu.googleapis.com" + nodes_path("/n"));
    if (result) FAIL("no failure, status " << result->status);
    return result.error().code();
  }

  asio::io_context io{1};
  std::shared_ptr<Cloud> cloud;
  std::shared_ptr<SimServer> server;
  std::filesystem::path ca_path;
  std::shared_ptr<HttpTransport> transport;
  HttpRequest request;
  ExchangeOptions options;
};

}  // namespace

TEST_CASE("the services' own names are served with verification, by TLS and plain") {
  ServedCloud s;
  const auto node = s.get("https://tpu.googleapis.com" + nodes_path("/n"));
  REQUIRE(node);
  CHECK(node->status == 200);
  CHECK(node->body.find("\"READY\"") != std::string::npos);
  const auto zone = s.get("http://metadata.google.internal/computeMetadata/v1/instance/zone", false);
  REQUIRE(zone);
  CHECK(zone->body == "projects/123456789012/zones/us-central2-b");
  CHECK(zone->headers.get("Metadata-Flavor") == "Google");
  const auto local = s.get("https://localhost:" + std::to_string(s.server->https_port()) + nodes_path("/n"));
  REQUIRE(local);
  CHECK(local->status == 200);
  CHECK(s.server->counts().at("nodes.get") == 2);
}

TEST_CASE("the cloud's time begins at once, or with the first request") {
  for (const bool awaits : {false, true}) {
    asio::io_context io{1};
    constexpr std::string_view file =
        R"({"nodes": [{"name": "n", "timeline": [{"at": "0s", "state": "CREATING"}, {"at": "1s", "state": "READY"}]}]})";
    const std::shared_ptr<Cloud> cloud = testing::value_of(Cloud::parse(file, "cloud.json"));
    SimServerOptions options;
    options.awaits_request = awaits;
    options.time = std::make_shared<testing::FakeTime>();
    const auto server = SimServer::start(io.get_executor(), cloud, options);
    REQUIRE(server);
    CHECK(ask_api(*cloud, nodes_path("/n"), 3600).body.find(awaits ? "CREATING" : "READY") != std::string::npos);
    CHECK(ask_api(*cloud, nodes_path("/n"), 3601).body.find("READY") != std::string::npos);
    (*server)->stop();
    io.run();
  }
}

TEST_CASE("the environment points clients at the server") {
  ServedCloud s;
  const auto environment = s.server->environment();
  CHECK(environment.at(0).first == "GCE_METADATA_HOST");
  CHECK(environment.at(0).second == "127.0.0.1:" + std::to_string(s.server->http_port()));
  CHECK(s.server->export_lines().find("\nexport CLOUDSDK_API_ENDPOINT_OVERRIDES_TPU='http://localhost:" +
                                      std::to_string(s.server->http_port()) + "/'\n") != std::string::npos);
  for (const char* name : {"GCE_METADATA_IP", "GCE_METADATA_ROOT"}) {
    CHECK(s.server->export_lines().find(std::string("export ") + name + "='127.0.0.1:" + std::to_string(s.server->http_port()) + "'\n") !=
          std::string::npos);
  }
  const auto document = s.get("http://localhost:" + std::to_string(s.server->http_port()) + "/$discovery/rest?version=v2");
  REQUIRE(document);
  CHECK(document->body.find("\"rootUrl\": \"http://localhost:" + std::to_string(s.server->http_port()) + "/\"") != std::string::npos);
}

TEST_CASE("faults on the wire") {
  CHECK(ServedCloud(R"("fault": "reset")").error() == Errc::unreachable);
  CHECK(ServedCloud(R"("fault": "refuse")").error() == Errc::unreachable);
  CHECK(ServedCloud(R"("fault": "truncate", "bytes": 5)").error() == Errc::unreachable);
  CHECK(ServedCloud(R"("fault": "wrong_length")").error() == Errc::unreachable);
  CHECK(ServedCloud(R"("fault": "endless_body")").error() == Errc::limit_exceeded);
  CHECK(ServedCloud(R"("fault": "endless_header")").error() == Errc::limit_exceeded);
  CHECK(ServedCloud(R"("fault": "endless_chunk_extension")").error() == Errc::limit_exceeded);
  for (const char* silent :
       {R"("fault": "stall")", R"("fault": "stall", "bytes": 3)", R"("delay": 60)", R"("fault": "trickle", "interval": 60)"}) {
    ServedCloud s(silent);
    s.options.response_timeout = std::chrono::milliseconds(50);
    CHECK(s.error() == Errc::response_timeout);
  }
}

TEST_CASE("bodies may be compressed, chunked, trickled or corrupt") {
  const std::string url = "https://tpu.googleapis.com" + nodes_path("/n");
  const std::string normal = ServedCloud().get(url)->body;
  CHECK(ServedCloud(R"("gzip": true)").get(url)->body == normal);
  CHECK(ServedCloud(R"("chunked": true, "gzip": true)").get(url)->body == normal);
  CHECK(ServedCloud(R"("fault": "trickle", "bytes": 200, "interval": "1ms")").get(url)->body == normal);
  CHECK(ServedCloud(R"("fault": "corrupt")").get(url)->body != normal);
}

TEST_CASE("a held request is answered when the value changes, or dropped when the client disconnects") {
  const std::string url = "http://metadata.google.internal/computeMetadata/v1/instance/preempted?wait_for_change=true";
  ServedCloud s;
  asio::post(s.io, [&] { asio::post(s.io, [&] { s.cloud->set_metadata("instance/preempted", "TRUE"); }); });
  const auto first = s.get(url + "&timeout_sec=1", false);
  REQUIRE(first);
  CHECK(first->body == "TRUE");
  s.options.response_timeout = std::chrono::milliseconds(50);
  const auto given_up = s.get(url, false);
  REQUIRE_FALSE(given_up);
  CHECK(given_up.error().code() == Errc::response_timeout);
}

TEST_CASE("a port that is in use is an error that names it") {
  ServedCloud s;
  SimServerOptions options;
  options.http_port = s.server->http_port();
  const auto second_server = SimServer::start(s.io.get_executor(), s.cloud, options);
  REQUIRE_FALSE(second_server);
  CHECK(second_server.error().message().find(std::to_string(s.server->http_port())) != std::string::npos);
}

}  // namespace rollcall::sim
