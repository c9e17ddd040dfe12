// A service that follows clusters for many, and is asked instead of the clouds. Values; no I/O.
#pragma once

#include <string>
#include <vector>

#include "rollcall/time.hpp"

namespace rollcall {

/// What becomes of questions while no server answers.
enum class ServerFallback {
  automatic,  ///< the cloud is asked directly, late and rarely, so that all who ask so together stay within its quota
  never,      ///< they wait, or fail
  now,        ///< the cloud is asked directly at once
};

/// Which servers are asked, how, and what is taken from them.
class ServerOptions {
 public:
  ServerOptions() {}
  std::vector<std::string> urls;  ///< `https://host[:port][/path]`, all of one service; none: the clouds are asked directly
  std::string token_file;         ///< its first line is the token, read anew for each request; empty: no token is sent
  std::string ca_file;            ///< PEM: the servers' trust anchors; empty: as for all other servers
  Duration max_age = std::chrono::seconds(30);  ///< nothing is ready by what was seen longer ago
  ServerFallback fallback = ServerFallback::automatic;
};

}  // namespace rollcall
