// A client's question about one cluster, as path and query of a URL: written by the client, parsed by the service.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "rollcall/error.hpp"
#include "rollcall/readiness.hpp"
#include "rollcall/target.hpp"

namespace rollcall::fleet {

/// How much an answer contains.
enum class View {
  status,    ///< every member
  spec,      ///< the cluster, as ClusterResolver::cluster_spec() answers
  progress,  ///< counts, and the missing members in words
  task,      ///< progress; and the client's own task, once the cluster is ready
  history,   ///< changes of phase
};
std::string_view to_string(View view) noexcept;

class FleetQuestion {
 public:
  FleetQuestion() {}
  explicit FleetQuestion(Target of_what, View how_much = View::status) : target(std::move(of_what)), view(how_much) {}
  Target target;
  View view = View::status;
  Readiness until = usually_ready;  ///< of progress and task; state, health and endpoints only
  int members = 0;                  ///< as WaitOptions::members
  bool awaits_existence = false;    ///< as WaitOptions::for_existence
  std::string self;                 ///< of task: an address of the client; empty: not given
  std::chrono::seconds wait{0};     ///< how long to wait for a version that the client does not know

  /// Parses the path and query after `/v1/clusters/`. Errors: invalid_argument, naming the parameter or the target's fault.
  static Result<FleetQuestion> parse(std::string_view path_and_query);
  /// Round-trips through parse().
  std::string to_text() const;
  friend bool operator==(const FleetQuestion&, const FleetQuestion&) = default;
};

inline constexpr std::string_view clusters_path = "/v1/clusters/";
inline constexpr std::chrono::seconds max_wait{300};

}  // namespace rollcall::fleet
