// A request as the fake servers see it, parsed for matching.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/case.hpp"
#include "net/server/http_server.hpp"
#include "rollcall/http_message.hpp"

namespace rollcall::conformance {

class SeenRequest {
 public:
  SeenRequest() {}
  static SeenRequest from(const ServerRequest& request);
  /// The request that a client is about to send, without the headers that the transport adds.
  static SeenRequest from(const HttpRequest& request);

  std::string method;
  std::string scheme;
  std::string host;  ///< lower case; with the port when it is not the scheme's
  std::string path;  ///< percent-decoded
  std::vector<std::pair<std::string, std::string>> query;  ///< decoded
  HeaderList headers;
  std::string body;
  bool is_on_wire = true;  ///< false: the connection was made to fail, so no server saw it

  std::string to_text() const;  ///< `GET https://host/path?query`, safe to print
  bool matches(const HttpMatch& match) const;

 private:
  void set_target(std::string_view target);
};

/// The first expected header that the request lacks, as text; none when it has all.
std::optional<std::string> missing_header(const SeenRequest& request, const std::vector<std::pair<std::string, json::value>>& headers);

}  // namespace rollcall::conformance
