// The metadata server's tree: look-ups, listings, recursive answers, entity tags.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/model/model.hpp"

namespace rollcall::sim {

/// How the answer is asked for.
struct MetadataForm {
  bool is_recursive = false;
  std::string_view alt;  // "", "json" or "text"
};

struct MetadataContent {
  std::string body;
  bool is_json = false;
  std::string etag;
  MetadataKind kind = MetadataKind::text;  // of a leaf
};

/// What `path` ("instance/zone", "instance/attributes/") holds at `now`; a directory's path ends with a slash, the root's is
/// empty. None: 404.
std::optional<MetadataContent> read_metadata(const MetadataTree& tree, std::string_view path, const MetadataForm& form, Duration now);

/// Whether `path`, given without a slash, is a directory at `now`.
bool is_metadata_directory(const MetadataTree& tree, std::string_view path, Duration now);

/// When something at or below `path` changes next by its timeline.
std::optional<Duration> next_metadata_change(const MetadataTree& tree, std::string_view path, Duration now);

}  // namespace rollcall::sim
