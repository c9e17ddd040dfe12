// The parameters of a request: those of all methods, with their defaults.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rollcall/call.hpp"
#include "rollcall/discover.hpp"
#include "rollcall/launch.hpp"
#include "rollcall/tpu_call.hpp"
#include "rollcall/wait.hpp"

namespace rollcall::serve {

class Question {
 public:
  Question() {}
  std::vector<std::string> targets;
  Duration timeout = std::chrono::seconds(30);
  bool is_partial = false;
  TpuLookup lookup = TpuLookup::automatic;
  Readiness until = usually_ready;
  int members = 0;
  std::optional<Duration> queue_timeout;
  std::optional<Duration> provision_timeout;
  bool is_for_existence = false;
  bool is_for_start = false;
  bool fails_if_unschedulable = false;
  bool wants_progress = true;
  bool wants_notices = true;
  std::optional<std::size_t> window;
  CountFrom count_from = CountFrom::automatic;
  DeviceQuery device_query = DeviceQuery::master;
  DiscoverOptions search;
  std::string accelerator_type;
  LaunchFormat launch_format = LaunchFormat::plain;
  LaunchFacts launch;          ///< values from the request; the rest is looked up
  bool has_cluster = false;    ///< from the request as well: no service is asked
  bool wants_environment = false;
  std::uint16_t meeting_port = 0;  ///< 0: each task's own
  std::int64_t generation = 1;     ///< the least number that the start may have
  std::vector<std::string> checks;
  std::vector<std::string> verdict_from;  ///< commands, as of --verdict-from
  std::string secret_file;         ///< empty: the environment's, if any
};

}  // namespace rollcall::serve
