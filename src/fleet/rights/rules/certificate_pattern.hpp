// Patterns of the names in a client's certificate. Pure.
#pragma once

#include <string_view>

namespace rollcall::fleet {

/// True if the pattern matches `name`, a subject alternative name. A name with a scheme (`spiffe://…`) is a URI, a name with `@` an
/// e-mail address, any other a DNS name, and a pattern matches names of its own kind only. `*` matches any text within one label of a DNS
/// name, of an address's domain or of a URI's host, within one segment of a URI's path, and all the rest at the end of the path. The
/// pattern
/// `*` matches every name of every kind.
bool matches_certificate_name(std::string_view pattern, std::string_view name);

}  // namespace rollcall::fleet
