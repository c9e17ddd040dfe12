// One member in a preflight, from the meeting to the verdict.
#pragma once

#include <asio/awaitable.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "async/async_event.hpp"
#include "meeting/attendance.hpp"
#include "preflight/desk.hpp"
#include "preflight/gathering.hpp"
#include "preflight/prober.hpp"
#include "rollcall/barrier.hpp"
#include "rollcall/preflight.hpp"

namespace rollcall::preflight {

class Flight {
 public:
  /// `own`: a place in `tasks`. `guard`: of this member's port, with the secret if there is one. All references outlive it.
  Flight(Runtime::Impl& runtime, const std::vector<meeting::MeetingTask>& tasks, std::size_t own, const PreflightOptions& options,
         meeting::Listen listen, std::shared_ptr<meeting::MemberGuard> guard);

  /// As try_preflight_cluster(), which has checked the tasks.
  asio::awaitable<Result<PreflightVerdict>> fly(Call& call);

 private:
  asio::awaitable<Result<bool>> meet();
  asio::awaitable<Result<void>> attend();
  asio::awaitable<Result<bool>> wait_for_go();
  asio::awaitable<Result<void>> probe(Call& call);
  asio::awaitable<Result<void>> judge_here(Call& call);
  asio::awaitable<Result<void>> carry_out(Call& call, LeaderOrder order);
  asio::awaitable<Result<void>> carry_out_own(Call& call, LeaderOrder order);
  asio::awaitable<Result<void>> ask_all(Call& call);
  asio::awaitable<Result<void>> ask(Call& call, std::size_t gatherer);
  asio::awaitable<Result<HttpResponse>> say(Call& call, std::size_t place, std::string_view kind);
  asio::awaitable<Result<bool>> wait_for_verdict();
  MemberReport report() const;
  bool has_reached_gatherer() const;
  bool has_enough_verdicts() const;
  PreflightVerdict chosen() const;
  PreflightVerdict own_verdict() const;
  void go();

  Runtime::Impl& runtime_;
  const std::vector<meeting::MeetingTask>& tasks_;
  const std::size_t own_;
  const PreflightOptions& options_;
  const meeting::Listen listen_;
  const std::string run_;
  const std::string incarnation_;
  const std::vector<std::size_t> gatherers_;
  bool gathers_;  // no longer where it cannot listen
  const std::shared_ptr<meeting::MemberGuard> guard_;
  BarrierOptions barrier_;
  std::shared_ptr<Desk> desk_;
  std::shared_ptr<void> listening_;
  meeting::MemberCaller caller_;
  Gathering gathering_;
  Prober prober_;
  std::vector<SentFlow> sent_;
  std::vector<Finding> own_findings_;
  std::vector<std::optional<PreflightVerdict>> verdicts_;  // of each gatherer
  AsyncEvent going_;
  AsyncEvent answered_;
  std::int64_t order_ = 0;  // the last one that was carried out
  bool lists_packages_ = false;
  bool is_going_ = false;
  bool has_met_ = false;
  bool were_all_there_ = false;
  bool has_judged_ = false;
  bool has_reached_gatherer_ = false;  // with a report
  SteadyTime gone_at_{};
};

}  // namespace rollcall::preflight
