// Patterns of the names that a client's certificate has. Pure.
#pragma once

#include <string_view>

namespace rollcall::fleet {

/// True if `name`, a subject alternative name, is one that `pattern` means. A name with a scheme (`spiffe://…`) is a URI, one with `@` an
/// e-mail address, any other a DNS name, and a pattern means names of its own kind only. `*` is any text within one label of a DNS name, of
/// an address's domain or of a URI's host, within one segment of a URI's path, and all the rest where it ends the path. The pattern `*`
/// means every name of every kind.
bool matches_certificate_name(std::string_view pattern, std::string_view name);

}  // namespace rollcall::fleet
