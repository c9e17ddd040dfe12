// tensorflow.ClusterDef on the wire and as the JSON of the vector format. Written by hand, so that the library is not checked by its own
// code.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>

namespace rollcall::conformance {

namespace json = boost::json;

/// `{"job": [{"name", "tasks": {"0": …}}]}`, jobs in the message's order. Throws std::runtime_error for bytes that are not a ClusterDef.
json::value decode_cluster_def(std::string_view bytes);

/// Throws FormatError.
std::string encode_cluster_def(const json::value& definition);

}  // namespace rollcall::conformance
