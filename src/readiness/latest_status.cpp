#include "readiness/latest_status.hpp"

#include <algorithm>
#include <utility>

#include "async/turns.hpp"

namespace rollcall {
namespace {

// But for the causes of the whole.
asio::awaitable<bool> are_same(const ClusterStatus& a, const ClusterStatus& b, bool (*is_same)(const Member&, const Member&)) {
  constexpr std::size_t piece = 4 * steps_a_turn;
  const bool is_same_otherwise = a.phase == b.phase && a.state == b.state && a.jobs == b.jobs && a.expected == b.expected &&
                                 a.notices == b.notices && a.job_sizes == b.job_sizes && a.expected_source == b.expected_source &&
                                 a.members.size() == b.members.size();
  if (!is_same_otherwise) co_return false;
  const std::size_t size = a.members.size();
  for (std::size_t start = 0; start < size; start += piece) {
    const auto first = a.members.begin() + static_cast<std::ptrdiff_t>(start);
    const auto last = a.members.begin() + static_cast<std::ptrdiff_t>(std::min(start + piece, size));
    if (!std::equal(first, last, b.members.begin() + static_cast<std::ptrdiff_t>(start), is_same)) co_return false;
    if (start + piece < size) co_await next_turn();
  }
  co_return true;
}

}  // namespace

void LatestStatus::wake() {
  has_news_ = true;
  if (reader_) reader_->wake();
}

void LatestStatus::report(ClusterStatus status) {
  trouble_.clear();
  trouble_hint_.clear();
  latest_ = std::move(status);
  has_seen_ = true;
  wake();
}

void LatestStatus::report_trouble(const Failure& failure) {
  trouble_ = failure.what();
  trouble_hint_ = is_timeout(failure.code()) ? std::string() : failure.hint();
  wake();
}

void LatestStatus::report_notice(const Notice& notice) {
  constexpr std::size_t max = 1000;
  if (notices_.size() == max) notices_.erase(notices_.begin());
  notices_.push_back(notice);
  wake();
}

asio::awaitable<bool> LatestStatus::wait(TimerQueue& timers, SteadyTime when) {
  bool is_awake = true;
  if (!has_news_) {
    AsyncEvent event;
    reader_ = &event;
    is_awake = co_await event.wait_until(timers, when);
    reader_ = nullptr;
  }
  if (is_awake) has_news_ = false;  // if cancelled, the next wait() returns at once for reports in between
  co_return is_awake;
}

asio::awaitable<bool> is_same_status(const ClusterStatus& a, const ClusterStatus& b) {
  if (a.causes != b.causes) co_return false;
  co_return co_await are_same(a, b, [](const Member& one, const Member& other) { return one == other; });
}

asio::awaitable<bool> is_same_but_for_causes(const ClusterStatus& a, const ClusterStatus& b) {
  co_return co_await are_same(a, b, [](const Member& one, const Member& other) {
    if (one.causes == other.causes) return one == other;
    Member alike = other;
    alike.causes = one.causes;
    return one == alike;
  });
}

asio::awaitable<void> replace_status(ClusterStatus& status, ClusterStatus next) {
  std::swap(status, next);
  co_await discard_in_turns(std::move(next.members));
}

}  // namespace rollcall
