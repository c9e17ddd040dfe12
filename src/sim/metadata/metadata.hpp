// The metadata server: its answers, and the tree of its values.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rollcall/sim/cloud.hpp"
#include "sim/model/model.hpp"
#include "sim/wire/route.hpp"
#include "sim/wire/state.hpp"

namespace rollcall::sim {

struct MetadataAnswer {
  Reply reply;
  bool has_changed = false;  // the request changed the tree
};

MetadataAnswer answer_metadata(const Context& context, const Request& request, const ParsedTarget& target, SteadyTime now);

/// An answer with the metadata server's headers.
Reply metadata_reply(int status, std::string body, std::string_view content_type = "application/text");

/// The path below /computeMetadata/v1/, or none.
std::optional<std::string_view> metadata_path(const ParsedTarget& target);

/// The requested form of the answer.
struct MetadataForm {
  bool is_recursive = false;
  std::string_view alt;  // "", "json" or "text"
};

struct MetadataContent {
  std::string body;
  bool is_json = false;
  std::string etag;
  MetadataKind kind = MetadataKind::text;  // of a single value
};

/// The content of `path` ("instance/zone", "instance/attributes/") at `now`. A directory's path ends with a slash; the root's is
/// empty. None: 404.
std::optional<MetadataContent> read_metadata(const MetadataTree& tree, std::string_view path, const MetadataForm& form, Duration now);

/// True if `path`, given without a slash, is a directory at `now`.
bool is_metadata_directory(const MetadataTree& tree, std::string_view path, Duration now);

/// The time of the next change by the timeline at or below `path`.
std::optional<Duration> next_metadata_change(const MetadataTree& tree, std::string_view path, Duration now);

}  // namespace rollcall::sim
