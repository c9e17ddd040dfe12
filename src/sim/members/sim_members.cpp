#include "sim/members/sim_members.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "async/async_event.hpp"
#include "async/spawn.hpp"
#include "base/saturating.hpp"
#include "call/call_scope.hpp"
#include "meeting/member_guard.hpp"
#include "meeting/member_port.hpp"
#include "meeting/rules/meeting_tasks.hpp"
#include "meeting/shared_secret.hpp"
#include "net/socket/descriptor.hpp"
#include "preflight/flight.hpp"
#include "preflight/rules/probe_path.hpp"
#include "sim/members/lossy_wire.hpp"
#include "sim/members/silent_port.hpp"

namespace rollcall::sim {
namespace {

// Until a verdict is asked for again: those that have it part, as processes that end.
constexpr Duration pause_after_verdict = std::chrono::seconds(3);
constexpr Duration wait_for_yours = std::chrono::hours(24);

Result<std::shared_ptr<void>> serve_at(Runtime::Impl& runtime, const Endpoint& at, HttpServer::Handler handler) {
  const auto server = std::make_shared<HttpServer>(runtime.executor, std::move(handler));
  const Result<std::uint16_t> listening = server->listen(at.host, at.port.value_or(0));
  if (!listening) return listening.error();
  return std::shared_ptr<void>(server);
}

asio::awaitable<void> be_hung(ServerExchange& exchange) { co_await exchange.wait_closed(); }

asio::awaitable<void> be_another_program(ServerExchange& exchange) { co_await exchange.write_raw("SSH-2.0-another-program\r\n"); }

}  // namespace

class SimMember : public std::enable_shared_from_this<SimMember> {
 public:
  SimMember(const asio::any_io_executor& executor, std::shared_ptr<const MembersModel> cluster, std::size_t place,
            std::shared_ptr<TimeSource> time)
      : cluster_(std::move(cluster)), place_(place), timers_(std::make_shared<TimerQueue>(time, executor)),
        runtime_(executor, options(time)) {
    for (std::size_t i = 0; i < cluster_->members.size(); ++i) tasks_.emplace_back(cluster_->name_of(i), cluster_->members[i].address);
    if (model().fault == MemberFault::other_list) tasks_.emplace_back(cluster_->name_of(tasks_.size()), Endpoint("127.255.255.254", 1));
  }

  /// Its process, or what is at its address in place of one.
  Result<void> start() {
    const Result<std::shared_ptr<void>> beside = open_beside();
    if (!beside) return beside.error();
    beside_ = *beside;
    const MemberFault fault = model().fault;
    const bool is_there = fault != MemberFault::not_started && fault != MemberFault::down && fault != MemberFault::hung;
    if (is_there) spawn(impl_of(runtime_).executor, run(shared_from_this()), end_.slot(), [self = shared_from_this()](auto&&...) {});
    return {};
  }

  void stop() {
    if (std::exchange(is_stopped_, true)) return;
    end_.emit(asio::cancellation_type::terminal);
    impl_of(runtime_).close();
    beside_.reset();
  }

 private:
  const MemberModel& model() const { return cluster_->members[place_]; }

  bool loses_large(std::size_t to) const {
    const auto is_lossy = [this](std::size_t i) {
      return i < cluster_->members.size() && cluster_->members[i].fault == MemberFault::large_packets;
    };
    return is_lossy(place_) || is_lossy(to);
  }

  RuntimeOptions options(const std::shared_ptr<TimeSource>& time) {
    RuntimeOptions options;
    options.time = make_shifted_time(time, model().clock_ahead - model().clock_behind);
    options.network.proxy = ProxySettings();
    options.server = ServerOptions();
    options.around_http = [this](std::shared_ptr<HttpTransport> http) {
      return make_lossy_transport(std::move(http), timers_, [this](std::size_t to) { return loses_large(to); });
    };
    return options;
  }

  Result<std::shared_ptr<void>> open_beside() {
    switch (model().fault) {
      case MemberFault::hung: return serve_at(impl_of(runtime_), model().address, be_hung);
      case MemberFault::port_taken: return serve_at(impl_of(runtime_), model().address, be_another_program);
      case MemberFault::down:
      case MemberFault::firewall: return open_silent_port(model().address);
      default: break;
    }
    const Result<void> is_free = check_free(impl_of(runtime_).executor, model().address.host, model().address.port.value_or(0));
    if (!is_free) return is_free.error();
    return std::shared_ptr<void>();
  }

  Result<std::shared_ptr<void>> listen(HttpServer::Handler handler, HttpServer::BodyRule bodies, const Endpoint& at) {
    if (model().fault == MemberFault::firewall) return beside_;
    HttpServer::Handler faulty = [self = shared_from_this(), handler = std::move(handler)](ServerExchange& exchange) {
      return self->serve(handler, exchange);
    };
    return meeting::listen_for_members(impl_of(runtime_), std::move(faulty), std::move(bodies), at, tasks_.size());
  }

  // The server's side of the faults. Those of the wire are at the client's, which knows the size of its packets; only yours knows nothing.
  asio::awaitable<void> serve(HttpServer::Handler handler, ServerExchange& exchange) {
    const std::optional<preflight::ProbePath> path = preflight::read_probe_path(exchange.request().target);
    const bool is_of_yours = path && path->from < cluster_->members.size() && !cluster_->members[path->from].is_simulated;
    if (is_of_yours && path->is_large() && loses_large(place_)) {
      co_await exchange.wait_closed();
      co_return;
    }
    if (model().delay > Duration::zero()) {
      const bool is_awake = co_await sleep_until(*timers_, saturating_sum(timers_->now(), model().delay));
      if (!is_awake) co_return;
    }
    co_await handler(exchange);
  }

  asio::awaitable<Result<PreflightVerdict>> fly(Call& call) {
    Result<Secret<std::string>> secret = co_await meeting::read_shared_secret(call, cluster_->secret_file);
    if (!secret) co_return secret.error();
    if (model().fault == MemberFault::other_secret) *secret = Secret<std::string>(std::string("that of another job"));
    PreflightOptions options;
    options.run(cluster_->run).timeout(wait_for_yours).host(fmt::format("n{}", place_));
    std::vector<EvidenceFact> facts;
    for (const auto& [name, value] : model().facts) {
      facts.emplace_back(name, value, name == "driver" ? FindingSeverity::failure : FindingSeverity::warning);
    }
    options.facts(std::move(facts));
    meeting::Listen at_port = [this](HttpServer::Handler handler, HttpServer::BodyRule bodies, const Endpoint& at) {
      return listen(std::move(handler), std::move(bodies), at);
    };
    auto guard = std::make_shared<meeting::MemberGuard>(*secret, place_);
    preflight::Flight flight(impl_of(runtime_), tasks_, place_, options, std::move(at_port), std::move(guard));
    co_return co_await flight.fly(call);
  }

  static asio::awaitable<void> run(std::shared_ptr<SimMember> self) {
    SteadyTime next = saturating_sum(self->timers_->now(), self->model().starts_after);
    for (;;) {
      const bool is_awake = co_await sleep_until(*self->timers_, next);
      if (!is_awake || self->is_stopped_) co_return;
      CallOptions options;
      options.timeout(wait_for_yours + std::chrono::hours(1));
      CallSubject subject("a simulated member");
      auto script = [self](Call& of) { return self->fly(of); };
      const Result<PreflightVerdict> verdict =
          co_await run_call<PreflightVerdict>(shared_impl_of(self->runtime_), std::move(options), std::move(subject), std::move(script));
      static_cast<void>(verdict);  // it is that of all
      if (self->is_stopped_) co_return;
      next = saturating_sum(self->timers_->now(), pause_after_verdict);
    }
  }

  const std::shared_ptr<const MembersModel> cluster_;
  const std::size_t place_;
  const std::shared_ptr<TimerQueue> timers_;
  const Runtime runtime_;
  std::vector<meeting::MeetingTask> tasks_;
  std::shared_ptr<void> beside_;
  asio::cancellation_signal end_;
  bool is_stopped_ = false;
};

Result<std::unique_ptr<SimMembers>> SimMembers::start(const asio::any_io_executor& executor, std::shared_ptr<const MembersModel> model,
                                                      std::shared_ptr<TimeSource> time) {
  std::unique_ptr<SimMembers> all(new SimMembers());
  for (std::size_t i = 0; i < model->members.size(); ++i) {
    if (!model->members[i].is_simulated) continue;
    const auto member = std::make_shared<SimMember>(executor, model, i, time);
    all->members_.push_back(member);
    const Result<void> started = member->start();
    if (!started) return started.error();
  }
  return all;
}

SimMembers::~SimMembers() { stop(); }

void SimMembers::stop() {
  for (const auto& member : members_) member->stop();
}

std::string target_of(const MembersModel& model) {
  std::string target = fmt::format("simple:job.{}=", model.job);
  for (std::size_t i = 0; i < model.members.size(); ++i) target += (i == 0 ? "" : "+") + model.members[i].address.to_text();
  return target;
}

}  // namespace rollcall::sim
