// Simulated workers without a transport: a TensorFlow server's answers, and the effects of the script.
#include <fstream>
#include <sstream>

#include "devices/wire/device_wire.hpp"
#include "sim/workers/rpc_support.hpp"
#include "support/paths.hpp"

namespace rollcall::sim {

namespace {

// A node of two workers with one core each.
std::shared_ptr<Cloud> two_workers(const std::string& workers, const std::string& node = "") {
  return cloud_of("{\"nodes\": [{\"name\": \"n\", \"endpoints\": [\"10.0.0.2\", \"10.0.0.3\"]" + node +
                  ", \"workers\": {\"runtime\": \"tensorflow\", \"cores\": 1" + workers + "}}]}");
}

std::string sample(const std::string& name) {
  std::ifstream file(testing::tests_dir() / ("samples/devices/tf-2.21." + name + ".bin"), std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  REQUIRE(text.str().size() > 50);
  return text.str();
}

// Every server has its own incarnations: 8 bytes after the empty locality.
std::string without_incarnations(std::string message) {
  const std::string before(
      "*\x00"
      "1",
      3);
  for (std::size_t at = message.find(before); at != std::string::npos; at = message.find(before, at + 11))
    message.replace(at + 3, 8, 8, '.');
  return message;
}

std::string session_at(Cloud& cloud, const std::string& address, double at = 0) {
  const RpcReply reply = ask_rpc(cloud, address, create_session, at);
  REQUIRE(reply.end == RpcEnd::answer);
  REQUIRE_FALSE(reply.hold);
  REQUIRE(reply.answer.message.size() > 2);
  return reply.answer.message.substr(2);
}

}  // namespace

TEST_CASE("the bytes are equal to those of a real server") {
  const auto cloud = cloud_of(R"({"workers": [{"address": "10.0.0.2", "cores": 0}, {"address": "10.0.0.3", "cores": 0}]})");
  const auto bytes = [&](const char* method, const std::string& message = "") {
    return without_incarnations(ask_rpc(*cloud, worker_a, method, 0, message).answer.message);
  };
  CHECK(bytes(get_status) == without_incarnations(sample("worker-get-status")));
  CHECK(bytes(list_devices) == without_incarnations(sample("master-list-devices.no-session")));
  CHECK(bytes(list_devices, with_handle(session_at(*cloud, worker_a))) == without_incarnations(sample("master-list-devices.with-session")));
}

TEST_CASE("a worker lists its own devices, a master all") {
  const auto cloud = two_workers("");
  CHECK(devices_of(ask_rpc(*cloud, worker_a, get_status).answer.message) == Names{"L worker/replica:0/task:0/device:CPU:0",
                                                                                  "L worker/replica:0/task:0/device:TPU:0",
                                                                                  "L worker/replica:0/task:0/device:TPU_SYSTEM:0"});
  CHECK(devices_of(ask_rpc(*cloud, worker_b, list_devices).answer.message) ==
        Names{"L worker/replica:0/task:1/device:CPU:0", "L worker/replica:0/task:1/device:TPU:0",
              "L worker/replica:0/task:1/device:TPU_SYSTEM:0", "R worker/replica:0/task:0/device:CPU:0",
              "R worker/replica:0/task:0/device:TPU:0", "R worker/replica:0/task:0/device:TPU_SYSTEM:0"});
  CHECK(cloud->counts().at("rpc WorkerService/GetStatus") == 1);
  CHECK(cloud->counts().at("rpc MasterService/ListDevices") == 1);
  CHECK(cloud->total() == 2);
}

TEST_CASE("a session lists all devices as local and lasts until it is closed") {
  const auto cloud = two_workers("");
  const std::string handle = session_at(*cloud, worker_a);
  CHECK(cloud->open_sessions() == 1);
  const RpcReply list = ask_rpc(*cloud, worker_a, list_devices, 0, with_handle(handle));
  CHECK(devices_of(list.answer.message).size() == 6);
  CHECK(devices_of(list.answer.message).at(3) == "L worker/replica:0/task:1/device:CPU:0");
  // The session is unknown to another master.
  const RpcReply other = ask_rpc(*cloud, worker_b, list_devices, 0, with_handle(handle));
  CHECK(other.answer.status == RpcStatus::invalid_argument);
  CHECK(other.answer.status_message == "Session " + handle + " is not found. Possibly, this master has restarted.");
  CHECK(ask_rpc(*cloud, worker_a, close_session, 0, with_handle(handle)).answer.status == RpcStatus::ok);
  CHECK(cloud->open_sessions() == 0);
  CHECK(ask_rpc(*cloud, worker_a, close_session, 0, with_handle(handle)).answer.status == RpcStatus::aborted);
  CHECK(ask_rpc(*cloud, worker_a, list_devices, 0, "\x0a\x7f").answer.status == RpcStatus::internal);
}

TEST_CASE("an unknown method is unimplemented and counted by its name") {
  const auto cloud = two_workers("");
  const RpcReply reply = ask_rpc(*cloud, worker_a, "/tensorflow.MasterService/RunStep");
  CHECK(reply.answer.status == RpcStatus::unimplemented);
  CHECK(reply.answer.status_message.empty());
  CHECK(cloud->counts().at("rpc MasterService/RunStep") == 1);
  CHECK(ask_rpc(*cloud, worker_a, "/grpc.health.v1.Health/Check").answer.status == RpcStatus::unimplemented);
  CHECK(cloud->counts().at("rpc /grpc.health.v1.Health/Check") == 1);
}

TEST_CASE("no worker listens unless the file says so") {
  const auto cloud =
      cloud_of(R"({"nodes": [{"name": "n", "endpoints": ["10.0.0.2"]}, {"name": "m", "endpoints": ["10.0.0.3"], "workers": {}}]})");
  CHECK(ask_rpc(*cloud, worker_a, get_status).end == RpcEnd::refuse);
  CHECK(ask_rpc(*cloud, worker_b, get_status).end == RpcEnd::refuse);
  CHECK(ask_rpc(*cloud, "nobody:8470", get_status).end == RpcEnd::unknown_host);
  CHECK(ask_rpc(*cloud, "10.0.0.3", get_status).end == RpcEnd::refuse);
  CHECK(cloud->worker_addresses().empty());
  CHECK(cloud->total() == 0);
}

TEST_CASE("cores come from the accelerator type, uneven ones from the file") {
  const auto cloud = cloud_of(
      R"({"nodes": [{"name": "n", "accelerator_type": "v3-32", "endpoints": {"base": "10.0.0.2"}, "workers": {"runtime": "tensorflow", "job": "tpu_worker",
    "except": [{"worker": 1, "cores": 3, "devices": ["GPU:1", "/what ever"]}, {"worker": 2, "job": "evaluator"}]}}]})");
  CHECK(devices_of(ask_rpc(*cloud, worker_a, get_status).answer.message).size() == 10);
  const Names other = devices_of(ask_rpc(*cloud, worker_b, get_status).answer.message);
  REQUIRE(other.size() == 7);
  CHECK(other[5] == "L tpu_worker/replica:0/task:1/device:GPU:1");
  CHECK(ask_rpc(*cloud, worker_b, get_status).answer.message.find("/what ever") != std::string::npos);
  CHECK(devices_of(ask_rpc(*cloud, "10.0.0.4:8470", get_status).answer.message)[0] == "L evaluator/replica:0/task:0/device:CPU:0");
  CHECK(devices_of(ask_rpc(*cloud, "10.0.0.5:8470", get_status).answer.message)[0] == "L tpu_worker/replica:0/task:2/device:CPU:0");
}

TEST_CASE("a master never answers while a worker is missing, and does when it is back") {
  const auto cloud =
      two_workers(R"(, "except": [{"worker": 1, "timeline": [{"at": 5, "runtime": "none"}, {"at": 9, "runtime": "tensorflow"}]}])");
  const std::string before = ask_rpc(*cloud, worker_b, get_status, 4).answer.message;
  CHECK_FALSE(ask_rpc(*cloud, worker_a, list_devices, 4).hold);
  CHECK(ask_rpc(*cloud, worker_b, get_status, 5).end == RpcEnd::refuse);
  CHECK_FALSE(cloud->is_worker_running(*Endpoint::parse(worker_b), second(5)));
  CHECK(cloud->next_worker_change(second(5)) == second(9));
  for (const char* method : {list_devices, create_session}) {
    const RpcRequest request = rpc_request(worker_a, method);
    RpcReply reply = cloud->handle_rpc(request, second(6));
    REQUIRE(reply.hold);
    CHECK(reply.hold->ask_again == second(9));
    reply = cloud->handle_rpc(request, second(8.9), reply.hold);
    REQUIRE(reply.hold);
    reply = cloud->handle_rpc(request, second(9), reply.hold);
    CHECK_FALSE(reply.hold);
    CHECK(reply.answer.status == RpcStatus::ok);
  }
  CHECK(cloud->counts().at("rpc MasterService/ListDevices") == 2);
  CHECK(cloud->open_sessions() == 1);
  const std::string after = ask_rpc(*cloud, worker_b, get_status, 9).answer.message;
  CHECK(devices_of(after) == devices_of(before));
  CHECK(after != before);  // a restart changes the incarnations
}

TEST_CASE("a stopped worker breaks its held calls and loses its sessions") {
  const auto cloud = two_workers(
      R"(, "except": [{"worker": 0, "delay": 3, "timeline": [{"at": 5, "runtime": "none"}, {"at": 6, "runtime": "tensorflow", "delay": 0}]}])");
  const RpcRequest request = rpc_request(worker_a, get_status);
  const RpcReply held = cloud->handle_rpc(request, second(4));
  REQUIRE(held.hold);
  CHECK(held.hold->ask_again == second(5));
  CHECK(cloud->handle_rpc(request, second(5), held.hold).end == RpcEnd::reset);
  CHECK(cloud->handle_rpc(request, second(7), held.hold).end == RpcEnd::reset);
  const std::string handle = session_at(*cloud, worker_b, 6);
  CHECK(cloud->open_sessions() == 1);
  const auto stops = two_workers(R"(, "timeline": [{"at": 5, "runtime": "none"}, {"at": 6, "runtime": "tensorflow"}])");
  const std::string lost = session_at(*stops, worker_a);
  CHECK(ask_rpc(*stops, worker_a, list_devices, 7, with_handle(lost)).answer.status == RpcStatus::invalid_argument);
  CHECK(stops->open_sessions() == 0);
}

TEST_CASE("delays, stalls, garbage and statuses by script") {
  const auto late = two_workers(R"(, "delay": 2)");
  const RpcRequest status = rpc_request(worker_a, get_status);
  RpcReply reply = late->handle_rpc(status, second(1));
  REQUIRE(reply.hold);
  CHECK(reply.hold->ask_again == second(3));
  CHECK(late->handle_rpc(status, second(3), reply.hold).answer.message.size() > 100);
  CHECK(late->counts().at("rpc WorkerService/GetStatus") == 1);

  const auto silent = two_workers(R"(, "except": [{"worker": 0, "fault": "stall"}])");
  reply = silent->handle_rpc(status, second(0));
  REQUIRE(reply.hold);
  CHECK(reply.hold->ask_again == SteadyTime::max());
  CHECK(silent->handle_rpc(status, second(1000), reply.hold).hold);
  CHECK(ask_rpc(*silent, worker_b, list_devices).hold);  // the master waits for it
  CHECK_FALSE(ask_rpc(*silent, worker_b, get_status).hold);

  const auto corrupted = two_workers(R"(, "except": [{"worker": 0, "fault": "garbage"}])");
  CHECK(static_cast<unsigned char>(ask_rpc(*corrupted, worker_a, get_status).answer.message.at(1)) == 0xff);
  CHECK(ask_rpc(*corrupted, worker_b, list_devices).answer.status == RpcStatus::internal);

  const auto busy = two_workers(R"(, "except": [{"worker": 0, "status": "UNAVAILABLE", "message": "too busy", "times": 2}])");
  CHECK(ask_rpc(*busy, worker_a, get_status).answer.status == RpcStatus::unavailable);
  const RpcReply failed = ask_rpc(*busy, worker_b, list_devices);  // one worker's error fails the master's call, and uses up one of `times`
  CHECK(failed.answer.status == RpcStatus::unavailable);
  CHECK(failed.answer.status_message == "too busy");
  CHECK(ask_rpc(*busy, worker_a, get_status).answer.status == RpcStatus::ok);
  CHECK(ask_rpc(*busy, worker_b, list_devices).answer.status == RpcStatus::ok);
}

TEST_CASE("a waiting master answers when a stalled worker answers again") {
  const auto cloud = two_workers(R"(, "except": [{"worker": 1, "fault": "stall", "times": 1}])");
  bool is_reported = false;
  const auto subscription = cloud->subscribe([&is_reported] { is_reported = true; });
  const RpcRequest request = rpc_request(worker_a, list_devices);
  const RpcReply held = cloud->handle_rpc(request, second(0));
  REQUIRE(held.hold);
  CHECK_FALSE(is_reported);
  CHECK(ask_rpc(*cloud, worker_b, get_status).hold);
  CHECK(is_reported);
  CHECK_FALSE(cloud->handle_rpc(request, second(0), held.hold).hold);
}

TEST_CASE("a worker without a cluster definition gets one from a session") {
  const auto cloud = two_workers(R"(, "job": "tpu_worker", "knows": "itself")");
  CHECK(devices_of(ask_rpc(*cloud, worker_a, list_devices).answer.message).size() == 3);
  const auto create = [](const std::string& job, std::map<int, std::string> tasks, const std::string& target) {
    ClusterSpec spec;
    REQUIRE(spec.set_job(job, std::move(tasks)));
    return create_session_request(target, spec);
  };
  const RpcReply made =
      ask_rpc(*cloud, worker_a, create_session, 0, create("worker", {{4, worker_a}, {7, worker_b}}, "grpc://" + worker_a));
  REQUIRE(made.answer.status == RpcStatus::ok);
  CHECK(devices_of(ask_rpc(*cloud, worker_a, list_devices, 0, with_handle(made.answer.message.substr(2))).answer.message) ==
        Names{"L worker/replica:0/task:4/device:CPU:0", "R worker/replica:0/task:4/device:TPU:0",
              "R worker/replica:0/task:4/device:TPU_SYSTEM:0", "R worker/replica:0/task:7/device:CPU:0",
              "R worker/replica:0/task:7/device:TPU:0", "R worker/replica:0/task:7/device:TPU_SYSTEM:0"});
  // Without a ClusterDef a session changes nothing.
  const std::string handle = session_at(*cloud, worker_a);
  CHECK(devices_of(ask_rpc(*cloud, worker_a, list_devices, 0, with_handle(handle)).answer.message).size() == 3);

  const auto refusal = [&](const std::string& message) {
    const RpcReply reply = ask_rpc(*cloud, worker_a, create_session, 0, message);
    CHECK(reply.answer.status == RpcStatus::invalid_argument);
    return reply.answer.status_message;
  };
  CHECK(refusal(create("tpu_worker", {{0, worker_a}, {1, worker_b}}, "grpc://" + worker_a))
            .find("not allowed. Job: tpu_worker, task index: 0") != std::string::npos);
  CHECK(refusal(create("worker", {{0, worker_a}, {1, worker_a}}, "grpc://" + worker_a)).find("Found multiple matching tasks") == 0);
  CHECK(refusal(create("worker", {{1, worker_b}}, "grpc://" + worker_a)).find("is not included in the provided cluster_def") !=
        std::string::npos);
  CHECK(ask_rpc(*cloud, worker_a, create_session, 0, create("worker", {{0, worker_a}, {1, "10.9.9.9:8470"}}, worker_a))
            .hold);  // no worker ever answers there
  CHECK(ask_rpc(*cloud, worker_a, create_session, 0, "\x12\x7f").answer.status == RpcStatus::internal);
  CHECK(cloud->open_sessions() == 2);
}

TEST_CASE("workers run while their node is READY") {
  const auto cloud = two_workers(
      "",
      R"(, "timeline": [{"at": 0, "state": "CREATING"}, {"at": 2, "state": "READY"}, {"at": 4, "state": "PREEMPTED"}, {"at": 6, "state": "DELETED"}])");
  CHECK(ask_rpc(*cloud, worker_a, get_status, 1).end == RpcEnd::refuse);
  CHECK(ask_rpc(*cloud, worker_a, get_status, 2).end == RpcEnd::answer);
  CHECK(cloud->next_worker_change(second(2)) == second(4));
  CHECK(ask_rpc(*cloud, worker_a, get_status, 4).end == RpcEnd::refuse);
  CHECK(ask_rpc(*cloud, worker_a, get_status, 7).end == RpcEnd::refuse);
}

TEST_CASE("workers without a node form clusters") {
  const auto cloud = cloud_of(R"({"workers": [
    {"address": "127.0.1.1:2222", "cores": 0}, {"address": "[fd20::1]:2222", "cores": 0}, {"address": "trainer", "job": "chief", "cores": 1},
    {"address": "10.0.0.9:2222", "cluster": "other", "cores": 0, "task": 7}, {"address": "10.0.0.10:2222", "cluster": "other", "cores": 0}]})");
  CHECK(devices_of(ask_rpc(*cloud, "[fd20::1]:2222", list_devices).answer.message) ==
        Names{"L worker/replica:0/task:1/device:CPU:0", "R worker/replica:0/task:0/device:CPU:0", "R chief/replica:0/task:0/device:CPU:0",
              "R chief/replica:0/task:0/device:TPU:0", "R chief/replica:0/task:0/device:TPU_SYSTEM:0"});
  CHECK(devices_of(ask_rpc(*cloud, "10.0.0.10:2222", list_devices).answer.message) ==
        Names{"L worker/replica:0/task:8/device:CPU:0", "R worker/replica:0/task:7/device:CPU:0"});
  CHECK(ask_rpc(*cloud, "trainer:8470", get_status).end == RpcEnd::answer);
  REQUIRE(cloud->worker_addresses().size() == 5);
  CHECK(cloud->worker_addresses().back().to_text() == "trainer:8470");
}

TEST_CASE("the script's workers are checked") {
  const auto wrong = [](const std::string& text) {
    const auto cloud = Cloud::parse(text, "cloud.json");
    return cloud ? "accepted" : cloud.error().what();
  };
  const auto node = [&](const std::string& workers) { return wrong("{\"nodes\": [{\"name\": \"n\", \"workers\": {" + workers + "}}]}"); };
  CHECK(node(R"("runtime": "tensorflw")") ==
        "cloud.json:1:49: nodes[0].workers.runtime: unknown runtime 'tensorflw', did you mean 'tensorflow'?");
  CHECK(node(R"("fault": "stal")").find("did you mean 'stall'?") != std::string::npos);
  CHECK(node(R"("status": "UNAVAILBLE")").find("did you mean 'UNAVAILABLE'?") != std::string::npos);
  CHECK(node(R"("fault": "stall", "status": "INTERNAL")").find("nodes[0].workers: give either a fault or a status") != std::string::npos);
  CHECK(node(R"("message": "x")").find("message needs a status") != std::string::npos);
  CHECK(node(R"("times": 1)").find("times needs a fault, a status or a delay") != std::string::npos);
  CHECK(node(R"("job": "tpu-worker")").find("nodes[0].workers.job: 'tpu-worker' is no name of a job") != std::string::npos);
  CHECK(node(R"("job": "a/task:3")").find("is no name of a job") != std::string::npos);
  CHECK(node(R"("except": [{"cores": 1}])").find("nodes[0].workers.except[0]: say which worker") != std::string::npos);
  CHECK(node(R"("except": [{"worker": 1}, {"worker": 1}])").find("nodes[0].workers.except[1]: worker 1 is there twice") !=
        std::string::npos);
  CHECK(node(R"("timeline": [{"at": 2}, {"at": 1}])").find("nodes[0].workers.timeline[1]: at: each entry must be later") !=
        std::string::npos);
  CHECK(node(R"("cors": 4)").find("did you mean 'cores'?") != std::string::npos);
  CHECK(wrong(R"({"workers": [{"job": "worker"}]})").find("workers[0]: a worker needs an address") != std::string::npos);
  CHECK(wrong(R"({"workers": [{"address": "a b"}]})").find("workers[0].address: expected an address") != std::string::npos);
  CHECK(wrong(R"({"workers": [{"address": "a"}, {"address": "a:8470"}]})").find("workers[1]: address: there are two workers at a:8470") !=
        std::string::npos);
  CHECK(wrong(R"({"workers": [{"address": "a", "task": 1}, {"address": "b", "task": 1}]})")
            .find("task: there are two tasks 1 of job worker") != std::string::npos);
}

}  // namespace rollcall::sim
