// Parsers for Compute Engine instances: one (instances.get), or a page of instances.list, chunk by chunk.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "resolvers/gce/wire/list_warning.hpp"

namespace rollcall {

/// Accelerators of one type that are attached to an instance.
class GuestAccelerators {
 public:
  GuestAccelerators() {}
  std::string type;  ///< the last segment of the type's URL: `nvidia-h100-80gb`
  int count = 0;     ///< not negative
  friend bool operator==(const GuestAccelerators&, const GuestAccelerators&) = default;
};

/// Absent texts are empty.
class Instance {
 public:
  class Interface {
   public:
    Interface() {}
    std::string name;      ///< nic0
    std::string ip;        ///< networkIP
    std::string ipv6;      ///< ipv6Address, else external_ipv6
    std::string external_ipv6;  ///< the first ipv6AccessConfigs' externalIpv6
    friend bool operator==(const Interface&, const Interface&) = default;
  };
  Instance() {}
  std::string name;
  std::string zone;    ///< the last segment of the zone's URL
  std::string status;  ///< RUNNING, …; unknown ones too
  std::vector<Interface> interfaces;
  std::string machine_type;  ///< the last segment of the type's URL: `a3-highgpu-8g`
  std::vector<GuestAccelerators> guests;
  // The machine's physical location, as ids (resourceStatus.physicalHostTopology); empty: not given.
  std::string cluster;
  std::string block;
  std::string subblock;
  std::string physical_host;
  friend bool operator==(const Instance&, const Instance&) = default;
};

/// Errors: malformed_response naming the field (wrong type, an address with blanks, not JSON, HTML, cut short); limit_exceeded. `kept`, of
/// the limits' account, takes over the instance's memory charge; null: the charge is released.
Result<Instance> parse_instance(std::string_view json, const ParseLimits& limits = {}, MemoryShare* kept = nullptr);

class InstancePage {
 public:
  InstancePage() {}
  std::vector<Instance> instances;
  std::string next_page_token;  ///< empty: the last page
  ListWarning warning;
  friend bool operator==(const InstancePage&, const InstancePage&) = default;
};

extern const JsonForm<InstancePage> instance_list_form;
using InstanceListParser = PageParser<InstancePage, instance_list_form>;

/// A page that is already in memory.
Result<InstancePage> parse_instance_list(std::string_view json, const ParseLimits& limits = {});

}  // namespace rollcall
