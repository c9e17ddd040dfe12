// Client of the version switcher that a TPU worker runs on port 8475: plain http, no token, only on TPU nodes.
#pragma once

#include <asio/awaitable.hpp>
#include <optional>
#include <string>
#include <vector>

#include "rollcall/call.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall {

/// The version that the worker runs; none if it gives none or has no switcher (404). Errors: the network's, other statuses.
asio::awaitable<Result<std::optional<std::string>>> ask_worker_version(Call& call, std::string host);

/// Sends the version to all workers concurrently. Errors: not_found naming the version; else the first failure, naming its worker.
asio::awaitable<Result<void>> configure_worker_versions(Call& call, const std::vector<Endpoint>& workers, std::string version,
                                                        std::string restart_type);

}  // namespace rollcall
