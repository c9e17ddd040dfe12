#include "google/cloud_request.hpp"

namespace rollcall {

ApiRequest cloud_request(Service service, Url url, std::string what, bool is_token_allowed) {
  ApiRequest request{HttpRequest(std::move(url))};
  request.service = service;
  request.with_token = true;
  request.is_token_allowed = is_token_allowed;
  request.what = std::move(what);
  return request;
}

}  // namespace rollcall
