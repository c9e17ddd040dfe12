#include "preflight/gathering.hpp"

#include <fmt/format.h>

#include "base/saturating.hpp"
#include "preflight/flow.hpp"

namespace rollcall::preflight {
namespace {

// From the time that a gatherer's own probes are done: how long it waits for reports of others.
constexpr Duration patience_for_reports = std::chrono::seconds(20);
constexpr Duration patience_for_latecomers = std::chrono::milliseconds(1500);
constexpr Duration patience_for_flow = flow_window + std::chrono::seconds(3);

}  // namespace

// Of all rounds.
Duration Gathering::patience_for_bandwidth() noexcept { return std::chrono::seconds(90); }

PreflightEvidence Gathering::evidence() const {
  PreflightEvidence evidence = desk_.evidence();
  evidence.has_bandwidth = options_.bandwidth();
  return evidence;
}

// Until all have reported, or those that are there have, or could not.
asio::awaitable<Result<void>> Gathering::wait_for_reports(bool were_all_there) {
  const SteadyTime begun = runtime_.time->now();
  for (;;) {
    const SteadyTime now = runtime_.time->now();
    const bool is_one_missing = were_all_there || desk_.heard() > desk_.reports();
    const SteadyTime until = saturating_sum(begun, is_one_missing ? patience_for_reports : patience_for_latecomers);
    if (desk_.has_all_reports() || now >= until) co_return Result<void>();
    const bool is_awake = co_await desk_.wait_for_report(until);
    if (!is_awake) co_return Failure(Errc::cancelled, "cancelled while reports came");
  }
}

asio::awaitable<Result<void>> Gathering::measure_in_rounds(CarryOut carry_out) {
  for (std::size_t round = 0;; ++round) {
    const std::vector<MeasuredPair> pairs = pairs_to_measure(evidence(), round);
    if (pairs.empty()) co_return Result<void>();
    if (options_.on_progress()) options_.on_progress()(fmt::format("bandwidth: round {}, pairs: {}", round + 1, pairs.size()));
    // One way after the other: what acknowledges the one would be in the way of the other.
    for (const bool is_back : {false, true}) {
      std::vector<MeasuredPair> flows = pairs;
      for (auto& [from, to] : flows) {
        if (is_back) std::swap(from, to);
      }
      const Result<void> measured = co_await measure_flows(flows, carry_out);
      if (!measured) co_return measured;
    }
  }
}

asio::awaitable<Result<void>> Gathering::measure_flows(const std::vector<MeasuredPair>& flows, const CarryOut& carry_out) {
  const SteadyTime until = saturating_sum(runtime_.time->now(), patience_for_flow);
  desk_.order(flows);
  const Result<void> measured = co_await carry_out(desk_.order_of(own_));
  if (!measured) co_return measured;
  while (!desk_.is_carried_out() && runtime_.time->now() < until) {
    const bool is_awake = co_await desk_.wait_for_report(until);
    if (!is_awake) co_return Failure(Errc::cancelled, "cancelled while bandwidth was measured");
  }
  co_return Result<void>();
}

// The first gatherer lets members measure, if it is there.
asio::awaitable<Result<void>> Gathering::wait_for_leader() {
  const SteadyTime until = saturating_sum(runtime_.time->now(), patience_for_bandwidth());
  while (desk_.has_report_of(leader_) && !of_leader_ && runtime_.time->now() < until) {
    const bool is_awake = co_await led_.wait_until(*runtime_.timers, until);
    if (!is_awake) co_return Failure(Errc::cancelled, "cancelled while bandwidth was measured");
  }
  co_return Result<void>();
}

void Gathering::note_leader(const PreflightVerdict& verdict) {
  of_leader_ = verdict;
  led_.wake();
}

asio::awaitable<Result<PreflightVerdict>> Gathering::judge(bool were_all_there, SteadyTime gone_at, CarryOut carry_out) {
  const Result<void> reported = co_await wait_for_reports(were_all_there);
  if (!reported) co_return reported.error();
  if (options_.bandwidth() && own_ == leader_) {
    const Result<void> measured = co_await measure_in_rounds(std::move(carry_out));
    if (!measured) co_return measured.error();
  } else if (options_.bandwidth()) {
    const Result<void> led = co_await wait_for_leader();
    if (!led) co_return led.error();
  }
  PreflightEvidence judged = evidence();
  judged.took = std::chrono::duration_cast<std::chrono::milliseconds>(runtime_.time->now() - gone_at);
  // Where the first gatherer has let members measure, it knows more.
  const bool is_led = options_.bandwidth() && of_leader_.has_value();
  const PreflightVerdict verdict = is_led ? *of_leader_ : judge_preflight(judged);
  if (options_.on_evidence() && !is_led) options_.on_evidence()(judged);
  desk_.announce(verdict);
  co_return verdict;
}

}  // namespace rollcall::preflight
