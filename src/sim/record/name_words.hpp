// Which texts of an answer are names of the user's, and which are words of the service.
#pragma once

#include <string_view>

namespace rollcall::sim {

enum class TextRole { name, own_word, text };

/// The text of `member` in an object; `list`: the member whose list the object stands in.
TextRole role_of(std::string_view member, std::string_view list);

/// True for a member that maps keys to texts: labels, annotations.
bool is_text_map(std::string_view member);
/// Labels whose values are not the user's: what machines are and where, and what a controller's own words say.
bool has_own_value(std::string_view key);
/// The part of a label's key before the slash; empty: there is none.
std::string_view domain_of(std::string_view key);
/// True if that domain is not one that many clusters have.
bool has_own_domain(std::string_view key);

/// True if a part of an API's path or URL is a word of that API, or a place.
bool is_own_segment(std::string_view segment);

}  // namespace rollcall::sim
