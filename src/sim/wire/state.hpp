// What changes while a cloud runs, and the view that a service gets of it during one request.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

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

// A session that a master handed out.
struct RpcSession {
  std::string address;  // of the master
  Duration running_since{0};
  std::string devices;  // as they were when it was made: ListDevicesResponse
};

struct State {
  MetadataTree metadata;
  std::vector<IssuedToken> tokens;  // the last one is handed out
  std::vector<FaultUse> fault_uses;
  std::map<std::string, std::uint64_t, std::less<>> counts;
  std::uint64_t total = 0;
  std::map<std::string, RpcSession, std::less<>> sessions;                                 // by handle
  std::uint64_t sessions_made = 0;
  std::map<std::pair<std::string, const WorkerMoment*>, std::uint64_t> worker_fault_uses;  // by address and entry of the timeline
  std::set<std::string, std::less<>> revoked_kube_tokens;
};

struct Context {
  const Model& model;
  State& state;
  Duration now;  // since the start
};

}  // namespace rollcall::sim
