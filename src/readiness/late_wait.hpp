// Messages for a wait that ends without success. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rollcall/wait.hpp"

namespace rollcall {

/// Why a wait with these options cannot begin; none: it can.
std::optional<Failure> refusal_of(const WaitOptions& options);

/// The answer to a wait for no resolver.
asio::awaitable<Result<ClusterStatus>> refuse_wait();

/// True if no part of the cluster exists, nor is being created.
bool is_absent(const ClusterStatus& status) noexcept;

/// A summary of the progress for the message. `subject` is the beginning of the message.
std::string wait_summary(const WaitProgress& progress, const std::string& subject);

/// How the number of awaited members is spelled, in programs and for the command; `is_least`: the one that is enough.
std::string_view name_of_number(bool is_least) noexcept;

/// The hint at the deadline if more time would not help; else empty.
std::string hint_of_late_wait(const WaitProgress& progress, const WaitOptions& options);

}  // namespace rollcall
