// Lists of hosts without ports, as launchers and host discovery scripts have them.
#include <fmt/format.h>

#include "launch/ranks.hpp"

namespace rollcall {
namespace {

std::string host_with_colon(const RankedHost& host) { return fmt::format("{}:{}\n", host.name, host.slots); }
std::string host_with_slots(const RankedHost& host) { return fmt::format("{} slots={}\n", host.name, host.slots); }
std::string host_alone(const RankedHost& host) { return host.name + "\n"; }

class HostLineRow {
 public:
  HostsForm form;
  std::string (*line)(const RankedHost& host);
  std::string_view reader;
  bool takes_ipv6 = true;
};

constexpr HostLineRow host_line_rows[] = {
    {HostsForm::horovod, host_with_colon, "Horovod", false},
    {HostsForm::deepspeed, host_with_slots, "DeepSpeed"},
    {HostsForm::mpi, host_with_slots, "Open MPI"},
    {HostsForm::mpich, host_with_colon, "MPICH", false},
    {HostsForm::lines, host_alone, "the reader"},
};
static_assert(std::size(host_line_rows) == std::size(hosts_form_names));

}  // namespace

Result<std::string> render_hosts(HostsForm form, const LaunchFacts& facts) {
  const HostLineRow& row = host_line_rows[static_cast<std::size_t>(form)];
  const Result<std::vector<Rank>> tasks = tasks_of(facts);
  if (!tasks) return tasks.error();
  std::string lines;
  for (const RankedHost& host : hosts_of(*tasks, facts)) {
    if (!row.takes_ipv6 && host.name.find(':') != std::string::npos) {
      return Failure(Errc::invalid_argument,
                     fmt::format("{} cannot be told of the host {}: it takes what follows a colon for the slots", row.reader, host.name))
          .with_hint("give the hosts names or IPv4 addresses");
    }
    lines += row.line(host);
  }
  return lines;
}

}  // namespace rollcall
