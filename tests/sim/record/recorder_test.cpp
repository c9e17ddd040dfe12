// A recorder between a client and a cloud, in virtual time.
#include "rollcall/sim/recorder.hpp"

#include "rollcall/sim/memory.hpp"
#include "rollcall/testing/virtual_loop.hpp"
#include "sim/support.hpp"

namespace rollcall::sim {

namespace {

class RecorderFixture {
 public:
  explicit RecorderFixture(std::size_t max_bytes = 1'000'000, std::size_t max_exchanges = 10) {
    RecorderOptions chosen;
    chosen.max_bytes = max_bytes;
    chosen.max_exchanges = max_exchanges;
    chosen.time = loop.time;
    recorder = std::make_unique<Recorder>(chosen);
    transport = recorder->around(make_memory_transport(cloud, loop.time, loop.io.get_executor()));
  }

  void send(const std::string& url, bool is_recordable = true) {
    HttpRequest request(*Url::parse(url));
    request.headers.add("Metadata-Flavor", "Google");
    request.bearer = Secret<std::string>("a-secret-token");
    request.is_recordable = is_recordable;
    const ExchangeOptions options;
    static_cast<void>(loop.run(transport->send(request, options)));
  }

  testing::VirtualLoop loop;
  std::shared_ptr<Cloud> cloud =
      cloud_of(R"({"nodes": [{"name": "n"}], "faults": [{"match": {"path": "*/nodes/lost"}, "fault": "reset"}]})");
  std::unique_ptr<Recorder> recorder;
  std::shared_ptr<HttpTransport> transport;
};

const std::string recorded_node = "https://tpu.googleapis.com" + nodes_path("/n");
const std::string token_place = "http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token";

}  // namespace

TEST_CASE("tokens and what the library does not know are not recorded") {
  RecorderFixture f;
  f.send(token_place);
  f.send(recorded_node, false);
  CHECK(f.recorder->exchanges() == 0);
  f.send(recorded_node);
  f.send("https://tpu.googleapis.com" + nodes_path("/lost"));
  CHECK(f.recorder->exchanges() == 2);
  const std::string file = f.recorder->file({"tpu:n,endpoint=https://own.example/"});
  CHECK(file.find("a-secret-token") == std::string::npos);
  CHECK(file.find("own.example") == std::string::npos);
  const auto replayed = cloud_of(file);
  CHECK(replayed->recorded_targets() == std::vector<std::string>{"tpu:n"});
  CHECK(replayed->project() == "example-proj");
  CHECK(json_of(ask_api(*replayed, nodes_path("/n"))).at("state") == "READY");
  CHECK(ask_api(*replayed, nodes_path("/lost")).fault.kind == FaultKind::reset);
}

TEST_CASE("a recording is bounded, and says what is missing") {
  RecorderFixture few(1'000'000, 1);
  few.send(recorded_node);
  few.send(recorded_node);
  CHECK(few.recorder->exchanges() == 1);
  CHECK(few.recorder->left_out() == "requests after the first 1");
  RecorderFixture small(100);
  small.send(recorded_node);
  small.send(recorded_node);
  CHECK(small.recorder->exchanges() == 1);
  CHECK_THAT(small.recorder->left_out(), Catch::Contains("answers after 0 s"));
  CHECK(cloud_of(small.recorder->file({})));
}

}  // namespace rollcall::sim
