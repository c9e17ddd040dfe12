// A member probes the others: small and large messages, both ways, at their own ports.
#pragma once

#include <asio/awaitable.hpp>
#include <functional>
#include <string>
#include <vector>

#include "meeting/member_caller.hpp"
#include "meeting/rules/meeting_tasks.hpp"
#include "rollcall/call.hpp"
#include "rollcall/preflight_evidence.hpp"

namespace rollcall::preflight {

/// The size of a large message: some packets, large or small.
inline constexpr std::size_t large_message_bytes = 20'000;

/// The path at which the member at `place` answers the one at `from`; `kind`: `small`, `out` (a large request), `in` (a large answer).
std::string probe_path(std::string_view run, std::string_view kind, std::size_t place, std::size_t from);

class Prober {
 public:
  /// `own`: its place in `tasks`. `caller` asks the others. All references outlive it.
  Prober(const std::vector<meeting::MeetingTask>& tasks, std::size_t own, std::string_view run, meeting::MemberCaller& caller)
      : tasks_(tasks), own_(own), run_(run), caller_(caller), results_(tasks.size()) {}

  /// Probes all others, and once more those that failed. `on_progress`: called with how many are done.
  asio::awaitable<Result<void>> probe_all(Call& call, std::function<void(std::size_t)> on_progress);
  const std::vector<ProbeResult>& results() const noexcept { return results_; }
  const std::vector<ProbeDetail>& details() const noexcept { return details_; }

 private:
  asio::awaitable<Result<void>> probe_some(Call& call, std::vector<std::size_t> places, std::size_t at_once,
                                           std::function<void(std::size_t)> on_progress);
  asio::awaitable<Result<void>> probe(Call& call, std::size_t place);
  asio::awaitable<Result<HttpResponse>> send(Call& call, std::size_t place, std::string_view kind, std::size_t bytes);
  void note(std::size_t place, ProbeDetail detail);

  const std::vector<meeting::MeetingTask>& tasks_;
  const std::size_t own_;
  const std::string_view run_;
  meeting::MemberCaller& caller_;
  std::vector<ProbeResult> results_;
  std::vector<ProbeDetail> details_;
};

}  // namespace rollcall::preflight
