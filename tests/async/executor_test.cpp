// Calls from other executors: any completion token, resuming on the caller's executor.
#include <asio/co_spawn.hpp>
#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/strand.hpp>
#include <asio/thread_pool.hpp>
#include <asio/use_future.hpp>
#include <catch2/catch.hpp>
#include <thread>

#include "rollcall/simple_resolver.hpp"
#include "rollcall/tpu_resolver.hpp"

using namespace rollcall;
using namespace std::chrono_literals;

namespace {

// Answers from its own turn of the loop, on the Runtime's thread.
class LoopTransport final : public HttpTransport {
 public:
  std::thread::id used_on;
  asio::awaitable<Result<HttpResponse>> send(const HttpRequest&, const ExchangeOptions&) override {
    used_on = std::this_thread::get_id();
    HttpResponse response;
    response.status = 200;
    response.body = R"({"state":"READY","networkEndpoints":[{"ipAddress":"10.0.0.1","port":8470}]})";
    co_return response;
  }
  asio::awaitable<Result<std::unique_ptr<HttpStream>>> open(const HttpRequest&, const ExchangeOptions&) override {
    co_return Failure(Errc::unimplemented, "no streams here");
  }
  void close() override {}
};

// A loop of one thread with a Runtime on it.
class LoopThread {
 public:
  asio::io_context io{1};
  std::shared_ptr<LoopTransport> transport = std::make_shared<LoopTransport>();
  std::shared_ptr<TpuResolver> tpu = make_tpu_resolver(Runtime(io.get_executor(), options()), TpuOptions("t").project("p").zone("z"));

  ~LoopThread() {
    work_.reset();
    thread_.join();
  }
  std::thread::id id() const { return thread_.get_id(); }

 private:
  RuntimeOptions options() const {
    RuntimeOptions result;
    result.http = transport;
    result.environment = fixed_environment({});
    result.credentials = static_token(Secret<std::string>("t"));
    return result;
  }
  asio::executor_work_guard<asio::io_context::executor_type> work_ = asio::make_work_guard(io);
  std::thread thread_{[this] { io.run(); }};
};

asio::awaitable<std::pair<std::thread::id, std::thread::id>> threads_around_a_call(std::shared_ptr<TpuResolver> tpu) {
  const std::thread::id before = std::this_thread::get_id();
  const ClusterSpec spec = co_await tpu->cluster_spec();
  if (spec.empty()) throw std::runtime_error("no spec");
  co_return std::pair(before, std::this_thread::get_id());
}

}  // namespace

TEST_CASE("a call from another thread runs on the Runtime's executor and resumes on the caller's") {
  // Destroyed last: the Runtime's thread may still be inside the post() of the answer.
  asio::io_context callers;
  LoopThread loop;
  auto answer = asio::co_spawn(callers, threads_around_a_call(loop.tpu), asio::use_future);
  const auto guard = asio::make_work_guard(callers);
  std::thread caller([&] { callers.run(); });
  const auto [before, after] = answer.get();
  CHECK(before == caller.get_id());
  CHECK(after == caller.get_id());
  CHECK(loop.transport->used_on == loop.id());
  callers.stop();
  caller.join();
}

TEST_CASE("many calls from a pool of threads at once") {
  asio::thread_pool pool(4);  // destroyed last, too
  LoopThread loop;
  std::vector<std::future<ClusterSpec>> answers;
  for (int i = 0; i < 200; ++i) answers.push_back(asio::co_spawn(asio::make_strand(pool), loop.tpu->cluster_spec(), asio::use_future));
  for (auto& answer : answers) CHECK(answer.get().num_tasks("worker").value() == 1);
  pool.join();
}

TEST_CASE("future, callback and tuple tokens") {
  LoopThread loop;
  CHECK(asio::co_spawn(loop.io, loop.tpu->cluster_spec(), asio::use_future).get().num_tasks("worker").value() == 1);
  std::promise<int> called;
  asio::co_spawn(loop.io, loop.tpu->try_master(),
                 [&](std::exception_ptr error, Result<std::string> master) { called.set_value(!error && master.has_value() ? 1 : 0); });
  CHECK(called.get_future().get() == 1);
}

TEST_CASE("a resolver whose last pointer is gone lives until its call ends") {
  asio::io_context io;
  ClusterSpec spec;
  spec.set_job("worker", {"a:1"});
  std::future<ClusterSpec> answer;
  {
    const auto simple = make_simple_resolver(Runtime(io.get_executor()), SimpleOptions(spec));
    answer = asio::co_spawn(io, simple->cluster_spec(), asio::use_future);
  }
  io.run();
  CHECK(answer.get() == spec);
}
