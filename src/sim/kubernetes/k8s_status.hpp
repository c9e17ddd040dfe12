// Answers as the API server writes them: headers, Status objects, chunks.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/sim/cloud.hpp"

namespace rollcall::sim {

struct KubeCause {
  std::string reason;
  std::string message;
  std::string field;
};

/// A Status of kind Failure. `details` is left out when it has no value at all.
boost::json::object kube_status(int code, std::string_view reason, std::string_view message,
                                std::optional<boost::json::object> details = std::nullopt);

/// name, group, kind, causes, retryAfterSeconds, in this order; empty ones are left out.
boost::json::object kube_details(std::string_view name, std::string_view kind, const std::vector<KubeCause>& causes = {},
                                 std::string_view group = {}, int retry_after_seconds = 0);

/// The Status as a reply; `Retry-After` when its details say so.
Reply kube_error(const boost::json::object& status);
Reply kube_bad_request(std::string_view message);
/// 422 for list options: each cause is `field: message` in the text.
Reply kube_invalid_options(const std::vector<KubeCause>& causes);
/// 404 `pods "x" not found`.
Reply kube_not_found(std::string_view kind, std::string_view name);
/// 404 for a resource that does not exist; 405.
Reply kube_no_resource();
Reply kube_no_method();
Reply kube_text(int status, std::string_view text);
/// 504: the version has not been reached.
boost::json::object kube_too_large_version(std::uint64_t wanted, std::uint64_t current);

/// JSON as Go prints it: `<`, `>` and `&` escaped.
std::string kube_json_text(const boost::json::value& value);

/// Chunk sizes of a body that is written in these pieces through a buffer of 2,048 bytes. Empty: it fits, and goes out with its length.
std::vector<std::size_t> kube_chunks(const std::vector<std::size_t>& writes);

}  // namespace rollcall::sim
