#include "preflight/gathering.hpp"

#include <fmt/format.h>

#include "base/saturating.hpp"
#include "preflight/flow.hpp"
#include "preflight/rules/member_blocks.hpp"
#include "preflight/rules/package_lists.hpp"
#include "preflight/rules/probed_places.hpp"

namespace rollcall::preflight {
namespace {

// From the time that a gatherer's own probes are done: how long it waits for reports of others.
constexpr Duration patience_for_reports = std::chrono::seconds(20);
constexpr Duration patience_for_latecomers = std::chrono::milliseconds(1500);
constexpr Duration patience_for_flow = flow_window + std::chrono::seconds(3);
constexpr Duration patience_for_repeats = std::chrono::seconds(10);
constexpr Duration patience_for_packages = std::chrono::seconds(3);

}  // namespace

// Of all rounds.
Duration Gathering::patience_for_bandwidth() noexcept { return std::chrono::seconds(90); }

PreflightEvidence Gathering::evidence() const {
  PreflightEvidence evidence = desk_.evidence();
  evidence.has_bandwidth = options_.bandwidth();
  set_blocks(evidence, options_.blocks());
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
      desk_.orders().order(flows);
      const Result<void> measured = co_await wait_until_done(carry_out, patience_for_flow);
      if (!measured) co_return measured;
    }
  }
}

// What the others saw of members that came late is from before. As long as further ones come, they are asked again.
asio::awaitable<Result<void>> Gathering::ask_again(const CarryOut& carry_out) {
  for (std::size_t known = 0; known != desk_.reports();) {
    known = desk_.reports();
    const std::vector<std::size_t> asked = members_to_ask_again(evidence());
    if (asked.empty()) co_return Result<void>();
    if (options_.on_progress()) options_.on_progress()("members came late: they are probed again");
    desk_.orders().order_again(asked);
    const Result<void> probed = co_await wait_until_done(carry_out, patience_for_repeats);
    if (!probed) co_return probed;
    const Result<void> reported = co_await wait_for_reports(false);
    if (!reported) co_return reported;
  }
  co_return Result<void>();
}

// Where lists of packages differ, some members list theirs, so that the verdict says in what.
asio::awaitable<Result<void>> Gathering::ask_for_packages(const CarryOut& carry_out) {
  const std::vector<std::size_t> asked = members_to_ask_for_packages(evidence());
  if (asked.empty()) co_return Result<void>();
  desk_.orders().order_packages(asked);
  co_return co_await wait_until_done(carry_out, patience_for_packages);
}

// The new order is handed out; until all have carried it out, this member as well.
asio::awaitable<Result<void>> Gathering::wait_until_done(const CarryOut& carry_out, Duration patience) {
  desk_.hand_out();
  const SteadyTime until = saturating_sum(runtime_.time->now(), patience);
  const Result<void> done = co_await carry_out(desk_.order_of(own_));
  if (!done) co_return done;
  while (!desk_.is_carried_out() && runtime_.time->now() < until) {
    const bool is_awake = co_await desk_.wait_for_report(until);
    if (!is_awake) co_return Failure(Errc::cancelled, "cancelled while members did what was ordered");
  }
  co_return Result<void>();
}

asio::awaitable<Result<void>> Gathering::lead(bool were_all_there, CarryOut carry_out) {
  if (!were_all_there) {
    const Result<void> asked = co_await ask_again(carry_out);
    if (!asked) co_return asked;
  }
  const Result<void> listed = co_await ask_for_packages(carry_out);
  if (!listed || !options_.bandwidth()) co_return listed;
  co_return co_await measure_in_rounds(std::move(carry_out));
}

// The first gatherer gives the orders, if it is there. 0: it has none to give.
Duration Gathering::patience_for_leader(bool were_all_there) const {
  if (!desk_.has_report_of(leader_)) return Duration::zero();
  if (options_.bandwidth()) return patience_for_bandwidth();
  const bool has_late = !were_all_there && (!desk_.has_all_reports() || !members_to_ask_again(evidence()).empty());
  if (has_late) return patience_for_repeats;
  return members_to_ask_for_packages(evidence()).empty() ? Duration::zero() : patience_for_packages + std::chrono::seconds(1);
}

asio::awaitable<Result<void>> Gathering::wait_for_leader(Duration patience) {
  const SteadyTime until = saturating_sum(runtime_.time->now(), patience);
  while (!of_leader_ && runtime_.time->now() < until) {
    const bool is_awake = co_await led_.wait_until(*runtime_.timers, until);
    if (!is_awake) co_return Failure(Errc::cancelled, "cancelled while the first gatherer's verdict was awaited");
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
  const Duration patience = own_ == leader_ ? Duration::zero() : patience_for_leader(were_all_there);
  if (own_ == leader_) {
    const Result<void> led = co_await lead(were_all_there, std::move(carry_out));
    if (!led) co_return led.error();
  } else if (patience > Duration::zero()) {
    const Result<void> led = co_await wait_for_leader(patience);
    if (!led) co_return led.error();
  }
  PreflightEvidence judged = evidence();
  judged.took = std::chrono::duration_cast<std::chrono::milliseconds>(runtime_.time->now() - gone_at);
  // Where the first gatherer gave orders, it knows more, unless reports did not reach it that came here.
  const bool is_led = patience > Duration::zero() && of_leader_ && of_leader_->present >= static_cast<int>(desk_.reports());
  const PreflightVerdict verdict = is_led ? *of_leader_ : judge_preflight(judged);
  if (options_.on_evidence() && !is_led) options_.on_evidence()(judged);
  desk_.announce(verdict);
  co_return verdict;
}

}  // namespace rollcall::preflight
