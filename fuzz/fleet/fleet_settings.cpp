// Fuzz target: a service's settings. For any file, each complaint is a line that names the file and a line of it, and accepted options
// have no faults.
#include <algorithm>

#include "base/text.hpp"
#include "check.hpp"
#include "rollcall/fleet_settings.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  if (size > 65536) return 0;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::string file = "/etc/fleet.yaml";
  const Result<FleetServiceOptions> options = read_fleet_settings(file, *fixed_files({{file, text}}));
  if (options) {
    require(!check_fleet_options(*options).has_error());
    require(!options->listen.empty() && options->clients.empty() == options->rights.empty());
    return 0;
  }
  const Failure failure = options.error();
  const std::string& what = failure.what();
  require(failure.code() == Errc::invalid_argument || failure.code() == Errc::limit_exceeded);
  const std::vector<std::string_view> lines = split(what, '\n');
  require(!what.empty() && lines.size() <= 101);
  for (const std::string_view line : lines) {
    require_printable(line);
    require(line.starts_with(file));
  }
  return 0;
}
