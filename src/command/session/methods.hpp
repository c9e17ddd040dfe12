// The questions that a client can ask, as a table. A further one is a row and a function.
#pragma once

#include <asio/awaitable.hpp>
#include <span>
#include <string>
#include <string_view>

#include "command/session/asking.hpp"
#include "command/session/wire/params.hpp"

namespace rollcall::serve {

/// The result as JSON, on one line.
using Answer = asio::awaitable<Result<std::string>>;

struct MethodRow {
  std::string_view name;
  std::span<const ParamRow<Question>> params;
  Duration default_timeout;
  /// Does what needs no waiting. Errors: invalid_argument: a parameter's. The answer's own errors are the question's.
  Result<Answer> (*begin)(Asking asking, Question& question);
};

std::span<const MethodRow> methods() noexcept;
const MethodRow* find_method(std::string_view name) noexcept;

// One for each row, in a file for each kind.
Result<Answer> begin_resolve(Asking asking, Question& question);
Result<Answer> begin_status(Asking asking, Question& question);
Result<Answer> begin_wait(Asking asking, Question& question);
Result<Answer> begin_watch(Asking asking, Question& question);
Result<Answer> begin_devices(Asking asking, Question& question);
Result<Answer> begin_accelerators(Asking asking, Question& question);
Result<Answer> begin_discover(Asking asking, Question& question);
Result<Answer> begin_whoami(Asking asking, Question& question);
Result<Answer> begin_topology(Asking asking, Question& question);
Result<Answer> begin_doctor(Asking asking, Question& question);
Result<Answer> begin_launch(Asking asking, Question& question);

/// A rendered document without its line end.
inline std::string without_end(std::string line) {
  if (line.ends_with('\n')) line.pop_back();
  return line;
}

}  // namespace rollcall::serve
