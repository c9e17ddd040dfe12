// Waits for 262,144 pods, 65,536 endpoints that are tested directly, and 100,000 targets, in virtual time: CPU of the first poll and of a
// later one at which one member has changed, the longest turn of the loop, and memory, for a quarter of that, a half and all. Linear growth
// has the same cost for each.
#include <fmt/format.h>

#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <asio/use_awaitable.hpp>
#include <utility>

#include "async/async_event.hpp"
#include "async/timer_queue.hpp"
#include "measure.hpp"
#include "rollcall/kubernetes_resolver.hpp"
#include "rollcall/simple_resolver.hpp"
#include "rollcall/testing/fake_time.hpp"
#include "rollcall/union_resolver.hpp"
#include "rollcall/wait.hpp"

using namespace rollcall;

namespace {

constexpr int later_polls = 4;  // ten seconds apart
constexpr std::chrono::seconds between{10};

std::string pod(int index, int version) {
  return fmt::format(
      R"({{"metadata":{{"name":"trainer-{0}","namespace":"train","uid":"5f6e7d8c-0000-4000-8000-{0:012}","resourceVersion":"{1}",)"
      R"("labels":{{"batch.kubernetes.io/job-name":"trainer","batch.kubernetes.io/job-completion-index":"{0}"}}}},)"
      R"("status":{{"phase":"Pending"}}}})",
      index, version);
}

// A list of pods in pieces, then an event now and then.
class PodTransport final : public HttpTransport {
 public:
  PodTransport(int pods, std::shared_ptr<TimerQueue> timers) : timers_(std::move(timers)) {
    list_ = R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[)";
    for (int i = 0; i < pods; ++i) list_ += (i > 0 ? "," : "") + pod(i, 100 + i);
    list_ += "]}";
  }
  asio::awaitable<Result<HttpResponse>> send(const HttpRequest&, const ExchangeOptions&) override {
    co_return Failure(Errc::unimplemented, "streams only");
  }
  asio::awaitable<Result<std::unique_ptr<HttpStream>>> open(const HttpRequest& request, const ExchangeOptions&) override {
    const bool is_watch = request.url.target.find("watch=1") != std::string::npos;
    std::unique_ptr<HttpStream> stream = std::make_unique<Stream>(*this, is_watch);
    co_return std::move(stream);
  }
  void close() override {}

 private:
  class Stream final : public HttpStream {
   public:
    Stream(PodTransport& owner, bool is_watch) : owner_(owner), is_watch_(is_watch) { head_.status = 200; }
    const HttpResponse& head() const override { return head_; }
    asio::awaitable<Result<std::string_view>> read() override {
      constexpr std::size_t piece_size = 64 * 1024;
      if (is_watch_) {
        const bool is_awake = co_await sleep_until(*owner_.timers_, owner_.timers_->now() + between);
        if (!is_awake) co_return Failure(Errc::cancelled, "cancelled");
        event_ = R"({"type":"MODIFIED","object":)" + pod(events_, 1'000'000 + events_) + "}\n";
        event_.replace(event_.find("Pending"), 7, events_ % 2 ? "Unknown" : "Working");
        ++events_;
        co_return std::string_view(event_);
      }
      co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);  // as a socket that is ready
      const std::string_view piece = std::string_view(owner_.list_).substr(at_, piece_size);
      at_ += piece.size();
      co_return piece;
    }

   private:
    PodTransport& owner_;
    bool is_watch_;
    HttpResponse head_;
    std::size_t at_ = 0;
    int events_ = 0;
    std::string event_;
  };

  std::shared_ptr<TimerQueue> timers_;
  std::string list_;
};

// Accepts connections, except for one endpoint.
class OpenPorts final : public TcpProbe {
 public:
  asio::awaitable<Result<void>> connect(const Endpoint& address, SteadyTime) override {
    co_await next_turn();
    if (address.host == "10.0.0.0") co_return Failure(Errc::unreachable, "10.0.0.0: Connection refused");
    co_return Result<void>();
  }
};

class Measured {
 public:
  double first = 0;  // poll, in seconds of CPU
  double later = 0;  // poll
  double max = 0;  // turn
  long heap_kb = 0;
};

using Make = std::function<std::shared_ptr<ClusterResolver>(const Runtime& runtime, int size)>;

Measured measure(int size, Readiness until, const Make& make) {
  asio::io_context io{1};
  const auto time = std::make_shared<testing::FakeTime>();
  RuntimeOptions options;
  options.http = std::make_shared<PodTransport>(make ? 0 : size, std::make_shared<TimerQueue>(time, io.get_executor()));
  options.tcp = std::make_shared<OpenPorts>();
  options.time = time;
  options.random_seed = 1;
  options.environment = fixed_environment({});
  options.files = fixed_files({});
  options.credentials = static_token(Secret<std::string>("test-token"));
  Measured found;
  const long before = bench::heap_kb();
  {
    const Runtime runtime(io.get_executor(), std::move(options));
    std::shared_ptr<ClusterResolver> resolver;
    if (make) {
      resolver = make(runtime, size);
    } else {
      KubernetesOptions pods;
      pods.api_server("https://k8s.test").namespace_name("train");
      resolver = make_kubernetes_resolver(runtime, std::move(pods));
    }
    double sent_at = 0;
    WaitOptions wait;
    wait.timeout(between * later_polls + std::chrono::seconds(5)).on_progress([&](const WaitProgress&) {
      if (sent_at == 0) found.first = bench::cpu_seconds();
      sent_at = bench::cpu_seconds();
      found.heap_kb = std::max(found.heap_kb, bench::heap_kb() - before);
    });
    const double start = bench::cpu_seconds();
    bool is_over = false;
    asio::co_spawn(io, try_wait_until_ready(resolver, until, std::move(wait)),
                   [&is_over](std::exception_ptr, Result<ClusterStatus>) { is_over = true; });
    const auto run_turns = [&] {
      double now = bench::cpu_seconds();
      io.restart();
      while (io.poll_one() > 0) {
        const double before_turn = std::exchange(now, bench::cpu_seconds());
        found.max = std::max(found.max, now - before_turn);
      }
    };
    run_turns();
    while (sent_at == 0 && time->next_alarm()) {
      time->advance_to(*time->next_alarm());
      run_turns();
    }
    found.first -= start;
    const double waited = bench::cpu_seconds();
    while (!is_over && time->next_alarm()) {
      time->advance_to(*time->next_alarm());
      run_turns();
    }
    found.later = (bench::cpu_seconds() - waited) / later_polls;
  }
  return found;
}

std::shared_ptr<ClusterResolver> endpoints(const Runtime& runtime, int size) {
  std::vector<std::string> addresses;
  for (int i = 0; i < size; ++i) addresses.push_back(fmt::format("10.{}.{}.{}:8470", i >> 16, i >> 8 & 255, i & 255));
  ClusterSpec spec;
  spec.set_job("worker", std::move(addresses));
  return make_simple_resolver(runtime, SimpleOptions(std::move(spec)));
}

std::shared_ptr<ClusterResolver> targets(const Runtime& runtime, int size) {
  std::vector<std::shared_ptr<ClusterResolver>> children;
  for (int i = 0; i < size; ++i)
    children.push_back(make_resolver(runtime, fmt::format("simple:job.worker=10.{}.{}.{}:8470", i >> 16, i >> 8 & 255, i & 255)).value());
  return make_union_resolver(runtime, std::move(children));
}

// False: not linear.
bool show(const char* what, int size, Readiness until, const Make& make) {
  double smallest = 0;
  bool is_straight = true;
  for (const int count : {size / 4, size / 2, size}) {
    const Measured found = measure(count, until, make);
    const double each = found.first / count;
    if (smallest == 0) smallest = each;
    bench::record(fmt::format("{}_{}_us", what, count).c_str(), each * 1e6);
    is_straight = is_straight && each <= 1.5 * smallest;
    fmt::print(
        "{:>7} {:<10} first look {:8.1f} ms of CPU ({:5.2f}x a member)   a later one {:8.1f} ms   longest turn {:6.2f} ms   {:7.1f} MB\n",
        count, what, found.first * 1e3, each / smallest, found.later * 1e3, found.max * 1e3, static_cast<double>(found.heap_kb) / 1024);
  }
  return is_straight;
}

}  // namespace

int main() {
  bool is_straight = show("pods", 262'144, usually_ready, {});
  is_straight = show("endpoints", 65'536, usually_ready | Readiness::reachable, endpoints) && is_straight;
  is_straight = show("targets", 100'000, usually_ready | Readiness::reachable, targets) && is_straight;
  if (!is_straight) fmt::print("FAILED: a member of many costs over 1.5 times as much as one of a quarter of them\n");
  return is_straight ? 0 : 1;
}
