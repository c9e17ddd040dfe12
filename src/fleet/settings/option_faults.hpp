// What is wrong with a service's options, wherever they come from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/fleet_settings.hpp"
#include "store/etcd_store.hpp"

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
  /// Both cannot be listened on.
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

store::EtcdStoreOptions etcd_options(const FleetStore& store);

/// All of them: what is missing, no name, or does not fit the rest. Asks nobody and opens nothing.
std::vector<OptionFault> option_faults(const FleetServiceOptions& options);

}  // namespace rollcall::fleet
