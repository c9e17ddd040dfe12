// Whom a token speaks of. The tokens that the simulated sign-in gives out say it themselves, so that none has to be remembered; a service
// account may also have signed one itself.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/wire/state.hpp"

namespace rollcall::sim {

/// No question to a service that signs somebody in, or says what they may do, is longer.
inline constexpr std::size_t max_sign_in_question = 64 * 1024;

struct SignedIn {
  std::string name;
  bool is_expired = false;
};

/// Another one for each request.
std::string make_access_token(const Context& context, std::string_view name, Duration lifetime);

/// The claims of a JSON Web Token; none: `token` is none. Its signature is not looked at: the file has no keys.
std::optional<json::object> jwt_claims(std::string_view token);
/// Whether a token with these claims holds now: an hour at most, from not later than in five minutes' time.
bool is_jwt_current(const Context& context, const json::object& claims);

/// Whose token of the simulated sign-in this is, or of a service account that the file names; none: it is another kind of token.
std::optional<SignedIn> read_access_token(const Context& context, std::string_view token);

/// The entry of a list with that name; null where the list has none, or is not given.
const SignInIdentity* find_identity(const std::optional<std::vector<SignInIdentity>>& list, std::string_view name);

/// Whether the file takes a permission away from whoever makes the request.
bool lacks_permission(const Context& context, const Request& request, std::string_view permission);

}  // namespace rollcall::sim
