// A member at its port: answers those that probe it, and, where it gathers reports, takes them and hands out the verdict.
#pragma once

#include <asio/awaitable.hpp>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "async/async_event.hpp"
#include "call/runtime_impl.hpp"
#include "meeting/member_guard.hpp"
#include "meeting/rules/meeting_tasks.hpp"
#include "net/server/http_server.hpp"
#include "preflight/order_book.hpp"
#include "preflight/rules/probe_path.hpp"
#include "preflight/wire/preflight_documents.hpp"

namespace rollcall::preflight {

class Desk : public std::enable_shared_from_this<Desk> {
 public:
  /// `own`: its place in `tasks`. `gathers`: it takes reports. `guard`: of its port.
  Desk(std::shared_ptr<Runtime::Impl> runtime, std::vector<meeting::MeetingTask> tasks, std::size_t own, std::string run,
       std::string incarnation, bool gathers, std::shared_ptr<meeting::MemberGuard> guard);

  /// For the server. Requests in progress keep this object alive.
  HttpServer::Handler handler();
  /// How much of a body the server reads.
  HttpServer::BodyRule bodies();
  /// Answers what is no part of a preflight; null: nothing does.
  void lead_on(HttpServer::Handler meeting, HttpServer::BodyRule bodies) {
    meeting_ = std::move(meeting);
    meeting_bodies_ = std::move(bodies);
  }
  /// From now on those that come to the meeting hear that it is over, until there is a verdict. `hellos`: the path of what they say.
  void end_meeting(std::string hellos);

  /// Called once, when a member of this list probes: the others do not wait any longer.
  void on_probe(std::function<void()> call) { on_probe_ = std::move(call); }
  void take(std::size_t place, MemberReport report, std::string from);
  std::size_t reports() const noexcept { return count_; }
  bool has_all_reports() const noexcept { return count_ == tasks_.size(); }
  /// Members that were heard from.
  std::size_t heard() const noexcept;
  /// Suspends until a report comes, until `when` at most. False: cancelled.
  asio::awaitable<bool> wait_for_report(SteadyTime when) { return came_.wait_until(*runtime_->timers, when); }
  PreflightEvidence evidence() const;
  bool has_report_of(std::size_t place) const { return seen_[place].report.has_value(); }
  /// What members that have reported are to do next. A new order is handed out to those that wait for one, and in answer to reports.
  OrderBook& orders() noexcept { return orders_; }
  void hand_out();
  const LeaderOrder& order_of(std::size_t place) const { return orders_.of(place); }
  /// All that were to do something have reported since the last order.
  bool is_carried_out() const;
  /// What this member has sent by an order; absent: nothing yet.
  std::optional<SentFlow> flow_of(const LeaderOrder& order) const;
  /// Suspends until that has been sent to its end, until `when` at most. False: cancelled.
  asio::awaitable<bool> wait_for_flow(LeaderOrder order, SteadyTime when);
  /// From now on reports are answered with it.
  void announce(const PreflightVerdict& verdict);
  /// Suspends until all that have reported have the verdict, until `when` at most.
  asio::awaitable<void> wait_until_served(SteadyTime when);

 private:
  static asio::awaitable<void> serve(std::shared_ptr<Desk> self, ServerExchange& exchange);
  asio::awaitable<void> answer(ServerExchange& exchange);
  asio::awaitable<void> answer_latecomer(ServerExchange& exchange);
  bool is_of_latecomer(std::string_view path) const;
  std::optional<ProbePath> path_of_run(std::string_view path) const;
  asio::awaitable<void> answer_probe(ServerExchange& exchange, std::size_t from, std::string_view kind, std::string_view body);
  ProbeAnswer answer_of_own() const;
  std::shared_ptr<const std::string> answer_to(std::string_view kind) const;
  asio::awaitable<void> answer_report(ServerExchange& exchange, std::size_t place, std::string_view body);
  void note_refusal(std::size_t place, meeting::MemberGuard::Speaker speaker, const std::string& from);
  asio::awaitable<void> wait_for_news(ServerExchange& exchange);
  void note_served(std::size_t place);

  class Seen {
   public:
    std::optional<MemberReport> report;
    std::string from;
    bool was_heard = false;
    bool has_verdict = false;
    std::vector<IdentityClaim> claims;
    std::vector<IdentityClaim> refused;  // of what did not prove the secret
    std::optional<SentFlow> flow;        // the last one to it
  };

  const std::shared_ptr<Runtime::Impl> runtime_;
  const std::vector<meeting::MeetingTask> tasks_;
  const std::size_t own_;
  const std::string run_;
  const std::string incarnation_;
  const bool gathers_;
  const std::shared_ptr<meeting::MemberGuard> guard_;
  std::shared_ptr<const std::string> small_answer_;  // written once: all that probe get the same
  std::shared_ptr<const std::string> large_answer_;
  HttpServer::Handler meeting_;
  HttpServer::BodyRule meeting_bodies_;
  std::string late_hellos_;  // their path; empty: nothing is said to them
  std::function<void()> on_probe_;
  std::vector<Seen> seen_;
  OrderBook orders_;
  std::size_t count_ = 0;
  std::size_t served_ = 0;
  std::shared_ptr<const std::string> verdict_;
  std::list<AsyncEvent*> waiting_;
  AsyncEvent came_;
  AsyncEvent sent_;
  AsyncEvent all_served_;
};

}  // namespace rollcall::preflight
