// The mutable state of a running cloud, including its tokens, and the view of it that a service gets for one request.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/saturating.hpp"
#include "rollcall/sim/cloud.hpp"
#include "sim/model/model.hpp"

namespace rollcall::sim {

struct IssuedToken {
  std::string value;
  Duration expires_at{0};
  bool is_revoked = false;
};

struct FaultUse {
  std::uint64_t matched = 0;
  std::uint64_t used = 0;
};

// A session created by a master.
struct RpcSession {
  std::string address;  // of the master
  Duration running_since{0};
  std::string devices;  // the devices at its creation: ListDevicesResponse
};

struct State {
  MetadataTree metadata;
  std::vector<IssuedToken> tokens;  // the last one is the current token
  std::vector<FaultUse> fault_uses;
  std::map<std::string, std::uint64_t, std::less<>> counts;
  std::uint64_t total = 0;
  std::map<std::string, RpcSession, std::less<>> sessions;                                 // by handle
  std::uint64_t sessions_made = 0;
  std::map<std::pair<std::string, const WorkerMoment*>, std::uint64_t> worker_fault_uses;  // by address and entry of the timeline
  std::vector<bool> replayed;                         // by the number of a recorded exchange
  std::set<std::string, std::less<>> revoked_tokens;  // tokens other than those in `tokens`
};

struct Context {
  const Model& model;
  State& state;
  Duration now;  // since the start
  WallTime started_on{};

  WallTime date() const { return saturating_sum(started_on, now); }
};

/// The token endpoint's JSON: the same token until `renewed_before` its end, with `expires_in` counting down.
std::string token_json(const Context& context);

/// The Authorization header's bearer token; empty if there is none.
std::string_view bearer_of(const Request& request);

enum class TokenVerdict { accepted, missing, refused, expired };
/// Checks the Authorization header (or the `access_token` query value) of a request.
TokenVerdict judge_token(const Context& context, const Request& request, std::string_view query_token);

/// WWW-Authenticate of a 401.
std::string_view bearer_challenge(TokenVerdict verdict);

/// Makes the presented token expired from now on, so that the metadata server makes a new one.
void expire_token(const Context& context, const Request& request);

}  // namespace rollcall::sim
