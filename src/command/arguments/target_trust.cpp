#include "command/arguments/target_trust.hpp"

#include <fmt/format.h>

#include <string>

#include "base/text.hpp"
#include "rollcall/environment.hpp"
#include "rollcall/target_scheme.hpp"

namespace rollcall::command {
namespace {

constexpr const char* variable = "ROLLCALL_TRUST_TARGETS";

}  // namespace

Result<void> check_trusted(std::string_view target) {
  const std::string trusted = process_environment()->get(variable).value_or("");
  if (trusted.empty() || trusted == "all") return {};
  if (trusted != "command-line")
    return Failure(Errc::invalid_argument, fmt::format("{} is {}, neither all nor command-line", variable, quoted(trusted, 40)));
  const Result<Target> parsed = Target::parse(target);
  const TargetScheme* const scheme = parsed ? find_scheme(parsed->scheme) : nullptr;
  if (!scheme) return {};
  Result<void> fine = check_needs_no_trust(*parsed, *scheme);
  if (fine) return fine;
  Failure failure = fine.error();
  failure.with_what(fmt::format("{}: {} is command-line", failure.what(), variable));
  return std::move(failure).with_hint("write the target on the command line, if its files and servers are meant");
}

}  // namespace rollcall::command
