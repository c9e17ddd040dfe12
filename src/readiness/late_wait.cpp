#include "readiness/late_wait.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cluster/said_state.hpp"
#include "readiness/member_probe.hpp"

namespace rollcall {

std::optional<Failure> refusal_of(const WaitOptions& options) {
  const auto refused = [](const char* what) { return Failure(Errc::invalid_argument, fmt::format("wait_until_ready: {}", what)); };
  if (options.members() < 0 || options.min_members() < 0) return refused("the number of members must not be negative");
  if (options.last_call() < Duration::zero()) return refused("the time of the last call must not be negative");
  return std::nullopt;
}

asio::awaitable<Result<ClusterStatus>> refuse_wait() {
  co_return Failure(Errc::invalid_argument, "wait_until_ready: the resolver is null");
}

bool is_absent(const ClusterStatus& status) noexcept {
  return status.phase != ClusterPhase::queued && status.members.empty() && status.expected == 0 &&
         status.state.level == MemberState::waiting;
}

std::string wait_summary(const WaitProgress& progress, const std::string& subject) {
  std::string text = progress.total > 0 ? progress.count_text(" of ") : "no member is known";
  const std::string missing = progress.missing_text();
  const ClusterStatus& status = progress.status;
  if (status.state.level != MemberState::ready && !status.state.text.empty() && !is_state_said(status, missing))
    text += "; " + status.state.text;
  if (!missing.empty()) text += "; missing: " + missing;
  if (!progress.trouble.empty()) {
    const std::string named = subject + ": ";
    text += "; last trouble: " + progress.trouble.substr(progress.trouble.starts_with(named) ? named.size() : 0);
  }
  return text;
}

std::string_view name_of_number(bool is_least) noexcept { return is_least ? "min_members, --min-members" : "members, --members"; }

std::string hint_of_late_wait(const WaitProgress& progress, const WaitOptions& options) {
  const auto lacks_port = [](const MissingMember& one) { return one.why == has_no_port; };
  if (std::any_of(progress.missing.begin(), progress.missing.end(), lacks_port))
    return "give every address a port: without one its member cannot be asked";
  if (is_absent(progress.status))
    return "nothing of it is there: look at its names and selectors, or raise the time-out if it is still to be made";
  const auto there = static_cast<int>(progress.status.members.size());
  const int awaited = std::max(options.members(), options.min_members());
  if (awaited <= there || progress.ready < there) return {};
  return fmt::format("it has {} {}, and {} are awaited: look after what should make the others, or ask for fewer ({})", there,
                     there == 1 ? "member" : "members", awaited, name_of_number(options.min_members() > options.members()));
}

}  // namespace rollcall
