// What the requests to Google's APIs share.
#pragma once

#include <string>
#include <utility>

#include "call/api_client.hpp"

namespace rollcall {

/// With the Runtime's token, if one may go there. `what` begins the messages.
inline ApiRequest cloud_request(Service service, Url url, std::string what, bool is_token_allowed = true) {
  ApiRequest request{HttpRequest(std::move(url))};
  request.service = service;
  request.with_token = true;
  request.is_token_allowed = is_token_allowed;
  request.what = std::move(what);
  return request;
}

}  // namespace rollcall
