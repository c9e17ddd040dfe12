// Requests with their own limit of the answer's size.
#pragma once

#include <cstddef>

#include "call/api_client.hpp"

namespace rollcall {

/// As api_send(), with at most `max_bytes` of body instead of Limits::max_body_bytes.
asio::awaitable<Result<HttpResponse>> api_send_large(Call& call, ApiRequest& request, std::size_t max_bytes);

}  // namespace rollcall
