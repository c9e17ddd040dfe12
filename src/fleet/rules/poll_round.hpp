// Chooses the targets that one round polls if the quota has no room for all that are due. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fleet/rules/project_quota.hpp"
#include "rollcall/time.hpp"

namespace rollcall::fleet {

/// A target that is due.
class DuePoll {
 public:
  DuePoll() {}
  PollRank rank = PollRank::there;
  bool has_own_time = false;  ///< outside the usual rounds
  bool is_fresh = false;      ///< polled for the first time within the last minute
  bool is_node = false;    ///< see is_node()
  SteadyTime asked_at{};  ///< the last poll
};

/// The chosen targets by their index: the most urgent first, and of those the ones that were polled the longest time ago. `left`: for each
/// rank the number of requests that are allowed, with those of earlier ranks; at least one poll is made; none: no poll of that rank is
/// allowed now. Targets that are part of a list anyway are taken with it.
std::vector<std::size_t> pick_round(const std::vector<DuePoll>& due, const std::array<std::optional<std::size_t>, poll_ranks>& left);

/// The cost of a round over so many targets, some of them nodes: the requests that it `made`, and those that its targets have shared.
std::size_t requests_made(std::size_t nodes, std::size_t targets, std::size_t made);

/// The place of one source in the line for its project's quota.
class QuotaPlace {
 public:
  QuotaPlace(std::shared_ptr<ProjectQuota> quota, std::string source) : quota_(std::move(quota)), source_(std::move(source)) {}
  ~QuotaPlace() { quota_->forget(source_); }
  QuotaPlace(const QuotaPlace&) = delete;
  QuotaPlace& operator=(const QuotaPlace&) = delete;

  ProjectQuota& quota() const noexcept { return *quota_; }
  /// When some of these may be polled; until then the source waits in line for them.
  SteadyTime line_up(const std::vector<DuePoll>& due, SteadyTime now);
  /// The targets to poll now; the place in line is given up. `all`: of the source, due or not. Empty: none may be polled yet.
  std::vector<std::size_t> take(const std::vector<DuePoll>& due, const std::vector<DuePoll>& all, SteadyTime now);
  /// The cost of the last take().
  const std::shared_ptr<Spending>& spent() const noexcept { return spent_; }
  std::size_t requests_a_minute(SteadyTime now) const;

 private:
  std::optional<SteadyTime> line_up(const std::vector<DuePoll>& due, PollRank rank, SteadyTime now);

  std::shared_ptr<ProjectQuota> quota_;
  std::string source_;
  std::shared_ptr<Spending> spent_;
  std::deque<std::shared_ptr<Spending>> lately_;  // of the last minute
};

}  // namespace rollcall::fleet
