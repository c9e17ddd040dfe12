// How a service listens: on the addresses of its options, with a certificate from files.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "fleet/settings/option_faults.hpp"
#include "net/server/server_context.hpp"
#include "rollcall/runtime.hpp"

namespace rollcall::fleet {

/// Listens by `listen(ip, port)`; on all addresses of the machine if `address` names none. Returns the port. Errors: as `listen`.
Result<std::uint16_t> listen_at(const ListenAddress& address,
                                const std::function<Result<std::uint16_t>(const std::string& ip, std::uint16_t port)>& listen);

/// As ServerContext::open(); the Runtime's log gets a warning where changed files cannot be used.
Result<std::shared_ptr<ServerContext>> open_server_tls(const Runtime& runtime, TlsFiles files);

}  // namespace rollcall::fleet
