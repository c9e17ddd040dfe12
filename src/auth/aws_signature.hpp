// Signature Version 4. Source: docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html.
#pragma once

#include <string>
#include <string_view>

#include "auth/wire/aws_keys.hpp"
#include "rollcall/http_message.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

/// Signs `request` in its current form: its method, path, query, all of its headers and its body. Sets X-Amz-Date, X-Amz-Security-Token and
/// Authorization, replacing earlier values.
void sign_aws_request(HttpRequest& request, const AwsKeys& keys, std::string_view region, std::string_view service, WallTime now);

}  // namespace rollcall
