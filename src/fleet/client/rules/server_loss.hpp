// Decides whether any server answers, and when a client without a server asks the cloud itself. Arithmetic; no clock.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "fleet/wire/documents.hpp"
#include "rollcall/server_options.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

/// Shared by all users of one Runtime's servers. A loss begins when every server has failed since the last answer, and ends with an
/// answer of any server.
class ServerLoss {
 public:
  ServerLoss(ServerFallback fallback, std::size_t servers) : fallback_(fallback), has_failed_(servers, false) {}

  void note_answer();
  /// From a service, which knows how many clients it has.
  void note_schedule(const fleet::FallbackSchedule& fallback_schedule) { fallback_schedule_ = fallback_schedule; }
  /// The same for a schedule that a server sent, within bounds: with any schedule, clients begin to ask the cloud 10 s after the loss at
  /// the earliest, and then poll once a minute at most.
  void note_sent_schedule(fleet::FallbackSchedule fallback_schedule);
  /// Server number `server` failed. `uniform`, in [0, 1), chooses the moment of direct polls if a loss begins now.
  void note_failure(std::size_t server, SteadyTime now, double uniform);

  bool is_lost() const noexcept { return since_.has_value(); }
  /// The time of the first direct poll; max(): there is none.
  SteadyTime direct_from() const noexcept { return since_ ? direct_from_ : SteadyTime::max(); }
  /// The pause between two direct polls; absent: as for a client without servers.
  std::optional<Duration> direct_pause() const noexcept;

 private:
  ServerFallback fallback_;
  fleet::FallbackSchedule fallback_schedule_;
  std::vector<bool> has_failed_;  // since the last answer of any server
  std::optional<SteadyTime> first_failure_;
  std::optional<SteadyTime> since_;
  SteadyTime direct_from_ = SteadyTime::max();
};

}  // namespace rollcall
