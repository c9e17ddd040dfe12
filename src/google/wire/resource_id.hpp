// Names of universes, projects, zones and resources that become parts of URLs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rollcall {

/// The form of a project, zone, node or instance in a URL's path. The services themselves are stricter.
bool is_resource_id(std::string_view text) noexcept;

/// The universe of credentials that name none.
inline constexpr std::string_view google_universe = "googleapis.com";
/// The form of a universe, the domain after a service's name: "googleapis.com".
bool is_universe_domain(std::string_view text) noexcept;

/// The text after the last slash; the whole text if there is none.
std::string_view last_segment(std::string_view name) noexcept;

/// The parts of a full name, `projects/PROJECT/locations/LOCATION/COLLECTION/ID`, unchecked.
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
