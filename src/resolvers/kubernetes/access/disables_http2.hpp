// The variable that turns HTTP/2 off for requests to Kubernetes API servers [facts: client-go-http2].
#pragma once

#include "rollcall/environment.hpp"

namespace rollcall {

inline bool disables_http2(const Environment& environment) { return !environment.get("DISABLE_HTTP2").value_or("").empty(); }

}  // namespace rollcall
