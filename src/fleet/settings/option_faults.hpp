// The faults of a service's options, from a file or from a program.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/fleet_settings.hpp"

namespace rollcall::fleet {

/// An address to listen on.
class ListenAddress {
 public:
  ListenAddress() {}
  std::string host;  ///< an IP address without brackets; empty: all of this machine's
  std::uint16_t port = 0;
  bool is_loopback = false;
  /// `127.0.0.1:7070`, `[::1]:7070`, `:7070`. Errors: invalid_argument.
  static Result<ListenAddress> parse(std::string_view text);
  /// True if a service cannot listen on both.
  bool overlaps(const ListenAddress& other) const;
};

class OptionFault {
 public:
  OptionFault(std::string at_path, std::string what_is, Errc of_kind = Errc::invalid_argument)
      : path(std::move(at_path)), what(std::move(what_is)), code(of_kind) {}
  std::string path;  ///< as in the file: `clients[0].google.audience`
  std::string what;
  Errc code;
};

/// All faults: options that are missing, have an unknown name, or contradict other options. No I/O.
std::vector<OptionFault> option_faults(const FleetServiceOptions& options);

}  // namespace rollcall::fleet
