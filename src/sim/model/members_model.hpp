// Members of a preflight that a simulation file describes, with their faults.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/endpoint.hpp"
#include "rollcall/time.hpp"

namespace rollcall::sim {

enum class MemberFault {
  none,
  not_started,    // its host refuses connections
  down,           // its host does not answer
  hung,           // its port takes connections, and nothing answers
  firewall,       // its port does not answer; it reaches the others
  large_packets,  // packets above 1400 bytes are lost, to it and from it
  port_taken,     // another program listens at its port
  other_list,     // it was started with a list of one member more
  other_secret,   // it has a secret that the others do not have
};
inline constexpr std::array<std::string_view, 9> member_fault_words = {
    "none", "not_started", "down", "hung", "firewall", "large_packets", "port_taken", "other_list", "other_secret"};

struct MemberModel {
  Endpoint address;
  bool is_simulated = true;  // false: a process of the user's is this one
  MemberFault fault = MemberFault::none;
  Duration starts_after{0};
  Duration clock_ahead{0};
  Duration clock_behind{0};
  Duration delay{0};  // of all that it answers
  std::map<std::string, std::string, std::less<>> facts;
};

struct MembersModel {
  std::string job = "worker";
  std::string run;          // --job-id of the user's processes
  std::string secret_file;  // --secret-file of these
  std::vector<MemberModel> members;

  std::string name_of(std::size_t place) const { return job + ":" + std::to_string(place); }
};

}  // namespace rollcall::sim
