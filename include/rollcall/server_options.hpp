// A service that follows clusters for many clients, and replaces requests to the clouds. Values; no I/O.
#pragma once

#include <string>
#include <vector>

#include "rollcall/time.hpp"

namespace rollcall {

/// How calls proceed while no server answers.
enum class ServerFallback {
  automatic,  ///< the cloud is queried directly, with delay and at a low rate, so that all such clients together stay within its quota
  never,      ///< they wait, or fail
  now,        ///< the cloud is queried directly at once
};

/// The servers, how they are reached, and which answers are accepted.
class ServerOptions {
 public:
  ServerOptions() {}
  std::vector<std::string> urls;  ///< `https://host[:port][/path]`, all of one service; none: the clouds are queried directly
  std::string token_file;         ///< its first line is the token, read again for each request; empty: no token is sent
  std::string ca_file;            ///< PEM: the servers' trust anchors; empty: as for all other servers
  Duration max_age = std::chrono::seconds(30);  ///< older observations never count as ready
  ServerFallback fallback = ServerFallback::automatic;
};

}  // namespace rollcall
