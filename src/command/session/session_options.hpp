// The options that a client sets for its whole session: `options` of `initialize`.
#pragma once

#include <boost/json/value.hpp>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "command/arguments/command_table.hpp"

namespace rollcall::serve {

enum class LogRecords { none, warnings, all };

class SessionOptions {
 public:
  SessionOptions() {}
  command::Arguments arguments;
  std::span<const command::OptionRow> rows;  ///< a session has the same options as the command
  std::optional<std::map<std::string, std::string, std::less<>>> environment;  ///< none: the process's
  LogRecords log = LogRecords::none;
};

/// Options by the names of the command's, with underscores and without the hyphens in front; `environment`; `log`. Errors: invalid_argument
/// naming the option.
Result<void> read_options(const boost::json::value& value, SessionOptions& options);

}  // namespace rollcall::serve
