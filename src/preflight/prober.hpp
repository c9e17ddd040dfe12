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

class Prober {
 public:
  /// `own`: its place in `tasks`. `caller` asks the others. All references outlive it.
  Prober(const std::vector<meeting::MeetingTask>& tasks, std::size_t own, std::string_view run, meeting::MemberCaller& caller)
      : tasks_(tasks), own_(own), run_(run), caller_(caller), results_(tasks.size()) {}

  /// Probes the others, or some of very many, and once more those that failed. `on_progress`: called with how many are done.
  asio::awaitable<Result<void>> probe_all(Call& call, std::function<void(std::size_t)> on_progress);
  /// After that: compares this member's clock with those of the members at `places`, as far as they answer.
  asio::awaitable<Result<void>> read_clocks(Call& call, std::vector<std::size_t> places);
  /// Later: probes those once more that were not there, and compares its clock with those at `places` that it has not compared it with.
  asio::awaitable<Result<void>> probe_again(Call& call, std::vector<std::size_t> places);
  /// Receives the flow of an order of the member at `place`, if it sends one, and keeps what passed.
  asio::awaitable<Result<void>> measure(Call& call, std::size_t place, std::int64_t order);
  const std::vector<ProbeResult>& results() const noexcept { return results_; }
  const std::vector<ProbeDetail>& details() const noexcept { return details_; }
  const std::vector<BandwidthMeasure>& measures() const noexcept { return measures_; }
  const std::vector<ClockReading>& clocks() const noexcept { return clocks_; }

 private:
  using Probe = asio::awaitable<Result<void>> (Prober::*)(Call&, std::size_t);
  asio::awaitable<Result<void>> probe_some(Call& call, std::vector<std::size_t> places, std::size_t at_once, Probe how,
                                           std::function<void(std::size_t)> on_progress);
  asio::awaitable<Result<void>> probe(Call& call, std::size_t place);
  asio::awaitable<Result<void>> probe_closely(Call& call, std::size_t place);
  ProbeResult result_of_answer(std::size_t place, std::string_view body);
  void note_loss(ProbeResult result) noexcept;
  meeting::MemberRequest request_to(std::size_t place, std::string_view kind, std::size_t bytes) const;
  asio::awaitable<Result<HttpResponse>> send(Call& call, std::size_t place, std::string_view kind, std::size_t bytes, int max_segment = 0);
  asio::awaitable<Result<void>> find_size(Call& call, std::size_t place, std::string_view kind);
  asio::awaitable<Result<void>> try_size(Call& call, std::size_t place, std::string_view kind, std::size_t bytes, int max_segment,
                                         bool& has_passed);
  asio::awaitable<Result<void>> read_clock(Call& call, std::size_t place);
  void note(std::size_t place, ProbeDetail detail);

  const std::vector<meeting::MeetingTask>& tasks_;
  const std::size_t own_;
  const std::string_view run_;
  meeting::MemberCaller& caller_;
  std::vector<ProbeResult> results_;
  std::vector<ProbeDetail> details_;
  std::vector<ClockReading> clocks_;
  std::vector<BandwidthMeasure> measures_;
  std::size_t sized_ = 0;
  std::size_t patient_ = 0;  // so many more large messages may be lost before further ones wait less
};

}  // namespace rollcall::preflight
