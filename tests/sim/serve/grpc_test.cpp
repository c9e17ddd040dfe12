// Workers on real sockets, called by a raw gRPC client.
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>
#include <unistd.h>

#include <asio/executor_work_guard.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/post.hpp>

#include "net/dial/connect_to.hpp"
#include "net/grpc/grpc_channels.hpp"
#include "rollcall/sim/server.hpp"
#include "rollcall/testing/virtual_loop.hpp"
#include "sim/workers/rpc_support.hpp"

namespace rollcall::sim {

namespace {

// An address that no other test process uses.
std::string own_address(int number) {
  const int process = ::getpid();
  return "127." + std::to_string(100 + number) + "." + std::to_string(process / 250 % 250) + "." + std::to_string(1 + process % 250);
}

class Call {
 public:
  bool is_done = false;
  grpc::Status status;
  std::string message;
  grpc::ClientContext context;
  grpc::ByteBuffer request;
  grpc::ByteBuffer response;
};

// The server's clock is controlled by the test. Sockets and gRPC's threads run in real time.
class Served {
 public:
  explicit Served(const std::string& file) : cloud(cloud_of(file)) {
    SimServerOptions options;
    options.time = loop.time;
    auto started = SimServer::start(loop.io.get_executor(), cloud, options);
    if (!started) FAIL(started.error().message());
    server = *std::move(started);
  }
  ~Served() {
    server->stop();
    loop.io.restart();
    loop.io.run();  // returns since nothing keeps the loop running
    CHECK(loop.time->alarms() == 0);
  }

  // `at` is the address to connect to, `worker` the worker to call there.
  std::shared_ptr<Call> start(const std::string& at, const std::string& method, const std::string& message = "",
                              const std::string& worker = "") {
    keep_grpc_callback_threads();
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetInt("grpc.enable_http_proxy", 0);
    if (!worker.empty()) arguments.SetString(GRPC_ARG_DEFAULT_AUTHORITY, worker);
    grpc::GenericStub stub(grpc::CreateCustomChannel("ipv4:" + at, grpc::InsecureChannelCredentials(), arguments));
    auto call = std::make_shared<Call>();
    const grpc::Slice slice(message);
    call->request = grpc::ByteBuffer(&slice, 1);
    stub.UnaryCall(&call->context, method, grpc::StubOptions(), &call->request, &call->response, [this, call](grpc::Status status) {
      asio::post(loop.io, [call, status] {
        call->status = status;
        std::vector<grpc::Slice> slices;
        if (status.ok() && call->response.Dump(&slices).ok()) {
          for (const grpc::Slice& piece : slices) call->message.append(reinterpret_cast<const char*>(piece.begin()), piece.size());
        }
        call->is_done = true;
      });
    });
    return call;
  }
  template <class Condition>
  void run_until(Condition condition) {
    loop.io.restart();
    const auto guard = asio::make_work_guard(loop.io);  // the next event may come from one of gRPC's threads
    while (!condition() && loop.io.run_one() > 0) {
    }
  }
  std::shared_ptr<Call> call(const std::string& at, const std::string& method, const std::string& message = "",
                             const std::string& worker = "") {
    auto started = start(at, method, message, worker);
    run_until([&] { return started->is_done; });
    return started;
  }
  std::uint64_t count(const std::string& route) const {
    const auto found = cloud->counts().find(route);
    return found == cloud->counts().end() ? 0 : found->second;
  }
  std::string shared() const { return "127.0.0.1:" + std::to_string(server->workers_port()); }
  void advance(int seconds) {
    loop.time->advance(std::chrono::seconds(seconds));
    loop.poll();
  }

  testing::VirtualLoop loop;
  std::shared_ptr<Cloud> cloud;
  std::shared_ptr<SimServer> server;
};

std::string node(const std::string& workers) {
  return R"({"nodes": [{"name": "n", "endpoints": ["10.0.0.2", "10.0.0.3"], "workers": {"runtime": "tensorflow", "cores": 1)" + workers +
         "}}]}";
}

std::error_code connect(const std::string& host) {
  asio::io_context io;
  asio::ip::tcp::socket socket(io);
  std::error_code error;
  socket.connect(asio::ip::tcp::endpoint(asio::ip::make_address(host), default_worker_port), error);
  return error;
}

}  // namespace

TEST_CASE("workers behind the shared port are selected by the authority", "[grpc]") {
  Served s(node(""));
  REQUIRE(s.server->workers_port() != 0);
  const auto rules = s.server->connect_to();
  CHECK(std::count(rules.begin(), rules.end(), worker_b + ":" + s.shared()) == 1);
  for (const std::string& rule : rules) CHECK(ConnectTo::parse(rule));
  CHECK(devices_of(s.call(s.shared(), get_status, "", worker_a)->message).at(1) == "L worker/replica:0/task:0/device:TPU:0");
  CHECK(devices_of(s.call(s.shared(), get_status, "", worker_b)->message).at(1) == "L worker/replica:0/task:1/device:TPU:0");
  CHECK(s.call(s.shared(), get_status, "", "10.9.9.9:8470")->status.error_code() == grpc::StatusCode::UNAVAILABLE);
  const auto list = s.call(s.shared(), list_devices, "", worker_b);
  REQUIRE(list->status.ok());
  CHECK(devices_of(list->message).size() == 6);
  CHECK(s.call(s.shared(), "/tensorflow.MasterService/RunStep", "", worker_a)->status.error_code() == grpc::StatusCode::UNIMPLEMENTED);
  CHECK(s.count("rpc WorkerService/GetStatus") == 2);
}

TEST_CASE("a session over the wire", "[grpc]") {
  Served s(node(""));
  const auto created = s.call(s.shared(), create_session, "", worker_a);
  REQUIRE(created->status.ok());
  const std::string handle = created->message.substr(2);
  CHECK(devices_of(s.call(s.shared(), list_devices, with_handle(handle), worker_a)->message).size() == 6);
  CHECK(s.cloud->open_sessions() == 1);
  CHECK(s.call(s.shared(), close_session, with_handle(handle), worker_a)->status.ok());
  CHECK(s.cloud->open_sessions() == 0);
  const auto again = s.call(s.shared(), close_session, with_handle(handle), worker_a);
  CHECK(again->status.error_code() == grpc::StatusCode::ABORTED);
  CHECK(again->status.error_message() == "Session " + handle + " is not found. Possibly, this master has restarted.");
}

TEST_CASE("a worker of this machine listens exactly while it runs", "[grpc]") {
  const std::string host = own_address(1);
  const std::string at = host + ":8470";
  Served s(
      "{\"workers\": [{\"address\": \"" + host +
      R"(", "runtime": "none", "timeline": [{"at": 1, "runtime": "tensorflow"}, {"at": 2, "runtime": "none"}, {"at": 3, "runtime": "tensorflow"}]}]})");
  CHECK(s.server->workers_port() == 0);
  CHECK(connect(host) == asio::error::connection_refused);
  s.advance(1);
  CHECK_FALSE(connect(host));
  const auto before = s.call(at, get_status);
  CHECK(devices_of(before->message).size() == 10);
  s.advance(1);
  CHECK(connect(host) == asio::error::connection_refused);
  CHECK(s.call(at, get_status)->status.error_code() == grpc::StatusCode::UNAVAILABLE);
  s.advance(1);
  const auto after = s.call(at, get_status);
  CHECK(devices_of(after->message) == devices_of(before->message));
  CHECK(after->message != before->message);
  CHECK(s.count("rpc WorkerService/GetStatus") == 2);
}

TEST_CASE("a held list is answered when the missing worker is back", "[grpc]") {
  Served s(node(R"(, "except": [{"worker": 1, "runtime": "none", "timeline": [{"at": 4, "runtime": "tensorflow"}]}])"));
  const auto waiting = s.start(s.shared(), list_devices, "", worker_a);
  s.run_until([&] { return s.count("rpc MasterService/ListDevices") == 1; });
  CHECK(s.call(s.shared(), get_status, "", worker_a)->status.ok());  // other calls are served meanwhile
  CHECK(s.call(s.shared(), get_status, "", worker_b)->status.error_code() == grpc::StatusCode::UNAVAILABLE);
  CHECK_FALSE(waiting->is_done);
  s.advance(4);
  s.run_until([&] { return waiting->is_done; });
  CHECK(devices_of(waiting->message).size() == 6);
}

TEST_CASE("a cancelled call leaves nothing behind", "[grpc]") {
  Served s(node(R"(, "delay": 5)"));
  const auto cancelled = s.start(s.shared(), create_session, "", worker_a);
  s.run_until([&] { return s.loop.time->alarms() == 1; });
  cancelled->context.TryCancel();
  s.run_until([&] { return cancelled->is_done && s.loop.time->alarms() == 0; });
  CHECK(cancelled->status.error_code() == grpc::StatusCode::CANCELLED);
  s.advance(10);
  CHECK(s.cloud->open_sessions() == 0);
}

TEST_CASE("silence, garbage and a stop of the whole cloud", "[grpc]") {
  Served s(node(R"(, "except": [{"worker": 0, "fault": "stall"}, {"worker": 1, "fault": "garbage"}])"));
  const auto garbage = s.call(s.shared(), get_status, "", worker_b);
  CHECK(garbage->status.ok());
  CHECK(static_cast<unsigned char>(garbage->message.at(1)) == 0xff);
  const auto silent = s.start(s.shared(), get_status, "", worker_a);
  s.run_until([&] { return s.count("rpc WorkerService/GetStatus") == 2; });
  s.server->stop();
  s.run_until([&] { return silent->is_done; });
  CHECK(silent->status.error_code() == grpc::StatusCode::UNAVAILABLE);
}

TEST_CASE("a stopped worker breaks its held calls", "[grpc]") {
  const std::string host = own_address(2);
  Served s("{\"workers\": [{\"address\": \"" + host + R"(", "fault": "stall", "timeline": [{"at": 1, "runtime": "none"}]}]})");
  const auto held = s.start(host + ":8470", get_status);
  s.run_until([&] { return s.count("rpc WorkerService/GetStatus") == 1; });
  s.advance(1);
  s.run_until([&] { return held->is_done; });
  CHECK(held->status.error_code() == grpc::StatusCode::UNAVAILABLE);
}

TEST_CASE("an address that is in use is reported", "[grpc]") {
  const std::string host = own_address(3);
  asio::io_context io;
  asio::ip::tcp::acceptor taken(io, asio::ip::tcp::endpoint(asio::ip::make_address(host), default_worker_port));
  const auto started = SimServer::start(io.get_executor(), cloud_of("{\"workers\": [{\"address\": \"" + host + "\"}]}"));
  REQUIRE_FALSE(started);
  CHECK(started.error().code() == Errc::failed_precondition);
  CHECK(started.error().what() == "cannot listen on " + host + " port 8470: Address already in use");
}

}  // namespace rollcall::sim
