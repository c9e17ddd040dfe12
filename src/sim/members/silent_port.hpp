// A port as behind a firewall: nothing answers, not even to refuse.
#pragma once

#include <memory>

#include "rollcall/endpoint.hpp"
#include "rollcall/error.hpp"

namespace rollcall::sim {

/// Until the returned object is destroyed. `at` is an address of this machine.
Result<std::shared_ptr<void>> open_silent_port(const Endpoint& at);

}  // namespace rollcall::sim
