// Members in a preflight in virtual time, each with a Runtime of its own, over a network with planted faults.
#pragma once

#include <fmt/format.h>

#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "async/async_event.hpp"
#include "base/text.hpp"
#include "call/call_scope.hpp"
#include "meeting/story_hosts.hpp"
#include "preflight/flight.hpp"
#include "preflight/host/package_digest.hpp"
#include "preflight/planted.hpp"

namespace rollcall::testing {

inline constexpr auto one_second = std::chrono::seconds(1);

class PreflightStory : public StoryHosts {
 public:
  explicit PreflightStory(std::size_t members) : timers_(std::make_shared<TimerQueue>(time, io.get_executor())) {
    for (std::size_t i = 0; i < members; ++i) tasks_.emplace_back(fmt::format("worker:{}", i), Endpoint(host_of(i), 7000));
    members_.resize(members);
  }
  ~PreflightStory() {
    for (std::size_t i = 0; i < members_.size(); ++i) kill(i);
    pass(std::chrono::seconds(60));
  }

  void join(std::size_t i, std::string run = {}, std::vector<meeting::MeetingTask> other_list = {}) {
    RuntimeOptions options;
    options.http = std::make_shared<Wire>(*this, i);
    options.tcp = std::make_shared<Look>(*this);
    options.time = std::make_shared<SkewedTime>(time, members_[i].skew);
    options.random_seed = ++seeds_;
    options.environment = fixed_environment({});
    Member& member = members_[i];
    member.runtime = std::make_shared<Runtime>(io.get_executor(), std::move(options));
    PreflightOptions preflight;
    preflight.run(std::move(run)).timeout(wait_for_missing).host(host_of(i));
    if (!members_[i].packages.empty()) {
      preflight.packages(members_[i].listed).facts({EvidenceFact("packages", package_digest(members_[i].packages))});
    }
    preflight.on_evidence([&member](const PreflightEvidence& evidence) { member.evidence = evidence; });
    member.list = other_list.empty() ? tasks_ : std::move(other_list);
    CallOptions call;
    call.timeout(wait_for_missing + std::chrono::minutes(2));
    auto script = [this, i, preflight](Call& of) { return fly(of, i, preflight); };
    member.call.emplace(
        start(run_call<PreflightVerdict>(shared_impl_of(*member.runtime), call, CallSubject("preflight"), std::move(script))));
  }
  void join_all() {
    for (std::size_t i = 0; i < members_.size(); ++i) join(i);
  }
  /// The process ends without a word.
  void kill(std::size_t i) {
    if (members_[i].call) members_[i].call->cancel();
    poll();
    break_connections(host_of(i));
  }
  bool is_done(std::size_t i) const { return members_[i].call && members_[i].call->done(); }
  bool all_done() const {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (members_[i].call && !is_done(i)) return false;
    }
    return true;
  }
  bool has_passed(std::size_t i) const { return is_done(i) && members_[i].call->value() && verdict(i).passed; }
  const PreflightVerdict& verdict(std::size_t i) const { return *members_[i].call->value(); }
  const std::optional<PreflightEvidence>& evidence(std::size_t i) const { return members_[i].evidence; }
  std::vector<meeting::MeetingTask> tasks() const { return tasks_; }

  // slow: large messages arrive by chance; here those in packets of 1500 bytes, and not those in smaller ones.
  enum class Fault { none, cut, refused, large, slow, hung };
  void plant(std::size_t from, std::size_t to, Fault fault) { faults_[{from, to}] = fault; }
  void plant_into(std::size_t to, Fault fault) {
    for (std::size_t i = 0; i < members_.size(); ++i) plant(i, to, fault);
  }
  /// What listens at the port of a host is another program.
  void take_port(std::size_t i) { taken_.insert(host_of(i)); }

  /// Its clock is ahead by so much.
  void skew(std::size_t i, Duration ahead) { members_[i].skew = ahead; }

  /// The packages of its Python; those that it lists when it is asked are others if it lies.
  void install(std::size_t i, std::vector<std::string> packages, std::vector<std::string> lie = {}) {
    members_[i].listed = lie.empty() ? packages : std::move(lie);
    members_[i].packages = std::move(packages);
  }

  std::map<std::string, int> probes;  // sent so far, by kind

  std::string secret;                          // of all members; empty: none
  std::map<std::size_t, std::string> secrets;  // of those that have another one
  Duration wait_for_missing = std::chrono::seconds(20);
  double lost = 0, late = 0, doubled = 0;  // parts of all messages
  std::mt19937 dice;

 private:
  class Member {
   public:
    std::shared_ptr<Runtime> runtime;
    Duration skew{0};
    std::vector<std::string> packages;
    std::vector<std::string> listed;
    std::vector<meeting::MeetingTask> list;
    std::optional<PreflightEvidence> evidence;
    std::optional<Started<Result<PreflightVerdict>>> call;
  };
  asio::awaitable<Result<PreflightVerdict>> fly(Call& call, std::size_t i, PreflightOptions options) {
    meeting::Listen listen = [this, i](HttpServer::Handler handler, const HttpServer::BodyRule&,
                                       const Endpoint&) -> Result<std::shared_ptr<void>> {
      if (taken_.contains(host_of(i))) return Failure(Errc::failed_precondition, "port 7000 of this host is not free");
      return listen_at(host_of(i), std::move(handler));
    };
    const auto own = secrets.find(i);
    auto guard = std::make_shared<meeting::MemberGuard>(Secret<std::string>(own == secrets.end() ? secret : own->second), i);
    preflight::Flight flight(impl_of(call), members_[i].list, i, options, std::move(listen), std::move(guard));
    co_return co_await flight.fly(call);
  }

  bool happens(double part) { return part > 0 && std::uniform_real_distribution<double>(0, 1)(dice) < part; }

  Fault fault(std::size_t from, std::size_t to) const {
    const auto at = faults_.find({from, to});
    return at == faults_.end() ? Fault::none : at->second;
  }

  class SkewedTime final : public TimeSource {
   public:
    SkewedTime(std::shared_ptr<TimeSource> right, Duration ahead) : right_(std::move(right)), ahead_(ahead) {}
    SteadyTime now() const override { return right_->now(); }
    WallTime wall_now() const override { return right_->wall_now() + ahead_; }
    std::unique_ptr<Alarm> make_alarm(asio::any_io_executor executor, std::function<void()> ring) override {
      return right_->make_alarm(std::move(executor), std::move(ring));
    }

   private:
    const std::shared_ptr<TimeSource> right_;
    const Duration ahead_;
  };

  class Wire final : public HttpTransport {
   public:
    Wire(PreflightStory& story, std::size_t from) : story_(story), from_(from) {}
    asio::awaitable<Result<HttpResponse>> send(const HttpRequest& request, const ExchangeOptions& options) override {
      constexpr std::size_t small = 1000;
      const std::size_t to = std::stoul(request.url.host.substr(1));
      const std::vector<std::string_view> parts = split(request.url.target, '/');
      if (parts.size() == 7) ++story_.probes[std::string(parts[4])];
      const Fault there = story_.fault(from_, to);
      if (there == Fault::cut) co_return co_await silence(options.connect_timeout, Errc::connect_timeout, Phase::connect);
      if (there == Fault::hung) co_return co_await silence(options.response_timeout, Errc::response_timeout, Phase::response);
      if (there == Fault::refused) co_return Failure(Errc::unreachable, "Connection refused").with_phase(Phase::connect);
      const bool is_in_small_packets = options.max_segment > 0 && options.max_segment <= 1360;  // packets of 1400 bytes pass
      if (there == Fault::large && request.body.size() > small && !is_in_small_packets)
        co_return co_await silence(options.response_timeout, Errc::response_timeout, Phase::response);
      const bool is_by_chance = options.max_segment == 1460;
      if (there == Fault::slow && request.body.size() > small && !is_by_chance)
        co_return co_await silence(options.response_timeout, Errc::response_timeout, Phase::response);
      if (story_.taken_.contains(request.url.host)) co_return Failure(Errc::malformed_response, "SSH-2.0").with_phase(Phase::response);
      if (story_.happens(story_.lost)) co_return co_await silence(options.response_timeout, Errc::response_timeout, Phase::response);
      if (story_.happens(story_.late)) co_await delay();
      const std::shared_ptr<sim::HandlerTransport> server = story_.server_at(request.url.host);
      if (!server) co_return Failure(Errc::unreachable, "Connection refused").with_phase(Phase::connect);
      if (story_.happens(story_.doubled)) {
        const Result<HttpResponse> first = co_await server->send(request, options);
        static_cast<void>(first);
      }
      Result<HttpResponse> answer = co_await server->send(request, options);
      if (story_.happens(story_.lost)) co_return co_await silence(options.response_timeout, Errc::response_timeout, Phase::response);
      const bool is_large = answer && answer->body.size() > small && !is_in_small_packets;
      if (is_large && story_.fault(to, from_) == Fault::large)
        co_return co_await silence(options.response_timeout, Errc::response_timeout, Phase::response);
      co_return answer;
    }
    asio::awaitable<Result<std::unique_ptr<HttpStream>>> open(const HttpRequest&, const ExchangeOptions&) override {
      co_return Failure(Errc::unreachable, "no streams");
    }
    void close() override {}

   private:
    asio::awaitable<Result<HttpResponse>> silence(Duration patience, Errc code, Phase phase) {
      const bool is_awake = co_await sleep_until(*story_.timers_, story_.time->now() + patience);
      if (!is_awake) co_return Failure(Errc::cancelled, "cancelled");
      co_return Failure(code, "no answer").with_phase(phase);
    }
    asio::awaitable<void> delay() {
      const auto pause = std::chrono::milliseconds(story_.dice() % 2000);
      const bool is_awake = co_await sleep_until(*story_.timers_, story_.time->now() + pause);
      static_cast<void>(is_awake);
    }
    PreflightStory& story_;
    std::size_t from_;
  };

  std::shared_ptr<TimerQueue> timers_;
  std::uint64_t seeds_ = 0;
  std::vector<meeting::MeetingTask> tasks_;
  std::vector<Member> members_;
  std::set<std::string> taken_;
  std::map<std::pair<std::size_t, std::size_t>, Fault> faults_;
};

/// What all members that ended say, which must be the same.
inline std::string verdict_of_all(const PreflightStory& story, std::size_t members, std::size_t but = 1000) {
  std::string all;
  for (std::size_t i = 0; i < members; ++i) {
    if (i == but || !story.is_done(i)) continue;
    const std::string lines = lines_of(story.verdict(i)) + (story.verdict(i).passed ? "passed" : "failed");
    if (all.empty()) all = lines;
    if (all != lines) return fmt::format("worker {} says:\n{}\nothers say:\n{}", i, lines, all);
  }
  return all;
}

}  // namespace rollcall::testing
