// The environment as the command sees it: secrets are taken out of the process's own, where a program that is started, or any other of the
// same user, could read them in /proc/PID/environ.
#pragma once

#include <memory>

#include "rollcall/environment.hpp"

namespace rollcall::command {

/// Takes ROLLCALL_ACCESS_TOKEN out of the process's environment, wiped where it was. First of all, once.
void take_secrets();
/// A process that needs none has none.
void forget_taken_secrets() noexcept;

/// The process's environment, and what take_secrets() has taken.
std::shared_ptr<const Environment> own_environment();

}  // namespace rollcall::command
