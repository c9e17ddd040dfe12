// Google API discovery: expands the document's URL template, and parses the fields that a client needs.
#pragma once

#include <string>
#include <string_view>

#include "json/limits.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

/// Expands `{api}` and `{apiVersion}` in a template such as `https://{api}.googleapis.com/$discovery/rest?version={apiVersion}` (RFC 6570,
/// level 1; other variables are empty). Errors: invalid_argument for unbalanced braces, operators, blanks or control characters, more than
/// 4,096 bytes; naming `source`, the origin of the template.
Result<std::string> expand_discovery_template(std::string_view source, std::string_view address, std::string_view api,
                                              std::string_view api_version);

class DiscoveryDocument {
 public:
  DiscoveryDocument() {}
  std::string root_url;      ///< `https://tpu.googleapis.com/`
  std::string service_path;  ///< mostly empty
  std::string version;       ///< `v1`; empty when absent
  /// root_url and service_path joined with exactly one slash between and one at the end.
  std::string base_url() const;
};

/// Errors: malformed_response: not JSON, no rootUrl, a rootUrl that is no http(s) URL or has a query, a servicePath that is no path.
Result<DiscoveryDocument> parse_discovery(std::string_view json, const ParseLimits& limits = {});

}  // namespace rollcall
