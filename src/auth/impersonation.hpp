// Tokens of a service account that another identity may act as.
#pragma once

#include <asio/awaitable.hpp>
#include <memory>
#include <string>
#include <vector>

#include "rollcall/call.hpp"
#include "rollcall/credentials.hpp"

namespace rollcall {

/// Asks IAM credentials (generateAccessToken) for one. `source`: who asks. May suspend; cancellable. Errors: the request's,
/// permission_denied where the source may not act as the account.
asio::awaitable<Result<AccessToken>> impersonate(Call& call, Url url, std::shared_ptr<Credentials> source,
                                                 std::vector<std::string> delegates, Duration lifetime);

}  // namespace rollcall
