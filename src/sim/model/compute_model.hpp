// The section `compute` of a simulation file as values: instances and their groups.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "rollcall/time.hpp"

namespace rollcall::sim {

struct ComputeInterface {
  std::string ip;
  std::string ipv6;
  std::string external_ip;
  std::string network = "default";
};

/// The state of an instance from a time on.
struct ComputeMoment {
  Duration at{0};
  std::string status = "RUNNING";  // "DELETED": the instance does not exist
  boost::json::object raw;         // merged into the instance's JSON without checks; null removes a field
};

struct ComputeInstance {
  std::string zone;
  std::string name;
  std::string machine_type = "n2-standard-8";
  std::vector<std::pair<std::string, int>> guest_accelerators;  // type and number
  boost::json::object labels;
  std::vector<ComputeInterface> interfaces;  // nic0, nic1, …
  std::uint64_t number = 0;                  // position in the file, from which its id is made
  std::vector<ComputeMoment> timeline;       // ascending

  std::string full_name() const { return "zones/" + zone + "/instances/" + name; }
};

struct ComputeGroup {
  std::string name;
  std::string zone;                    // empty: regional
  std::string region;
  std::vector<std::string> instances;  // names or patterns with `*`
  std::vector<std::pair<std::string, int>> named_ports;
  boost::json::object warning;

  std::string place() const { return zone.empty() ? "regions/" + region : "zones/" + zone; }
};

struct ComputeModel {
  std::vector<ComputeInstance> instances;  // sorted by full name
  std::vector<ComputeGroup> groups;
  int max_page_size = 500;
};

}  // namespace rollcall::sim
