// One address, one task: the check of all forms by which programs are started. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "base/ip.hpp"
#include "rollcall/endpoint.hpp"
#include "rollcall/launch.hpp"

namespace rollcall {

/// The addresses of tasks, each of which must have one of its own: two cannot listen at one port of a host.
class TaskAddressBook {
 public:
  /// `hint` says what to do, where that is known. It and the names of jobs must outlive the book.
  explicit TaskAddressBook(std::string_view hint) : hint_(hint) {}
  /// Host names are not case-sensitive. Errors: invalid_argument naming both tasks and the address.
  Result<void> add(std::string_view job, int index, const Endpoint& address);

 private:
  std::string_view hint_;
  std::map<std::pair<HostIdentity, std::uint16_t>, std::pair<std::string_view, int>> tasks_;
};

/// The same for the tasks of a cluster, for the forms that pass it on as it is. Addresses without a port, or of another kind, are not
/// compared.
Result<void> check_addresses_differ(const ClusterSpec& spec, const LaunchFacts& facts);

}  // namespace rollcall
