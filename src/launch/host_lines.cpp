// Lists of hosts without ports, in the formats of launchers and host discovery scripts.
#include <fmt/format.h>

#include "launch/slots.hpp"

namespace rollcall {
namespace {

Result<std::string> horovod_lines(const std::vector<RankedHost>& hosts) {
  std::string lines;
  for (const RankedHost& host : hosts) {
    if (host.name.find(':') != std::string::npos) {
      return Failure(Errc::invalid_argument,
                     fmt::format("Horovod's format cannot hold the host {}: the text after a colon is the number of slots", host.name))
          .with_hint("give the hosts names or IPv4 addresses");
    }
    lines += fmt::format("{}:{}\n", host.name, host.slots);
  }
  return lines;
}

Result<std::string> deepspeed_lines(const std::vector<RankedHost>& hosts) {
  std::string lines;
  for (const RankedHost& host : hosts) lines += fmt::format("{} slots={}\n", host.name, host.slots);
  return lines;
}

Result<std::string> name_lines(const std::vector<RankedHost>& hosts) {
  std::string lines;
  for (const RankedHost& host : hosts) lines += host.name + "\n";
  return lines;
}

// In the order of HostsForm.
constexpr Result<std::string> (*host_writers[])(const std::vector<RankedHost>& hosts) = {horovod_lines, deepspeed_lines, mpi_host_lines,
                                                                                         mpich_host_lines, name_lines};
static_assert(std::size(host_writers) == std::size(hosts_form_names));

}  // namespace

Result<std::string> render_hosts(HostsForm form, const LaunchFacts& facts) {
  const Result<std::vector<Rank>> tasks = tasks_of(facts);
  if (!tasks) return tasks.error();
  const Result<void> checked = form == HostsForm::lines ? Result<void>() : check_slots(*tasks, facts);
  if (!checked) return checked.error();
  return host_writers[static_cast<std::size_t>(form)](hosts_of(*tasks, facts));
}

}  // namespace rollcall
