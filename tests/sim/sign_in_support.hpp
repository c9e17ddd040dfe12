// Requests to the token endpoints of a simulated cloud.
#pragma once

#include "sim/support.hpp"

namespace rollcall::sim {

inline Request oauth_request(std::string form, std::string target = "/token", std::string host = "oauth2.googleapis.com") {
  Request request = https_request(std::move(host), std::move(target), "");
  request.method = "POST";
  request.headers.add("Content-Type", "application/x-www-form-urlencoded");
  request.body = std::move(form);
  return request;
}

inline Reply ask_oauth(Cloud& cloud, std::string form, double at = 0, std::string target = "/token",
                       std::string host = "oauth2.googleapis.com") {
  return cloud.handle(oauth_request(std::move(form), std::move(target), std::move(host)), second(at));
}

inline std::string token_in(const Reply& reply) {
  const boost::json::value answer = json_of(reply);
  const auto* const token = answer.as_object().if_contains("access_token");
  if (!token) FAIL("no token: " << reply.body);
  return std::string(token->as_string());
}

inline Request json_question(std::string host, std::string target, std::string body, const std::string& token) {
  Request request = https_request(std::move(host), std::move(target), token);
  request.method = "POST";
  request.headers.add("Content-Type", "application/json");
  request.body = std::move(body);
  return request;
}

}  // namespace rollcall::sim
