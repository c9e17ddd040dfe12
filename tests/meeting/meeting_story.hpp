// Tasks that meet at a barrier in virtual time, each with a Runtime of its own, over a network that loses, delays, doubles and cuts.
#pragma once

#include <fmt/format.h>

#include <asio/post.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "async/async_event.hpp"
#include "base/at_end.hpp"
#include "call/call_scope.hpp"
#include "fleet/client/remote_servers.hpp"
#include "meeting/attendance.hpp"
#include "meeting/story_hosts.hpp"
#include "rollcall/stage_reporter.hpp"

namespace rollcall::testing {

class MeetingStory : public StoryHosts {
 public:
  explicit MeetingStory(std::size_t tasks, unsigned seed = 1)
      : timers_(std::make_shared<TimerQueue>(time, io.get_executor())), dice_(seed) {
    for (std::size_t i = 0; i < tasks; ++i) tasks_.emplace_back(fmt::format("worker:{}", i), Endpoint(host_of(i), 7000));
    members_.resize(tasks);
  }
  ~MeetingStory() {
    for (std::size_t i = 0; i < members_.size(); ++i) kill(i);
    pass(std::chrono::seconds(30));
  }

  class Member {
   public:
    std::shared_ptr<Runtime> runtime;
    std::optional<Started<Result<BarrierRelease>>> call;
    std::vector<BarrierProgress> shown;
    SteadyTime began{};
    bool is_there() const { return call && !call->done(); }
  };

  void join(std::size_t i, Duration timeout = std::chrono::minutes(5), std::string run = {}, std::int64_t generation = 1) {
    Member& member = members_[i];
    member.runtime = std::make_shared<Runtime>(io.get_executor(), options_of(i));
    member.began = time->now();
    member.shown.clear();
    BarrierOptions barrier;
    barrier.port(port).run(std::move(run)).generation(generation).stages(stages).on_progress([&member](const BarrierProgress& progress) {
      member.shown.push_back(progress);
    });
    CallOptions call;
    call.timeout(timeout);
    auto script = [this, i, barrier](Call& of) { return attend(of, i, barrier); };
    member.call.emplace(start(run_call<BarrierRelease>(shared_impl_of(*member.runtime), call, CallSubject("barrier"), std::move(script))));
  }
  /// The process of `reporter` says to the service what it does; null: another process begins.
  Result<void> say(std::size_t i, std::vector<StageSpan> passed, std::optional<StageReporter>& reporter) {
    if (!reporter) {
      std::vector<std::string> addresses;
      for (const meeting::MeetingTask& task : tasks_) addresses.push_back(task.address.to_text());
      ClusterSpec spec;
      spec.set_job("worker", std::move(addresses));
      members_[i].runtime = std::make_shared<Runtime>(io.get_executor(), options_of(i));
      Result<StageReporter> made = StageReporter::make(*members_[i].runtime, spec, LaunchedTask("worker", static_cast<int>(i)), {});
      if (!made) return made.error();
      reporter.emplace(std::move(*made));
    }
    const auto said = start(reporter->try_report(std::move(passed)));
    poll();
    return said.done() ? said.value() : Result<void>(Failure(Errc::deadline_exceeded, "no answer yet"));
  }
  /// From now on a server of that name keeps the rolls; null: it is gone.
  void serve(const std::string& name, HttpServer::Handler handler) {
    if (const auto at = served_.find(name); at != served_.end()) at->second->break_all();
    served_.erase(name);
    if (handler) served_[name] = sim::make_handler_transport(io.get_executor(), std::move(handler), time);
    poll();
  }
  /// The process ends without a word: its connections end.
  void kill(std::size_t i) {
    if (members_[i].call) members_[i].call->cancel();
    poll();
    break_connections(host_of(i));
  }
  /// When the `step`-th message from now on is sent, `then` is called.
  void at_message(int step, std::function<void()> then) {
    step_ = messages_ + step;
    at_step_ = std::move(then);
  }
  int messages() const noexcept { return messages_; }
  /// As kill(), in at_message().
  void kill_now(std::size_t i) {
    if (members_[i].call) members_[i].call->cancel();
    if (const auto server = server_at(host_of(i))) server->break_all();
  }
  /// Nothing passes between the two; connections do not end.
  void cut(std::size_t a, std::size_t b, bool is_cut = true) { is_cut_[{std::min(a, b), std::max(a, b)}] = is_cut; }
  const Member& member(std::size_t i) const { return members_[i]; }
  bool has_started(std::size_t i) const { return members_[i].call && members_[i].call->done() && members_[i].call->value(); }
  /// 0: it has not started.
  std::int64_t generation(std::size_t i) const { return has_started(i) ? members_[i].call->value()->generation : 0; }
  std::size_t started() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < members_.size(); ++i) count += has_started(i) ? 1 : 0;
    return count;
  }
  std::string last_line(std::size_t i) const { return members_[i].shown.empty() ? "" : members_[i].shown.back().line(); }

  ServerOptions servers;                   // where the tasks meet; none: at themselves
  std::string secret;                      // of all tasks; empty: none
  std::map<std::size_t, std::string> secrets;  // of those that have another one
  std::uint16_t port = 0;                  // of BarrierOptions
  std::vector<StageSpan> stages;           // the same
  double lost = 0, late = 0, doubled = 0;  // parts of all hellos and answers

 private:
  RuntimeOptions options_of(std::size_t i) {
    RuntimeOptions options;
    options.http = std::make_shared<Wire>(*this, i);
    options.tcp = std::make_shared<Look>(*this);
    options.time = time;
    options.random_seed = dice_();
    options.environment = fixed_environment({});
    if (!servers.urls.empty()) options.server = servers;
    return options;
  }

  asio::awaitable<Result<BarrierRelease>> attend(Call& call, std::size_t i, BarrierOptions options) {
    meeting::Listen listen = [this, i](HttpServer::Handler handler, const HttpServer::BodyRule&, const Endpoint&) {
      return listen_at(host_of(i), std::move(handler));
    };
    const Result<std::shared_ptr<RemoteServers>> service = RemoteServers::of(impl_of(call));
    if (!service) co_return service.error();
    const auto own = secrets.find(i);
    auto guard = std::make_shared<meeting::MemberGuard>(Secret<std::string>(own == secrets.end() ? secret : own->second), i);
    meeting::Attendance attendance(impl_of(call), tasks_, i, options, std::move(listen), std::move(guard), *service);
    co_return co_await attendance.attend(call);
  }

  bool happens(double part) { return part > 0 && std::uniform_real_distribution<double>(0, 1)(dice_) < part; }
  bool is_cut(std::size_t from, const std::string& host) const {
    const std::size_t to = std::stoul(host.substr(1));
    const auto at = is_cut_.find({std::min(from, to), std::max(from, to)});
    return at != is_cut_.end() && at->second;
  }

  class Wire final : public HttpTransport {
   public:
    Wire(MeetingStory& story, std::size_t from) : story_(story), from_(from) {}
    asio::awaitable<Result<HttpResponse>> send(const HttpRequest& request, const ExchangeOptions& options) override {
      if (++story_.messages_ == story_.step_) asio::post(story_.io, story_.at_step_);
      const std::shared_ptr<sim::HandlerTransport> there = story_.server_at(request.url.host);
      if (story_.is_cut(from_, request.url.host) || story_.happens(story_.lost)) co_return co_await silence(options);
      if (!there) co_return Failure(Errc::unreachable, "Connection refused").with_phase(Phase::connect);
      if (story_.happens(story_.late)) co_await delay();
      if (story_.happens(story_.doubled)) {
        const Result<HttpResponse> first = co_await there->send(request, options);
        static_cast<void>(first);
      }
      Result<HttpResponse> answer = co_await there->send(request, options);
      if (story_.is_cut(from_, request.url.host) || story_.happens(story_.lost)) co_return co_await silence(options);
      co_return answer;
    }
    asio::awaitable<Result<std::unique_ptr<HttpStream>>> open(const HttpRequest&, const ExchangeOptions&) override {
      co_return Failure(Errc::unreachable, "no streams");
    }
    void close() override {}

   private:
    asio::awaitable<Result<HttpResponse>> silence(const ExchangeOptions& options) {
      const bool is_awake = co_await sleep_until(*story_.timers_, story_.time->now() + options.response_timeout);
      if (!is_awake) co_return Failure(Errc::cancelled, "cancelled");
      co_return Failure(Errc::response_timeout, "the server did not answer").with_phase(Phase::response);
    }
    asio::awaitable<void> delay() {
      const auto pause = std::chrono::milliseconds(story_.dice_() % 3000);
      const bool is_awake = co_await sleep_until(*story_.timers_, story_.time->now() + pause);
      static_cast<void>(is_awake);
    }
    MeetingStory& story_;
    std::size_t from_;
  };

  std::shared_ptr<TimerQueue> timers_;
  std::mt19937 dice_;
  int messages_ = 0;
  int step_ = 0;
  std::function<void()> at_step_;
  std::vector<meeting::MeetingTask> tasks_;
  std::vector<Member> members_;
  std::map<std::pair<std::size_t, std::size_t>, bool> is_cut_;
};

}  // namespace rollcall::testing
