// The metadata server.
#pragma once

#include "rollcall/sim/cloud.hpp"
#include "sim/wire/state.hpp"
#include "sim/wire/target.hpp"

namespace rollcall::sim {

struct MetadataAnswer {
  Reply reply;
  bool has_changed = false;  // the request wrote something
};

MetadataAnswer answer_metadata(const Context& context, const Request& request, const ParsedTarget& target, SteadyTime now);

/// An answer with the metadata server's headers.
Reply metadata_reply(int status, std::string body, std::string_view content_type = "application/text");

/// The path below /computeMetadata/v1/, or none.
std::optional<std::string_view> metadata_path(const ParsedTarget& target);

}  // namespace rollcall::sim
