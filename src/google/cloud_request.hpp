// What the requests to Google's APIs share.
#pragma once

#include <string>

#include "call/api_client.hpp"

namespace rollcall {

/// With the Runtime's token, if one may go there. `what` begins the messages.
ApiRequest cloud_request(Service service, Url url, std::string what, bool is_token_allowed = true);

}  // namespace rollcall
