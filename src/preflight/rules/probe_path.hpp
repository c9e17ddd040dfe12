// The path of what a member asks another one in a preflight: /v1/preflight/RUN/KIND/PLACE/FROM.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace rollcall::preflight {

inline constexpr std::string_view all_preflights = "/v1/preflight/";

class ProbePath {
 public:
  ProbePath() {}
  std::string_view run;
  std::string_view kind;  ///< `small`, `out` (a large request), `in` (a large answer), `both`, `clock`, `flow`, `report`, `done`
  std::size_t to = 0;     ///< the place of the member that is asked
  std::size_t from = 0;
  bool is_large() const noexcept { return kind == "out" || kind == "in" || kind == "both"; }
};

/// `kind`: as above. `place`: of the member that is asked.
std::string probe_path(std::string_view run, std::string_view kind, std::size_t place, std::size_t from);
/// Nothing: it is no such path. The texts are parts of `path`.
std::optional<ProbePath> read_probe_path(std::string_view path);

}  // namespace rollcall::preflight
