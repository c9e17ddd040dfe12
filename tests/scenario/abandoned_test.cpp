// Destroys event loops with open calls that only the loop owns. Then frames of children may be destroyed after those of their parents,
// and after the Runtime. Sanitizers find errors in this.
#include <asio/co_spawn.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>
#include <catch2/catch.hpp>
#include <functional>

#include "net/server/http_server.hpp"
#include "rollcall/discover.hpp"
#include "rollcall/resolver.hpp"
#include "rollcall/sim.hpp"
#include "rollcall/testing/virtual_loop.hpp"
#include "rollcall/union_resolver.hpp"
#include "rollcall/wait.hpp"
#include "rollcall/watch.hpp"
#include "support/result.hpp"

using namespace rollcall;
using rollcall::testing::VirtualLoop;

namespace {

// Waits like a socket: with an operation of Asio itself, which io_context's destructor destroys after operations that wait for an
// AsyncEvent, as parents do.
asio::awaitable<void> silence() {
  asio::steady_timer never(co_await asio::this_coro::executor, asio::steady_timer::time_point::max());
  co_await never.async_wait(asio::use_awaitable);
}

// Answers the first `answered` calls.
class AnswerCount {
 public:
  explicit AnswerCount(int answered) : left_(answered) {}
  bool is_over() noexcept { return is_over_ = left_-- <= 0; }
  bool was_over() const noexcept { return is_over_; }

 private:
  int left_;
  bool is_over_ = false;
};

class SilentHttp final : public HttpTransport {
 public:
  SilentHttp(std::shared_ptr<HttpTransport> other, AnswerCount& count) : other_(std::move(other)), count_(count) {}
  asio::awaitable<Result<HttpResponse>> send(const HttpRequest& request, const ExchangeOptions& options) override {
    if (count_.is_over()) co_await silence();
    co_return co_await other_->send(request, options);
  }
  asio::awaitable<Result<std::unique_ptr<HttpStream>>> open(const HttpRequest& request, const ExchangeOptions& options) override {
    if (count_.is_over()) co_await silence();
    co_return co_await other_->open(request, options);
  }
  void close() override { other_->close(); }

 private:
  std::shared_ptr<HttpTransport> other_;
  AnswerCount& count_;
};

class SilentRpc final : public RpcTransport {
 public:
  SilentRpc(std::shared_ptr<RpcTransport> other, AnswerCount& count) : other_(std::move(other)), count_(count) {}
  asio::awaitable<Result<RpcAnswer>> call(const RpcRequest& request, const RpcOptions& options) override {
    if (count_.is_over()) co_await silence();
    co_return co_await other_->call(request, options);
  }
  void close() override { other_->close(); }

 private:
  std::shared_ptr<RpcTransport> other_;
  AnswerCount& count_;
};

class SilentDns final : public DnsTransport {
 public:
  asio::awaitable<Result<std::vector<DnsEntry>>> query(std::string, DnsType, std::size_t) override {
    co_await silence();
    co_return Failure(Errc::unreachable, "never");
  }
};

constexpr const char* everything = R"({"project": "p", "zone": "us-central2-b",
  "nodes": [{"name": "a", "accelerator_type": "v4-16", "workers": {"runtime": "tensorflow"}}, {"name": "b", "accelerator_type": "v4-16"},
            {"name": "n-{i}", "count": 80, "accelerator_type": "v4-8"}],
  "queued_resources": [{"name": "ms", "slices": 5, "node": {"accelerator_type": "v4-16"}}],
  "compute": {"instances": [{"name": "i-{i}", "count": 20}], "groups": [{"name": "g", "instances": ["i-*"]}]},
  "kubernetes": {"namespace": "train", "pods": [{"kind": "indexed_job", "name": "trainer", "count": 3}]},
  "metadata": {"tpu_worker": {"node": "a", "worker": 0}}})";

using Start = std::function<void(VirtualLoop&, const Runtime&)>;

template <class T>
void begin(VirtualLoop& loop, asio::awaitable<Result<T>> call) {
  asio::co_spawn(loop.io, std::move(call), [](const std::exception_ptr&, const Result<T>&) {});
}

std::shared_ptr<ClusterResolver> resolver(const Runtime& runtime, const std::string& targets) {
  std::vector<std::shared_ptr<ClusterResolver>> parts;
  for (std::size_t at = 0; at < targets.size();) {
    const std::size_t end = std::min(targets.find(' ', at), targets.size());
    parts.push_back(make_resolver(runtime, targets.substr(at, end - at)).value());
    at = end + 1;
  }
  return parts.size() == 1 ? parts.front() : make_union_resolver(runtime, std::move(parts));
}

// True if at least one call was not answered.
bool abandon(const Start& start, int answered) {
  AnswerCount count(answered);
  VirtualLoop loop;
  {
    const auto cloud = sim::Cloud::parse(everything, "the test").value();
    RuntimeOptions options;
    options.http = std::make_shared<SilentHttp>(sim::make_memory_transport(cloud, loop.time, loop.io.get_executor()), count);
    options.rpc = std::make_shared<SilentRpc>(sim::make_memory_rpc_transport(cloud, loop.time, loop.io.get_executor()), count);
    options.dns = std::make_shared<SilentDns>();
    options.tcp = sim::make_memory_tcp_probe(cloud, loop.time);
    options.time = loop.time;
    options.random_seed = 7;
    options.environment = fixed_environment({{"GCE_METADATA_HOST", "metadata.google.internal"}});
    options.files = fixed_files({});
    options.credentials = static_token(Secret<std::string>("test-token"));
    start(loop, Runtime(loop.io.get_executor(), std::move(options)));
  }
  for (int i = 0; i < 3; ++i) {  // also calls that are repeated after a pause
    loop.poll();
    const std::optional<SteadyTime> next = loop.time->next_alarm();
    if (next) loop.time->advance_to(*next);
  }
  return count.was_over();
}

}  // namespace

TEST_CASE("a loop may be destroyed with open calls that only it owns") {
  std::string crowd;
  for (int i = 0; i < 80; ++i) crowd += (i > 0 ? " tpu:n-" : "tpu:n-") + std::to_string(i) + ",project=p,zone=us-central2-b";
  const std::string queued = "tpu:qr/ms,project=p,zone=us-central2-b";
  const std::string pods = "kubernetes:train,job.worker=job-name=trainer,job.ps=app=ps,address=pod,api_server=https://127.0.0.1:6443";
  for (const std::string& targets :
       {std::string("tpu:a"), std::string("tpu:a tpu:b"), std::string("auto:"), crowd, queued, std::string("tpu:qr/ms,slices=jobs"),
        std::string("gce:g,zone=us-central2-b,project=p,port=1"), pods, std::string("tpu:a dns:x.example:1 dns:y.example:1")}) {
    INFO(targets.substr(0, 200));
    const std::vector<Start> calls = {
        [&targets](VirtualLoop& loop, const Runtime& runtime) { begin(loop, resolver(runtime, targets)->try_cluster_spec()); },
        [&targets](VirtualLoop& loop, const Runtime& runtime) { begin(loop, resolver(runtime, targets)->try_num_accelerators()); },
        [&targets](VirtualLoop& loop, const Runtime& runtime) {
          begin(loop, try_wait_until_ready(resolver(runtime, targets), usually_ready | Readiness::devices, WaitOptions()));
        },
    };
    bool has_asked = false;
    for (const Start& call : calls) {
      int answered = 0;
      while (answered < 12 && abandon(call, answered)) ++answered;
      has_asked = has_asked || answered > 0;
    }
    CHECK(has_asked);
  }
}

TEST_CASE("a loop may be destroyed with sockets in any state") {
  asio::io_context other;
  asio::ip::tcp::acceptor silent(other, {asio::ip::address_v4::loopback(), 0});  // the connections stay in its backlog
  const std::string server = "127.0.0.1:" + std::to_string(silent.local_endpoint().port());
  const std::string tpus = "tpu:a,endpoint=http://" + server + " tpu:b,project=p,zone=z,endpoint=http://" + server;
  for (const std::string& targets : {std::string("auto:"), tpus, std::string("tpu:a tpu:b")}) {
    for (int handlers = 0; handlers < 60; ++handlers) {
      for (const bool is_watched : {false, true}) {
        INFO(targets << ", " << handlers << " handlers");
        asio::io_context io;
        std::shared_ptr<ClusterWatch> watching;
        {
          RuntimeOptions options;
          options.environment = fixed_environment({{"GCE_METADATA_HOST", server}});
          options.files = fixed_files({});
          options.credentials = static_token(Secret<std::string>("test-token"));
          const Runtime runtime(io.get_executor(), std::move(options));
          if (is_watched) {
            watching = watch(resolver(runtime, targets), WatchOptions());
          } else {
            asio::co_spawn(io, resolver(runtime, targets)->try_cluster_spec(),
                           [](const std::exception_ptr&, const Result<ClusterSpec>&) {});
          }
        }
        for (int i = 0; i < handlers && io.poll_one() > 0; ++i) {
        }
        watching.reset();
      }
    }
  }
}

TEST_CASE("handles may be dropped after the end of a loop, with connections idle") {
  asio::io_context serving;
  HttpServer server(serving.get_executor(), [](ServerExchange& exchange) -> asio::awaitable<void> {
    HttpResponse nothing;
    nothing.status = 404;
    co_await exchange.reply(nothing);
  });
  const std::string url = "http://127.0.0.1:" + std::to_string(server.listen("127.0.0.1", 0).value());
  auto io = std::make_unique<asio::io_context>();
  RuntimeOptions options;
  options.environment = fixed_environment({});
  options.files = fixed_files({});
  options.credentials = static_token(Secret<std::string>("test-token"));
  std::optional<Runtime> runtime(std::in_place, io->get_executor(), std::move(options));
  const std::shared_ptr<ClusterResolver> asked = resolver(*runtime, "tpu:a,project=p,zone=z,endpoint=" + url);
  bool is_answered = false;
  asio::co_spawn(*io, asked->try_cluster_spec(), [&](const std::exception_ptr&, const Result<ClusterSpec>& answer) {
    is_answered = answer.has_error() && answer.error().last_status() == 404;
  });
  while (io->poll() > 0 || !io->stopped()) serving.poll();
  REQUIRE(is_answered);
  io.reset();
  runtime.reset();
}

TEST_CASE("a loop may be destroyed with an open search or watch") {
  for (int answered = 0; answered < 12; ++answered) {
    std::shared_ptr<FoundStream> stream;
    abandon([&stream](VirtualLoop&, const Runtime& runtime) { stream = discover(runtime, DiscoverOptions().projects({"p"})); }, answered);
    std::shared_ptr<ClusterWatch> watching;
    abandon([&watching](VirtualLoop&, const Runtime& runtime) { watching = watch(resolver(runtime, "tpu:a tpu:b"), WatchOptions()); },
            answered);
  }
}
