// A service and the cloud behind it that answer as a test scripts them: bodies, streams whose pieces come in time, silence.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "async/async_event.hpp"
#include "fleet/wire/documents.hpp"
#include "fleet/wire/event_stream.hpp"
#include "rollcall/http.hpp"
#include "rollcall/resolver.hpp"
#include "rollcall/runtime.hpp"
#include "rollcall/testing/virtual_loop.hpp"
#include "support/test_runtime.hpp"

namespace rollcall::testing {

class ScriptedService final : public HttpTransport {
 public:
  class Piece {
   public:
    Piece(Duration pause, std::string text) : after(pause), bytes(std::move(text)) {}
    Duration after;
    std::string bytes;
  };
  enum class Then { ends, hangs, breaks };
  /// The answer to a request.
  class Reply {
   public:
    Reply(int status, std::string body = {}) { head.status = status, head.body = std::move(body); }
    Reply(Failure why) : failure(std::move(why)) {}
    Reply(std::vector<Piece> events, Then then) : pieces(std::move(events)), end(then) { head.status = 200; }
    Reply&& with(std::string_view name, std::string_view value) && {
      head.headers.add(name, value);
      return std::move(*this);
    }
    /// Without an age, which no service leaves out.
    Reply&& ageless() && {
      has_age = false;
      return std::move(*this);
    }
    HttpResponse head;
    bool has_age = true;
    std::optional<Failure> failure;
    std::vector<Piece> pieces;
    Then end = Then::ends;
  };

  explicit ScriptedService(std::shared_ptr<TimerQueue> timers) : timers_(std::move(timers)) {}

  std::function<Reply(const HttpRequest&)> respond;
  std::vector<HttpRequest> requests;
  std::vector<SteadyTime> times;
  int open_streams = 0;
  std::size_t max_body_bytes = 0;  ///< the limit of the last request whose body is taken as a whole

  /// The number of requests to that host.
  std::size_t count(std::string_view host) const {
    return static_cast<std::size_t>(
        std::count_if(requests.begin(), requests.end(), [host](const HttpRequest& request) { return request.url.host == host; }));
  }

  asio::awaitable<Result<HttpResponse>> send(const HttpRequest& request, const ExchangeOptions& options) override {
    max_body_bytes = options.max_body_bytes;
    Reply reply = take(request);
    if (reply.failure) co_return *reply.failure;
    if (reply.has_age && !reply.head.headers.get("rollcall-age-ms")) reply.head.headers.add("rollcall-age-ms", "0");
    co_return reply.head;
  }
  asio::awaitable<Result<std::unique_ptr<HttpStream>>> open(const HttpRequest& request, const ExchangeOptions& options) override {
    Reply reply = take(request);
    if (reply.failure) co_return *reply.failure;
    co_return std::unique_ptr<HttpStream>(std::make_unique<Stream>(*this, std::move(reply), options.response_timeout));
  }
  void close() override {}

 private:
  class Stream final : public HttpStream {
   public:
    Stream(ScriptedService& service, Reply reply, Duration patience) : service_(service), reply_(std::move(reply)), patience_(patience) {
      if (!reply_.head.body.empty()) reply_.pieces.emplace_back(Duration(0), std::exchange(reply_.head.body, {}));
      ++service_.open_streams;
    }
    ~Stream() override { --service_.open_streams; }
    const HttpResponse& head() const override { return reply_.head; }
    asio::awaitable<Result<std::string_view>> read() override {
      const bool is_last = next_ == reply_.pieces.size();
      const Duration after = is_last ? (reply_.end == Then::hangs ? Duration::max() : Duration(0)) : reply_.pieces[next_].after;
      const bool is_silent = after > patience_;
      const bool is_awake = co_await sleep_until(*service_.timers_, service_.timers_->now() + (is_silent ? patience_ : after));
      if (!is_awake) co_return Failure(Errc::cancelled, "cancelled").with_phase(Phase::response);
      if (is_silent) co_return Failure(Errc::response_timeout, "the server was silent").with_phase(Phase::response);
      if (is_last && reply_.end == Then::breaks) co_return Failure(Errc::unreachable, "reset").with_phase(Phase::response);
      if (is_last) co_return std::string_view();
      co_return std::string_view(reply_.pieces[next_++].bytes);
    }

   private:
    ScriptedService& service_;
    Reply reply_;
    Duration patience_;
    std::size_t next_ = 0;
  };

  Reply take(const HttpRequest& request) {
    requests.push_back(request);
    times.push_back(timers_->now());
    return respond(request);
  }

  std::shared_ptr<TimerQueue> timers_;
};

inline bool is_stream(const HttpRequest& request) { return request.headers.get("accept") == "text/event-stream"; }
inline Failure absent_server() { return Failure(Errc::unreachable, "connection refused").with_phase(Phase::connect); }

/// A Runtime whose servers and cloud are a ScriptedService.
class ServedRuntime : public VirtualLoop {
 public:
  using Texts = std::map<std::string, std::string, std::less<>>;
  explicit ServedRuntime(Texts variables, Texts files = {})
      : timers(std::make_shared<TimerQueue>(time, io.get_executor())), service(std::make_shared<ScriptedService>(timers)),
        log(std::make_shared<RecordingLog>()), runtime(make(std::move(variables), std::move(files))) {}

  std::shared_ptr<TimerQueue> timers;
  std::shared_ptr<ScriptedService> service;
  std::shared_ptr<RecordingLog> log;
  Runtime runtime;

  Runtime make(Texts variables, Texts files = {}, std::uint64_t seed = 1) {
    RuntimeOptions options;
    options.http = service;
    options.time = time;
    options.random_seed = seed;
    options.environment = fixed_environment(std::move(variables));
    options.files = fixed_files(std::move(files));
    options.credentials = static_token(Secret<std::string>("test-token-of-the-cloud"));
    options.log = log;
    return Runtime(io.get_executor(), std::move(options));
  }

  std::shared_ptr<ClusterResolver> resolver(std::string_view target = "tpu:trainer,project=p,zone=z") {
    return make_resolver(runtime, target).value();
  }
};

inline const ServedRuntime::Texts only_server = {{"ROLLCALL_SERVER", "https://a.example"}};
inline const ServedRuntime::Texts two_servers = {{"ROLLCALL_SERVER", "https://a.example,https://b.example"}};

/// The status of so many workers with addresses.
inline ClusterStatus status_of(int members, MemberState level = MemberState::ready) {
  ClusterStatus status;
  status.jobs = {"worker"};
  status.expected = members;
  for (int i = 0; i < members; ++i) {
    Member& member = status.members.emplace_back("worker", i);
    member.address = "10.0.0." + std::to_string(i + 1) + ":8470";
    member.state = Condition(level, level == MemberState::ready ? "READY" : "CREATING");
  }
  return status;
}
inline std::string status_body(const ClusterStatus& status, std::uint64_t revision, Duration age = Duration(0), std::uint64_t epoch = 10) {
  return fleet::render_status_body(fleet::Position(epoch, revision), 1, status, std::chrono::duration_cast<std::chrono::milliseconds>(age));
}
/// As a launcher reports it: with the generation, which is 1 in status_body(), and 2 after members().
inline ClusterStatus sent(ClusterStatus status, std::uint64_t generation = 1) {
  status.generation = generation;
  return status;
}
inline std::string event(std::string_view type, std::string_view data, std::uint64_t revision, std::uint64_t epoch = 10) {
  return fleet::render_server_event(type, data, fleet::Position(epoch, revision).to_text());
}
inline std::string heartbeat(std::uint64_t revision, Duration age = Duration(0), fleet::FallbackSchedule fallback_schedule = {}) {
  return event("beat", fleet::render_heartbeat_event(fallback_schedule, std::chrono::duration_cast<std::chrono::milliseconds>(age)),
               revision);
}
/// A TPU of two workers, as the cloud's API describes it.
inline ScriptedService::Reply cloud_node() {
  return {200, R"({"name":"projects/p/locations/z/nodes/trainer","state":"READY","acceleratorType":"v4-16","networkEndpoints":[)"
               R"({"ipAddress":"10.0.0.1","port":8470},{"ipAddress":"10.0.0.2","port":8470}]})"};
}

}  // namespace rollcall::testing
