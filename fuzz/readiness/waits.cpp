// Waits and watches of pods and of this machine's notices, in virtual time. The input is the script of an API server and a metadata
// server. For every script both must end when their time is up, and the requests, reports and work must be in proportion to the time and
// to the bytes that the servers sent.
#include <fmt/format.h>

#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <map>

#include "async/async_event.hpp"
#include "async/timer_queue.hpp"
#include "check.hpp"
#include "rollcall/kubernetes_resolver.hpp"
#include "rollcall/simple_resolver.hpp"
#include "rollcall/testing/fake_time.hpp"
#include "rollcall/union_resolver.hpp"
#include "rollcall/wait.hpp"
#include "rollcall/watch.hpp"

namespace {

using namespace rollcall;

constexpr std::chrono::seconds wait_time{60};

// Consumes the input.
class WaitScript {
 public:
  explicit WaitScript(std::string_view input) : rest_(input) {}
  unsigned char byte() {
    if (rest_.empty()) return 0;
    const char first = rest_.front();
    rest_.remove_prefix(1);
    return static_cast<unsigned char>(first);
  }
  bool is_over() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

// Values of a pod's index label, including very high ones.
constexpr const char* far_indices[] = {"2147483646", "2147483647", "65535", "999999", "1000001", "4294967296", "-1", "x"};

// The servers. Each request runs a few steps of the script. After its end no answer arrives.
class ScriptedServers final : public HttpTransport {
 public:
  ScriptedServers(WaitScript& script, std::shared_ptr<TimerQueue> timers) : script_(script), timers_(std::move(timers)) {}

  std::size_t requests = 0;
  std::size_t steps = 0;

  asio::awaitable<Result<HttpResponse>> send(const HttpRequest& request, const ExchangeOptions& options) override {
    ++requests;
    const bool is_metadata = request.url.host.find("metadata") != std::string::npos;
    HttpResponse response = is_metadata ? notice(request) : pods(request);
    const Duration delay = script_.is_over() && is_long_poll(request) ? Duration(std::chrono::hours(1)) : delay_;
    const SteadyTime when = std::min({timers_->now() + delay, options.deadline, timers_->now() + options.response_timeout});
    const bool is_awake = co_await sleep_until(*timers_, when);
    if (!is_awake) co_return Failure(Errc::cancelled, "cancelled").with_phase(Phase::response);
    if (when < timers_->now() + Duration(1) && delay > options.response_timeout)
      co_return Failure(Errc::response_timeout, "silent").with_phase(Phase::response);
    co_return response;
  }
  asio::awaitable<Result<std::unique_ptr<HttpStream>>> open(const HttpRequest& request, const ExchangeOptions& options) override {
    Result<HttpResponse> response = co_await send(request, options);
    if (!response) co_return response.error();
    std::unique_ptr<HttpStream> stream = std::make_unique<Whole>(std::move(*response));
    co_return std::move(stream);
  }
  void close() override {}

 private:
  class Whole final : public HttpStream {
   public:
    explicit Whole(HttpResponse response) : head_(std::move(response)), body_(std::exchange(head_.body, {})) {}
    const HttpResponse& head() const override { return head_; }
    asio::awaitable<Result<std::string_view>> read() override {
      const std::string_view piece = is_read_ ? std::string_view() : std::string_view(body_);
      is_read_ = true;
      co_return piece;
    }

   private:
    HttpResponse head_;
    std::string body_;
    bool is_read_ = false;
  };

  static bool is_long_poll(const HttpRequest& request) {
    return request.url.target.find("watch=1") != std::string::npos || request.url.target.find("wait_for_change") != std::string::npos;
  }

  static HttpResponse reply(int status, std::string body) {
    HttpResponse response;
    response.status = status;
    response.body = std::move(body);
    return response;
  }

  HttpResponse notice(const HttpRequest& request) {
    HttpResponse response = reply(200, "FALSE");
    response.headers.add("Metadata-Flavor", "Google");
    delay_ = Duration(0);
    if (!is_long_poll(request)) return response;
    const unsigned char step = next_step();
    delay_ = std::chrono::milliseconds(1 << (step & 15));
    response.status = (step & 192) == 192 ? 503 : 200;
    response.body = (step & 32) != 0 ? "TRUE" : "NONE";
    if ((step & 16) != 0) response.headers.add("ETag", std::to_string(++version_));
    return response;
  }

  HttpResponse pods(const HttpRequest& request) {
    const bool is_watch = is_long_poll(request);
    const unsigned char kind = next_step();
    delay_ = std::chrono::milliseconds((kind & 7) == 7 ? 1 << (kind >> 3) % 16 : kind & 7);
    switch (kind) {
      case 250: return reply(403, status(403));
      case 251: return reply(503, status(503));
      case 252: return reply(410, status(410));
      case 253: return reply(200, "nonsense\n");
      case 254: return reply(429, status(429));
      case 255: return reply(401, status(401));
      default: break;
    }
    std::string events;
    for (int count = script_.byte() % 16; count > 0; --count) events += change();
    if (!is_watch) return reply(200, list());
    if ((kind & 0x60) == 0x60) events += fmt::format("{{\"type\":\"ERROR\",\"object\":{}}}\n", status((kind & 8) != 0 ? 410 : 500));
    return reply(200, std::move(events));
  }

  static std::string status(int code) {
    return fmt::format(R"({{"kind":"Status","apiVersion":"v1","status":"Failure","message":"planted","reason":"x","code":{}}})", code);
  }

  // Changes one pod and returns the event for it.
  std::string change() {
    const unsigned char step = next_step();
    const int name = step % 16;
    if (step >= 240) {
      const auto pod = pods_.find(name);
      if (pod == pods_.end())
        return fmt::format(R"({{"type":"BOOKMARK","object":{{"metadata":{{"resourceVersion":"{}"}}}}}})", ++version_) + "\n";
      const std::string text = pod->second;
      pods_.erase(pod);
      return R"({"type":"DELETED","object":)" + text + "}\n";
    }
    const unsigned char more = script_.byte();
    const std::string index = (more & 7) == 7 ? far_indices[(more >> 3) % 8] : std::to_string(more & 7);
    const char* const phases[] = {"Pending", "Running", "Running", "Failed"};
    const char* const label = (step & 128) != 0 ? "apps.kubernetes.io/pod-index" : "batch.kubernetes.io/job-completion-index";
    pods_[name] =
        fmt::format(R"({{"metadata":{{"name":"w-{}","namespace":"n","uid":"u{}","resourceVersion":"{}","labels":{{"{}":"{}"}}}},)"
                    R"("status":{{"phase":"{}","hostIP":"10.0.0.{}","conditions":[{{"type":"Ready","status":"{}"}}]}}}})",
                    name, step & 3, ++version_, label, index, phases[(step >> 4) % 4], more & 3, (step & 64) != 0 ? "True" : "False");
    return R"({"type":"MODIFIED","object":)" + pods_[name] + "}\n";
  }

  std::string list() const {
    std::string items;
    for (const auto& [name, pod] : pods_) items += (items.empty() ? "" : ",") + pod;
    return fmt::format(R"({{"kind":"PodList","apiVersion":"v1","metadata":{{"resourceVersion":"{}"}},"items":[{}]}})", version_, items);
  }

  unsigned char next_step() {
    if (!script_.is_over()) ++steps;
    return script_.byte();
  }

  WaitScript& script_;
  std::shared_ptr<TimerQueue> timers_;
  std::map<int, std::string> pods_;
  std::uint64_t version_ = 1;
  Duration delay_{0};
};

class EventCount final : public LogSink {
 public:
  std::size_t events = 0;
  void on_event(const Event& event) noexcept override {
    ++events;
    require(event.subject.size() < 4096);
  }
};

std::shared_ptr<ClusterResolver> cluster(const Runtime& runtime, unsigned char what) {
  KubernetesOptions options;
  options.api_server("https://k8s.test").namespace_name("n").job("worker", {"a=b"});
  if ((what & 1) != 0) options.job("ps", {"c=d"});
  auto pods = make_kubernetes_resolver(runtime, std::move(options));
  if ((what & 2) == 0) return pods;
  ClusterSpec spec;
  spec.set_job("worker", {"10.1.1.1:1"});
  return make_union_resolver(runtime, {std::move(pods), make_simple_resolver(runtime, SimpleOptions(std::move(spec)))});
}

// Counts all reports until the watch ends.
asio::awaitable<void> read_all(std::shared_ptr<ClusterWatch> following, std::size_t& reported) {
  for (;;) {
    const Result<ClusterChange> change = co_await following->try_next();
    if (!change) co_return;
    ++reported;
    require(change->text.size() < 8192);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  WaitScript script(std::string_view(reinterpret_cast<const char*>(data), std::min<std::size_t>(size, 4096)));
  const unsigned char what = script.byte();
  asio::io_context io(1);
  const auto time = std::make_shared<testing::FakeTime>();
  const auto timers = std::make_shared<TimerQueue>(time, io.get_executor());
  const auto servers = std::make_shared<ScriptedServers>(script, timers);
  const auto log = std::make_shared<EventCount>();
  RuntimeOptions options;
  options.http = servers;
  options.time = time;
  options.random_seed = 1;
  options.environment = fixed_environment({{"GCE_METADATA_HOST", "metadata.google.internal"}});
  options.files = fixed_files({});
  options.credentials = static_token(Secret<std::string>("t"));
  options.log = log;
  std::optional<Result<ClusterStatus>> waited;
  std::size_t reported = 0;
  std::size_t progress = 0;
  std::size_t turns = 0;
  const SteadyTime end = time->now() + wait_time;
  {
    const Runtime runtime(io.get_executor(), std::move(options));
    WaitOptions wait;
    wait.timeout(wait_time).members((what & 4) != 0 ? 3 : 0).on_progress([&progress](const WaitProgress& one) {
      ++progress;
      require(one.line().size() < 8192);
      require(one.missing.size() < 100);
    });
    const auto resolver = cluster(runtime, what);
    asio::co_spawn(io, try_wait_until_ready(resolver, usually_ready, std::move(wait)),
                   [&waited](std::exception_ptr error, Result<ClusterStatus> result) {
                     require(!error);
                     waited.emplace(std::move(result));
                   });
    const auto following = watch(resolver);
    asio::co_spawn(io, read_all(following, reported), [](std::exception_ptr error) { require(!error); });
    for (;;) {
      io.restart();
      while (io.poll_one() > 0) require(++turns < 5'000'000);
      const auto next = time->next_alarm();
      if (!next || *next > end) break;
      time->advance_to(*next);
    }
    following->close();
    io.restart();
    io.poll();
  }
  require(waited.has_value());
  if (!*waited) require(!waited->error().what().empty() && waited->error().what().size() < 65536);
  // Two followers, with at most two selectors and two keys, each with a few requests a second in a row.
  constexpr std::size_t max_requests = 20 + 8 * static_cast<std::size_t>(wait_time.count());
  require(servers->requests <= max_requests);
  require(progress <= 100 + 30 * servers->requests);
  require(reported <= 200 + 60 * (servers->requests + servers->steps));
  require(log->events <= 500 + 200 * (servers->requests + servers->steps));
  require(turns <= 5000 + 400 * (servers->requests + servers->steps));
  return 0;
}
