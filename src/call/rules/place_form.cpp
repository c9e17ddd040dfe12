#include "call/rules/place_form.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.hpp"

namespace rollcall {
namespace {

bool is_place_text(std::string_view text) noexcept {
  constexpr std::size_t max = 63;
  return text.size() <= max && std::all_of(text.begin(), text.end(), [](char c) { return is_lower(c) || is_digit(c) || c == '-'; });
}

// The length of the region at the begin of the place; 0: none.
std::size_t region_size(std::string_view place) noexcept {
  if (!is_place_text(place) || place.empty() || !is_lower(place.front())) return 0;
  constexpr std::string_view digits = "0123456789";
  const std::size_t digit = place.find_first_of(digits);
  if (digit == std::string_view::npos || !is_lower(place[digit - 1]) || place.substr(0, digit).find('-') == std::string_view::npos)
    return 0;
  const std::size_t end = std::min(place.find_first_not_of(digits, digit), place.size());
  return end == place.size() || place[end] == '-' ? end : 0;
}

std::string region_fault(std::string_view region) {
  if (!has_form_of_zone(region)) return {};
  return fmt::format("{} is a zone, not a region: the region is {}", region, region.substr(0, region_size(region)));
}

}  // namespace

bool has_form_of_region(std::string_view place) noexcept { return region_size(place) > 0 && region_size(place) == place.size(); }

bool has_form_of_zone(std::string_view place) noexcept {
  const std::size_t size = region_size(place);
  return size > 0 && size + 1 < place.size();
}

std::string zone_fault(std::string_view zone) {
  if (!has_form_of_region(zone)) return {};
  return fmt::format(
      "{0} is a region, not a zone: give one of its zones, such as {0}-a; gcloud compute zones list --filter=region:{0} shows them", zone);
}

std::string place_fault_in(std::string_view path) {
  const std::vector<std::string_view> parts = split(path.substr(0, path.find('?')), '/');
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    std::string fault;
    if (parts[i] == "zones" || parts[i] == "locations") fault = zone_fault(parts[i + 1]);
    if (parts[i] == "regions") fault = region_fault(parts[i + 1]);
    if (!fault.empty()) return fault;
  }
  return {};
}

}  // namespace rollcall
