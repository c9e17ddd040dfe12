// Recognises regions and zones by their form: us-central1 is a region, us-central1-a one of its zones. For a region in place of a zone, the
// services only report that nothing was found.
#pragma once

#include <string>
#include <string_view>

namespace rollcall {

/// Words separated by hyphens, of which only the last ends with a digit.
bool has_form_of_region(std::string_view place) noexcept;
/// The form of a region, a hyphen, and more letters and digits.
bool has_form_of_zone(std::string_view place) noexcept;

/// The fault of a zone that has the form of a region: "us-central1 is a region, not a zone …"; empty: none.
std::string zone_fault(std::string_view zone);

/// The same for the places in the path of a request, `…/zones/Z/…`, `…/locations/Z/…` or `…/regions/R/…`.
std::string place_fault_in(std::string_view path);

}  // namespace rollcall
