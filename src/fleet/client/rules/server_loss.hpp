// Whether any server answers, and when a client that none answers asks the cloud itself. Arithmetic; no clock.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "fleet/wire/documents.hpp"
#include "rollcall/server_options.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

/// Shared by all that ask the servers of one Runtime. A loss begins when every server has failed since one answered last, and ends with
/// an answer of any.
class ServerLoss {
 public:
  ServerLoss(ServerFallback fallback, std::size_t servers) : fallback_(fallback), has_failed_(servers, false) {}

  void note_answer();
  /// From a service that knows how many others would ask.
  void note_schedule(const fleet::FallbackSchedule& fallback_schedule) { fallback_schedule_ = fallback_schedule; }
  /// The same as a server told it, within bounds: whatever a server says, its clients begin to ask the cloud no sooner than 10 s after the
  /// loss, and then once a minute at most.
  void note_sent_schedule(fleet::FallbackSchedule fallback_schedule);
  /// Server number `server` failed; `uniform` in [0, 1) settles the moment of direct looks, for a loss that begins so.
  void note_failure(std::size_t server, SteadyTime now, double uniform);

  bool is_lost() const noexcept { return since_.has_value(); }
  /// From when on the cloud is asked directly; max(): it is not.
  SteadyTime direct_from() const noexcept { return since_ ? direct_from_ : SteadyTime::max(); }
  /// Between two direct looks; absent: as those who know no servers.
  std::optional<Duration> direct_pause() const noexcept;

 private:
  ServerFallback fallback_;
  fleet::FallbackSchedule fallback_schedule_;
  std::vector<bool> has_failed_;  // since the last answer of any
  std::optional<SteadyTime> first_failure_;
  std::optional<SteadyTime> since_;
  SteadyTime direct_from_ = SteadyTime::max();
};

}  // namespace rollcall
