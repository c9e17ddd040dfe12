// Which of the targets that are due one round looks at, where the quota has no room for all of them. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fleet/rules/poll_pace.hpp"
#include "rollcall/time.hpp"

namespace rollcall::fleet {

/// A target that is due.
class DuePoll {
 public:
  DuePoll() {}
  PollRank rank = PollRank::there;
  bool has_own_time = false;  ///< it is no part of the usual rounds
  bool is_fresh = false;      ///< it was looked at for the first time within a minute
  bool is_node = false;    ///< see is_node()
  SteadyTime asked_at{};  ///< the last time
};

/// The chosen ones by their index, the most pressing first and of those the ones that were not asked for the longest time. `left`: by rank
/// how many requests may be made, what goes before included, and at least one look is; none: no look of that rank may be made now. What a
/// list tells anyway is asked for with it.
std::vector<std::size_t> pick_round(const std::vector<DuePoll>& due, const std::array<std::optional<std::size_t>, poll_ranks>& left);

/// What a round over so many targets, nodes among them, has cost: the requests that it `made`, and those that its targets have shared.
std::size_t requests_made(std::size_t nodes, std::size_t targets, std::size_t made);

/// The place of one source at the quota of its project.
class QuotaPlace {
 public:
  QuotaPlace(std::shared_ptr<ProjectQuota> quota, std::string source) : quota_(std::move(quota)), source_(std::move(source)) {}
  ~QuotaPlace() { quota_->forget(source_); }
  QuotaPlace(const QuotaPlace&) = delete;
  QuotaPlace& operator=(const QuotaPlace&) = delete;

  ProjectQuota& quota() const noexcept { return *quota_; }
  /// When some of these may be looked at; until then it stands in line for them.
  SteadyTime line_up(const std::vector<DuePoll>& due, SteadyTime now);
  /// The ones to look at now; the place in line is given up. `all`: of the source, due or not. Empty: none may be looked at yet.
  std::vector<std::size_t> take(const std::vector<DuePoll>& due, const std::vector<DuePoll>& all, SteadyTime now);
  /// What the last take() is going to cost.
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
