// Names of universes, projects, zones and resources, as far as they go into URLs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rollcall {

/// What may stand in a URL's path for a project, zone, node or instance. The services themselves are stricter.
bool is_resource_id(std::string_view text) noexcept;

/// The universe of credentials that name none.
inline constexpr std::string_view google_universe = "googleapis.com";
/// What can be a universe, and stand behind a service's name: "googleapis.com".
bool is_universe_domain(std::string_view text) noexcept;

/// What follows the last slash; the whole text if there is none.
std::string_view last_segment(std::string_view name) noexcept;

/// The parts of a full name, `projects/PROJECT/locations/LOCATION/COLLECTION/ID`; as they stand there, unchecked.
class ResourceName {
 public:
  /// None if the text has another form.
  static std::optional<ResourceName> parse(std::string_view text, std::string_view collection);

  std::string project;
  std::string location;
  std::string id;

 private:
  ResourceName() {}
};

}  // namespace rollcall
