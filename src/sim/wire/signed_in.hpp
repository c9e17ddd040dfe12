// The identity of a token. Tokens of the simulated sign-in contain it, so that no state is needed. A service
// account may also have signed a token itself.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/wire/state.hpp"

namespace rollcall::sim {

/// The maximum size of a request for signing in or for permissions.
inline constexpr std::size_t max_sign_in_question = 64 * 1024;

struct SignedIn {
  std::string name;
  bool is_expired = false;
};

/// A different token for each request.
std::string make_access_token(const Context& context, std::string_view name, Duration lifetime);

/// The claims of a JSON Web Token; none if `token` is not one. The signature is not checked, since the file has no keys.
std::optional<json::object> jwt_claims(std::string_view token);
/// True if a token with these claims is valid now: for at most an hour, from at most five minutes in the future on.
bool is_jwt_current(const Context& context, const json::object& claims);

/// The identity of a token of the simulated sign-in, or of one signed by a service account of the file; none for another kind of token.
std::optional<SignedIn> read_access_token(const Context& context, std::string_view token);

/// The entry of a list with that name; null if there is none, or no list.
const SignInIdentity* find_identity(const std::optional<std::vector<SignInIdentity>>& list, std::string_view name);

/// True if the file removes the permission from the request's caller.
bool lacks_permission(const Context& context, const Request& request, std::string_view permission);

}  // namespace rollcall::sim
