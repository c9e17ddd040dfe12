// Regions and zones by their form: us-central1 is a region, us-central1-a one of its zones. The services say of the wrong one only that
// nothing is there.
#pragma once

#include <string>
#include <string_view>

namespace rollcall {

/// Words with hyphens in between, of which only the last ends with a digit.
bool has_form_of_region(std::string_view place) noexcept;
/// What has a region's form, a hyphen, and more letters and digits.
bool has_form_of_zone(std::string_view place) noexcept;

/// What is wrong with a zone that has the form of a region: "us-central1 is a region, not a zone …"; empty: nothing.
std::string zone_fault(std::string_view zone);

/// The same of the places in the path of a request, `…/zones/Z/…`, `…/locations/Z/…` or `…/regions/R/…`.
std::string place_fault_in(std::string_view path);

}  // namespace rollcall
