// Servers from environment variables.
#include <fmt/format.h>

#include "base/duration.hpp"
#include "base/path_text.hpp"
#include "base/text.hpp"
#include "fleet/client/remote_servers.hpp"

namespace rollcall {
namespace {

Failure of_variable(std::string_view variable, const Failure& failure) {
  return Failure(Errc::invalid_argument, fmt::format("{}: {}", variable, failure.what())).with_hint(failure.hint());
}

}  // namespace

Result<ServerOptions> server_options_of(const Environment& environment) {
  const auto value = [&environment](std::string_view name) { return std::string(trim(environment.get(name).value_or(""))); };
  ServerOptions options;
  const std::string servers = value("ROLLCALL_SERVER");
  if (servers.empty()) return options;  // the usual case: the other variables are not read
  for (const auto& [name, path] :
       {std::pair("ROLLCALL_SERVER_TOKEN_FILE", &options.token_file), std::pair("ROLLCALL_SERVER_CA", &options.ca_file)}) {
    *path = value(name);
    if (const Result<void> fine = check_path(name, *path); !fine) return fine.error();
  }
  if (const std::string age = value("ROLLCALL_MAX_AGE"); !age.empty()) {
    const Result<Duration> read = parse_duration(age);
    if (!read) return of_variable("ROLLCALL_MAX_AGE", read.error());
    options.max_age = *read;
  }
  if (const std::string word = value("ROLLCALL_SERVER_FALLBACK"); !word.empty()) {
    if (word != "auto" && word != "never" && word != "now") {
      return Failure(Errc::invalid_argument, fmt::format("ROLLCALL_SERVER_FALLBACK: {} is none of auto, never, now", quoted(word, 64)))
          .with_hint("auto asks the cloud directly late and rarely while no server answers, now at once, never not at all");
    }
    options.fallback = word == "never" ? ServerFallback::never : word == "now" ? ServerFallback::now : ServerFallback::automatic;
  }
  for (const std::string_view part : split(servers, ',')) {
    const std::string_view url = trim(part);
    const Result<Url> root = parse_server_root(url);
    if (!root) return of_variable("ROLLCALL_SERVER", root.error());
    options.urls.emplace_back(url);
  }
  return options;
}

}  // namespace rollcall
