// A thousand workers asked for their devices: Rollcall against bare gRPC that makes the same calls in the same run.
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>
#include <malloc.h>
#include <sys/resource.h>

#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>

#include "count_allocations.hpp"
#include "measure.hpp"
#include "rollcall/tpu_resolver.hpp"
#include "worker_server.hpp"

namespace {

using namespace bench;

constexpr int workers = 1000;

// The number of channels at a time, as in the library.
constexpr int at_once = 256;

// Asks every worker once, each over a channel that is closed after its answer.
int ask_bare(const WorkerServer& server) {
  struct Call {
    std::shared_ptr<grpc::Channel> channel;
    grpc::ClientContext context;
    grpc::ByteBuffer request;
    grpc::ByteBuffer answer;
  };
  std::mutex mutex;
  std::condition_variable changed;
  int running = 0, good = 0;
  std::deque<std::unique_ptr<Call>> calls;
  const grpc::Slice empty;
  for (int i = 0; i < workers; ++i) {
    {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return running < at_once; });
      ++running;
    }
    grpc::ChannelArguments arguments;
    arguments.SetInt("grpc.enable_http_proxy", 0);
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    auto call = std::make_unique<Call>();
    call->channel = grpc::CreateCustomChannel("ipv4:" + server.address(i), grpc::InsecureChannelCredentials(), arguments);
    call->request = grpc::ByteBuffer(&empty, 1);
    call->context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(30));
    grpc::GenericStub stub(call->channel);
    Call* const at = call.get();
    calls.push_back(std::move(call));
    stub.UnaryCall(&at->context, "/tensorflow.WorkerService/GetStatus", grpc::StubOptions(), &at->request, &at->answer,
                   [&](const grpc::Status& status) {
                     const std::lock_guard lock(mutex);
                     good += status.ok() ? 1 : 0;
                     --running;
                     changed.notify_all();
                   });
  }
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return running == 0; });
  return good;
}

std::string target(const WorkerServer& server) {
  std::string name;
  for (int i = 0; i < workers; ++i) name += (i ? ",grpc://" : "grpc://") + server.address(i);
  return name;
}

rollcall::RuntimeOptions quiet() {
  rollcall::RuntimeOptions options;
  options.environment = rollcall::fixed_environment({});
  return options;
}

int ask_rollcall(asio::io_context& io, const rollcall::Runtime& runtime, const std::string& name) {
  const auto tpu = rollcall::make_tpu_resolver(runtime, rollcall::TpuOptions(name));
  int devices = 0;
  auto on_done = [&devices](std::exception_ptr, rollcall::Result<std::vector<rollcall::DeviceAttributes>> found) {
    if (found) devices = static_cast<int>(found->size());
    if (!found) std::printf("%s\n", found.error().message().c_str());
  };
  asio::co_spawn(
      io, tpu->try_list_devices(rollcall::CallOptions().with(rollcall::TpuCallOptions().device_query(rollcall::DeviceQuery::workers))),
      on_done);
  io.restart();
  io.run();
  return devices;
}

void cancel_midway(const std::string& name) {
  asio::io_context io(1);
  const rollcall::Runtime runtime(io.get_executor(), quiet());
  const auto tpu = rollcall::make_tpu_resolver(runtime, rollcall::TpuOptions(name));
  asio::cancellation_signal signal;
  auto on_done = [](std::exception_ptr, rollcall::Result<std::vector<rollcall::DeviceAttributes>>) {};
  asio::co_spawn(
      io, tpu->try_list_devices(rollcall::CallOptions().with(rollcall::TpuCallOptions().device_query(rollcall::DeviceQuery::workers))),
      asio::bind_cancellation_slot(signal.slot(), on_done));
  for (int i = 0; i < 300; ++i) io.run_one();
  signal.emit(asio::cancellation_type::terminal);
  io.run();
}

}  // namespace

int main() {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  ::setenv("GRPC_VERBOSITY", "NONE", 0);
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  WorkerServer server;
  const std::string name = target(server);
  const int rounds = rounds_of(7);
  constexpr int expected = workers * 9;
  std::vector<double> bare_ms, our_ms, ratios, bare_cpu, our_cpu;
  for (int round = 0; round <= rounds; ++round) {
    asio::io_context io(1);
    const rollcall::Runtime runtime(io.get_executor(), quiet());
    double start = wall_seconds(), cpu = cpu_seconds();
    const int good = ask_bare(server);
    const double bare = wall_seconds() - start, bare_used = cpu_seconds() - cpu;
    start = wall_seconds();
    cpu = cpu_seconds();
    const int devices = ask_rollcall(io, runtime, name);
    const double ours = wall_seconds() - start, our_used = cpu_seconds() - cpu;
    if (good != workers || devices != expected) {
      std::printf("FAILED: %d of %d calls, %d of %d devices\n", good, workers, devices, expected);
      return 1;
    }
    if (round == 0) continue;  // gRPC starts
    bare_ms.push_back(bare * 1e3);
    our_ms.push_back(ours * 1e3);
    bare_cpu.push_back(bare_used * 1e3);
    our_cpu.push_back(our_used * 1e3);
    ratios.push_back(ours / bare);
    record("workers_bare_ms", bare_ms.back());
    record("workers_ms", our_ms.back());
  }
  std::printf(
      "%d workers, %d at once        bare gRPC %6.1f ms (cpu %6.1f)   rollcall %6.1f ms (cpu %6.1f)   ratio %.2f (median of %d pairs)\n",
      workers, at_once, median(bare_ms), median(bare_cpu), median(our_ms), median(our_cpu), median(ratios), rounds);
  const std::uint64_t asked = server.take_count();
  std::printf("the server counted %llu calls for %d questions\n", static_cast<unsigned long long>(asked), 2 * (rounds + 1) * workers);

  {
    asio::io_context io(1);
    const rollcall::Runtime runtime(io.get_executor(), quiet());
    const std::size_t memory = mallinfo2().uordblks;
    const int open = descriptors();
    if (ask_rollcall(io, runtime, name) != expected) return 1;
    const int kept = descriptors() - open;
    std::printf("%d channels are kept, %.0f kB of heap each\n", kept,
                static_cast<double>(mallinfo2().uordblks - memory) / 1024 / (kept > 0 ? kept : 1));
  }
  const int open = descriptors(), running = threads();
  for (int i = 0; i < 5; ++i) cancel_midway(name);
  // gRPC closes connections on its own threads.
  for (int i = 0; i < 100 && descriptors() > open; ++i) usleep(10'000);
  std::printf("cancelled five times under way: %+d descriptors, %+d threads\n", descriptors() - open, threads() - running);
  return asked == 2ULL * static_cast<unsigned>((rounds + 1) * workers) ? 0 : 1;
}
