// The environment for the command. Secrets are taken out of the process's own environment, where a started program, or any other of the
// same user, could read them in /proc/PID/environ.
#pragma once

#include <memory>

#include "rollcall/environment.hpp"

namespace rollcall::command {

/// Takes ROLLCALL_ACCESS_TOKEN out of the process's environment and wipes it there. Call it first in main(), once.
void take_secrets();
/// A process that needs no secrets has none.
void forget_taken_secrets() noexcept;

/// The process's environment together with the secrets of take_secrets().
std::shared_ptr<const Environment> own_environment();

}  // namespace rollcall::command
