// Finds the names in recorded answers and paths, and replaces them.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <string_view>

#include "sim/record/pseudonyms.hpp"

namespace rollcall::sim {

void find_names(Pseudonyms& names, const boost::json::value& answer);
/// Of a value of the metadata server, which is a text.
void find_names_in_metadata(Pseudonyms& names, std::string_view path, std::string_view value);
void replace_names(const Pseudonyms& names, boost::json::value& answer);

/// Of a path with its query: what stands behind `namespaces/` and the like, and the values of selectors.
void find_names_in_path(Pseudonyms& names, std::string_view path);
std::string with_names_replaced(const Pseudonyms& names, std::string_view path);

}  // namespace rollcall::sim
