// The methods that a client can call, as a table. A new method is a row and a function.
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
  /// Prepares a question without waiting. Errors: invalid_argument: a parameter is wrong. Errors of the answer come from the question.
  Result<Answer> (*begin)(Asking asking, Question& question);
};

std::span<const MethodRow> methods() noexcept;
const MethodRow* find_method(std::string_view name) noexcept;

// One function for each row; each kind of method has its own file.
Result<Answer> begin_resolve(Asking asking, Question& question);
Result<Answer> begin_status(Asking asking, Question& question);
Result<Answer> begin_why(Asking asking, Question& question);
Result<Answer> begin_wait(Asking asking, Question& question);
Result<Answer> begin_watch(Asking asking, Question& question);
Result<Answer> begin_devices(Asking asking, Question& question);
Result<Answer> begin_accelerators(Asking asking, Question& question);
Result<Answer> begin_discover(Asking asking, Question& question);
Result<Answer> begin_whoami(Asking asking, Question& question);
Result<Answer> begin_topology(Asking asking, Question& question);
Result<Answer> begin_doctor(Asking asking, Question& question);
Result<Answer> begin_launch(Asking asking, Question& question);
Result<Answer> begin_barrier(Asking asking, Question& question);
Result<Answer> begin_preflight(Asking asking, Question& question);

/// A rendered document without its line end.
inline std::string without_end(std::string line) {
  if (line.ends_with('\n')) line.pop_back();
  return line;
}

}  // namespace rollcall::serve
