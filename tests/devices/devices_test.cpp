// Device lists of simulated workers, in virtual time.
#include <asio/bind_cancellation_slot.hpp>
#include <catch2/catch.hpp>

#include "rollcall/tfconfig_resolver.hpp"
#include "rollcall/tpu_resolver.hpp"
#include "support/cloud_loop.hpp"
#include "support/result.hpp"

using namespace rollcall;
using Cluster = rollcall::testing::CloudLoop;
using namespace std::chrono_literals;

namespace {

// Two workers with four cores each, and further members of their JSON object.
std::string pair_with(const std::string& first, const std::string& second = "") {
  return R"({"workers": [{"address": "10.0.0.1", "cores": 4)" + first + R"(}, {"address": "10.0.0.2", "cores": 4)" + second + "}]}";
}

TpuOptions pair() { return TpuOptions("grpc://10.0.0.1,grpc://10.0.0.2"); }

std::string node_cloud(const std::string& more) {
  return R"({"nodes": [{"name": "n", "accelerator_type": "v4-16", "endpoints": ["10.0.0.1", "10.0.0.2"])" + more + "}]}";
}

TpuOptions node(TpuApiVersion api = TpuApiVersion::v2) {
  return TpuOptions("n").project("example-proj").zone("us-central2-b").api_version(api);
}

}  // namespace

TEST_CASE("cores per host, from the master in one call") {
  Cluster t(pair_with(""));
  const auto tpu = make_tpu_resolver(t.runtime, pair());
  const AcceleratorCounts counts = t.run(tpu->num_accelerators());
  CHECK(counts.at("TPU") == 4);
  CHECK(counts.source() == CountSource::devices);
  CHECK(t.rpc->calls() == 1);
  const TpuSystemMetadata metadata = t.run(tpu->system_metadata());
  CHECK(metadata.num_cores == 8);
  CHECK(metadata.num_hosts == 2);
  CHECK(metadata.num_of_cores_per_host == 4);
  CHECK(metadata.devices.size() == 12);  // with a CPU and a TPU_SYSTEM each
  CHECK(t.run(tpu->list_devices()).size() == 12);
}

TEST_CASE("hosts with different numbers of cores are an error that names them") {
  Cluster t(R"({"workers": [{"address": "10.0.0.1", "cores": 4}, {"address": "10.0.0.2", "cores": 3}]})");
  const auto counts = t.run(make_tpu_resolver(t.runtime, pair())->try_num_accelerators());
  testing::check_failure(counts, Errc::failed_precondition, "task 0 has 4", "task 1 has 3");
}

TEST_CASE("a master that waits for a stopped worker is late, and the worker is named") {
  Cluster t(pair_with("", R"(, "runtime": "none")"));
  const auto counts = t.run(make_tpu_resolver(t.runtime, pair())->try_num_accelerators());
  testing::check_failure(counts, Errc::unavailable, "1 of 2 workers does not answer: worker 1 (10.0.0.2:8470): refused");
  CHECK(t.elapsed() >= 0.8);
  CHECK(t.elapsed() <= 0.95);
  CHECK(t.rpc->in_flight() == 0);
}

TEST_CASE("a silent worker and one with an unknown name have different messages") {
  Cluster t(pair_with("", R"(, "fault": "stall")"));
  const auto silent = t.run(make_tpu_resolver(t.runtime, pair())->try_num_accelerators());
  REQUIRE(silent.has_error());
  CHECK_THAT(silent.error().what(), Catch::Contains("worker 1 (10.0.0.2:8470): silent"));
  const auto nameless = t.run(make_tpu_resolver(t.runtime, TpuOptions("grpc://10.0.0.1,grpc://nobody.invalid:1"))
                                  ->try_list_devices(CallOptions().with(TpuCallOptions().device_query(DeviceQuery::workers))));
  REQUIRE(nameless.has_error());
  CHECK_THAT(nameless.error().what(), Catch::Contains("worker 1 (nobody.invalid:1): unknown name"));
}

TEST_CASE("with little time the master is late after a quarter of it") {
  Cluster t(pair_with("", R"(, "runtime": "none")"));
  const auto counts = t.run(make_tpu_resolver(t.runtime, pair())->try_num_accelerators({}, {}, CallOptions().timeout(1s)));
  REQUIRE(counts.has_error());
  CHECK_THAT(counts.error().message(), Catch::Contains("10.0.0.2:8470"));
  CHECK(t.elapsed() <= 0.7);
}

TEST_CASE("a slow master is waited for, and is not needed when all workers have answered") {
  Cluster slow(R"({"workers": [{"address": "10.0.0.1", "cores": 4, "delay": 5}]})");
  CHECK(slow.run(make_tpu_resolver(slow.runtime, TpuOptions("grpc://10.0.0.1"))->try_num_accelerators({}, {}, CallOptions().timeout(4s)))
            .has_error());
  // The master is slow, the workers are not.
  Cluster t(R"({"workers": [{"address": "10.0.0.1", "cores": 4, "fault": "stall", "times": 1}, {"address": "10.0.0.2", "cores": 4}]})");
  const AcceleratorCounts counts = t.run(make_tpu_resolver(t.runtime, pair())->num_accelerators());
  CHECK(counts.at("TPU") == 4);
  CHECK(t.elapsed() == Approx(0.5));
  CHECK(t.asked("rpc WorkerService/GetStatus") == 2);
  CHECK(t.rpc->in_flight() == 0);
}

TEST_CASE("all workers can be asked from the start") {
  Cluster t(pair_with(""));
  const CallOptions by_workers = CallOptions().with(TpuCallOptions().device_query(DeviceQuery::workers));
  CHECK(t.run(make_tpu_resolver(t.runtime, pair())->system_metadata(by_workers)).num_cores == 8);
  CHECK(t.asked("rpc WorkerService/GetStatus") == 2);
  CHECK(t.asked("rpc MasterService/ListDevices") == 0);
  Cluster broken(pair_with("", R"(, "runtime": "none")"));
  const auto failed = broken.run(make_tpu_resolver(broken.runtime, pair())->try_list_devices(by_workers));
  REQUIRE(failed.has_error());
  CHECK_THAT(failed.error().what(), Catch::Contains("worker 1 (10.0.0.2:8470): refused"));
  CHECK(broken.elapsed() < 0.5);
}

TEST_CASE("UNAVAILABLE, DEADLINE_EXCEEDED and RESOURCE_EXHAUSTED are tried again, other statuses are final") {
  for (const char* status : {"UNAVAILABLE", "DEADLINE_EXCEEDED", "RESOURCE_EXHAUSTED"}) {
    CAPTURE(status);
    Cluster t(pair_with(std::string(R"(, "status": ")") + status + R"(", "times": 3)"));
    CHECK(t.run(make_tpu_resolver(t.runtime, pair())->num_accelerators()).at("TPU") == 4);
    CHECK(t.rpc->calls() == 4);
  }
  Cluster denied(pair_with(R"(, "status": "PERMISSION_DENIED", "message": "not you")"));
  const auto refused = denied.run(make_tpu_resolver(denied.runtime, pair())->try_num_accelerators());
  testing::check_failure(refused, Errc::permission_denied, "10.0.0.1:8470", "not you");
  CHECK(denied.rpc->calls() == 1);
  Cluster busy(pair_with(R"(, "status": "UNAVAILABLE")"));
  const auto given_up =
      busy.run(make_tpu_resolver(busy.runtime, pair())->try_num_accelerators({}, {}, CallOptions().retry(RetryPolicy().max_retries(2))));
  REQUIRE(given_up.has_error());
  CHECK(given_up.error().code() == Errc::unavailable);
  CHECK(given_up.error().attempts() == 3);
  CHECK_THAT(given_up.error().what(), Catch::Contains("10.0.0.1:8470") && Catch::Contains("retries are used up"));
  Cluster full(pair_with(R"(, "status": "RESOURCE_EXHAUSTED", "message": "too many calls")"));
  const auto limited =
      full.run(make_tpu_resolver(full.runtime, pair())->try_num_accelerators({}, {}, CallOptions().retry(RetryPolicy().max_retries(2))));
  REQUIRE(limited.has_error());
  CHECK(limited.error().code() == Errc::rate_limited);
  CHECK(limited.error().attempts() == 3);
  CHECK_THAT(limited.error().what(), Catch::Contains("too many calls") && Catch::Contains("retries are used up"));
}

TEST_CASE("a worker that is at its limit is asked again, and does not count as missing") {
  const CallOptions by_workers =
      CallOptions().with(TpuCallOptions().device_query(DeviceQuery::workers)).retry(RetryPolicy().max_retries(0));
  Cluster once(pair_with("", R"(, "status": "RESOURCE_EXHAUSTED", "times": 2)"));
  CHECK(once.run(make_tpu_resolver(once.runtime, pair())->system_metadata(by_workers)).num_cores == 8);
  Cluster full(pair_with("", R"(, "status": "RESOURCE_EXHAUSTED")"));
  const auto devices = full.run(make_tpu_resolver(full.runtime, pair())->try_list_devices(by_workers));
  REQUIRE(devices.has_error());
  CHECK(devices.error().code() == Errc::rate_limited);
}

TEST_CASE("garbage is an error that names the worker, whoever was asked") {
  Cluster t(pair_with(R"(, "fault": "garbage")"));
  for (const DeviceQuery query : {DeviceQuery::master, DeviceQuery::workers}) {
    const auto devices =
        t.run(make_tpu_resolver(t.runtime, pair())->try_list_devices(CallOptions().with(TpuCallOptions().device_query(query))));
    testing::check_failure(devices, Errc::malformed_response, "10.0.0.1:8470");
  }
}

TEST_CASE("a master without session-less listing is asked in a session, which is closed") {
  Cluster t(pair_with(R"(, "status": "INVALID_ARGUMENT", "times": 1)"));
  CHECK(t.run(make_tpu_resolver(t.runtime, pair())->list_devices()).size() == 12);
  t.poll();
  CHECK(t.asked("rpc MasterService/CreateSession") == 1);
  CHECK(t.asked("rpc MasterService/CloseSession") == 1);
  CHECK(t.cloud->open_sessions() == 0);
  CHECK(t.rpc->in_flight() == 0);
}

TEST_CASE("a session is closed if the call is cancelled at any time") {
  int closed = 0;
  for (int steps = 0; steps < 60; ++steps) {
    CAPTURE(steps);
    Cluster t(pair_with(R"(, "status": "INVALID_ARGUMENT", "times": 1)"));
    const auto tpu = make_tpu_resolver(t.runtime, pair());
    asio::cancellation_signal signal;
    bool is_done = false;
    asio::co_spawn(
        t.io, tpu->try_list_devices(),
        asio::bind_cancellation_slot(signal.slot(), [&](std::exception_ptr, Result<std::vector<DeviceAttributes>>) { is_done = true; }));
    t.io.restart();
    for (int i = 0; i < steps && !is_done; ++i) t.io.poll_one();
    const bool was_done = is_done;
    signal.emit(asio::cancellation_type::terminal);
    // Within a second no session is left.
    for (t.poll(); t.time->next_alarm() && *t.time->next_alarm() <= t.started + 1s; t.poll()) t.time->advance_to(*t.time->next_alarm());
    CHECK(is_done);
    CHECK(t.cloud->open_sessions() == 0);
    CHECK(t.rpc->in_flight() == 0);
    closed += t.asked("rpc MasterService/CreateSession") > 0 && !was_done ? 1 : 0;
  }
  CHECK(closed > 0);
}

TEST_CASE("a cancelled request leaves no call behind, also while the workers are asked") {
  Cluster t(pair_with("", R"(, "fault": "stall")"));
  const auto tpu = make_tpu_resolver(t.runtime, pair());
  auto question = t.start(tpu->try_num_accelerators());
  t.time->advance_to(t.started + 700ms);
  t.poll();
  CHECK(t.rpc->in_flight() == 2);
  question.cancel();
  t.poll();
  REQUIRE(question.done());
  CHECK(question.value().error().code() == Errc::cancelled);
  CHECK(t.rpc->in_flight() == 0);
}

TEST_CASE("a TPU VM of API v2 is counted by its type; devices are listed only on request") {
  Cluster t(node_cloud(""));
  const auto tpu = make_tpu_resolver(t.runtime, node());
  const AcceleratorCounts counts = t.run(tpu->num_accelerators());
  CHECK(counts.at("TPU") == 4);
  CHECK(counts.source() == CountSource::accelerator_type);
  const TpuSystemMetadata metadata = t.run(tpu->system_metadata());
  CHECK(metadata.num_cores == 8);
  CHECK(metadata.topology.has_value());
  CHECK(t.rpc->calls() == 0);
  const auto insisted = t.run(tpu->try_num_accelerators(
      {}, {}, CallOptions().with(TpuCallOptions().count_from(CountFrom::devices)).retry(RetryPolicy().max_retries(1))));
  REQUIRE(insisted.has_error());
  CHECK(insisted.error().code() == Errc::unreachable);
  CHECK_THAT(insisted.error().message(), Catch::Contains("10.0.0.1:8470") && Catch::Contains("TPU VM"));
}

TEST_CASE("a node of API v1 is asked for its devices, and its type counts if no runtime listens") {
  Cluster listening(node_cloud(R"(, "workers": {"runtime": "tensorflow", "cores": 3})"));
  const AcceleratorCounts counts = listening.run(make_tpu_resolver(listening.runtime, node(TpuApiVersion::v1))->num_accelerators());
  CHECK(counts.at("TPU") == 3);
  CHECK(counts.source() == CountSource::devices);
  Cluster t(node_cloud(""));
  const AcceleratorCounts by_type = t.run(make_tpu_resolver(t.runtime, node(TpuApiVersion::v1))->num_accelerators());
  CHECK(by_type.at("TPU") == 4);
  CHECK(by_type.source() == CountSource::accelerator_type);
  CHECK(t.rpc->calls() == 3);
  CHECK(t.elapsed() < 1);
}

TEST_CASE("connect waits for the node and for its workers") {
  Cluster t(node_cloud(
      R"(, "ready_after": 12, "workers": {"runtime": "tensorflow", "except": [{"worker": 1, "timeline": [{"at": 0, "runtime": "none"}, {"at": 20, "runtime": "tensorflow"}]}]})"));
  const auto tpu = make_tpu_resolver(t.runtime, node());
  const TpuSystemMetadata metadata =
      t.run(tpu->wait_for_system_metadata(CallOptions().timeout(60s).with(TpuCallOptions().count_from(CountFrom::devices))));
  CHECK(metadata.num_cores == 8);
  CHECK(t.elapsed() >= 20);
  CHECK(t.elapsed() <= 23);
  const auto too_late =
      t.run(make_tpu_resolver(t.runtime, TpuOptions("grpc://10.0.0.1,grpc://10.0.9.9"))
                ->try_wait_for_system_metadata(CallOptions().timeout(5s).with(TpuCallOptions().device_query(DeviceQuery::workers))));
  REQUIRE(too_late.has_error());
  CHECK_THAT(too_late.error().message(), Catch::Contains("10.0.9.9:8470"));
}

TEST_CASE("TF_CONFIG's own task is counted by default") {
  Cluster t(
      R"({"workers": [{"address": "w0:1", "cores": 0, "devices": ["GPU:0", "GPU:1"]}, {"address": "w1:1", "cores": 0, "devices": ["GPU:0"]}]})",
      {{"TF_CONFIG", R"({"cluster": {"worker": ["w0:1", "w1:1"]}, "task": {"type": "worker", "index": 1}})"}});
  const auto resolver = make_tfconfig_resolver(t.runtime, TfConfigOptions());
  CHECK(t.run(resolver->num_accelerators()).counts() == std::map<std::string, int, std::less<>>{{"GPU", 1}});
  CHECK(t.run(resolver->num_accelerators("worker", 0)).at("GPU") == 2);
  CHECK(t.run(resolver->list_devices()).size() == 5);
}

TEST_CASE("without a master the own task is asked for the devices") {
  Cluster t(
      R"({"workers": [{"address": "a:1", "cores": 0, "devices": ["GPU:0"]}, {"address": "b:1", "cores": 0, "devices": ["GPU:0", "GPU:1"]}]})");
  const auto devices = t.run(make_resolver(t.runtime, "simple:job.worker=a:1+b:1,type=worker,task=1").value()->try_list_devices());
  REQUIRE(devices.has_value());
  CHECK(devices->size() == 5);
  CHECK(t.rpc->calls() == 1);
}

TEST_CASE("devices that cannot be counted are reported with the reason") {
  Cluster t("{}");
  const auto local = t.run(make_tpu_resolver(t.runtime, TpuOptions("local"))->try_num_accelerators());
  CHECK(local.error().code() == Errc::unimplemented);
  const auto listed =
      t.run(make_tpu_resolver(t.runtime, pair())
                ->try_num_accelerators({}, {}, CallOptions().with(TpuCallOptions().count_from(CountFrom::accelerator_type))));
  CHECK(listed.error().code() == Errc::invalid_argument);
  const auto nobody = t.run(make_resolver(t.runtime, "simple:job.worker=a:1").value()->try_list_devices());
  REQUIRE(nobody.has_error());
  CHECK(nobody.error().code() == Errc::failed_precondition);
}
