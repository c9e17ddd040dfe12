// Slurm's tokens: JSON Web Tokens, as `scontrol token` prints them. Messages never quote them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rollcall/error.hpp"
#include "rollcall/secret.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

class SlurmToken {
 public:
  SlurmToken() {}
  Secret<std::string> value;
  std::string user;             ///< the claim `sun`, else `username`; empty: the token has neither
  std::optional<WallTime> end;  ///< the claim `exp`
};

/// The token in `SLURM_JWT=eyJ…` or `eyJ…`, with blanks around it; other lines before it are skipped. `source` names the text: "the token
/// file /run/jwt". Its signature is not checked. Errors: unauthenticated (no token).
Result<SlurmToken> parse_slurm_token(std::string_view source, std::string_view text);

}  // namespace rollcall
