// `rollcall exec`: waits until a cluster is ready, then starts a program in it.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <unistd.h>

#include <functional>

#include "command/arguments/command_table.hpp"
#include "command/process/program.hpp"
#include "command/process/supervisor.hpp"
#include "command/run/followed_cluster.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"
#include "render/job_environment.hpp"
#include "rollcall/auto_resolver.hpp"
#include "rollcall/slurm_resolver.hpp"
#include "rollcall/target.hpp"
#include "rollcall/watch.hpp"

namespace rollcall::tools {
namespace {

// The addresses of this machine's interfaces, loopback left out, and its host name. Empty when they cannot be read.
std::vector<std::string> own_addresses() {
  std::vector<std::string> found;
  char name[256] = {};
  if (::gethostname(name, sizeof name - 1) == 0 && name[0] != '\0') found.emplace_back(name);
  ifaddrs* interfaces = nullptr;
  if (::getifaddrs(&interfaces) != 0) return found;
  for (const ifaddrs* one = interfaces; one; one = one->ifa_next) {
    if (!one->ifa_addr || (one->ifa_flags & IFF_LOOPBACK) != 0) continue;
    const int family = one->ifa_addr->sa_family;
    const void* address = nullptr;
    if (family == AF_INET) address = &reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr;
    if (family == AF_INET6) address = &reinterpret_cast<const sockaddr_in6*>(one->ifa_addr)->sin6_addr;
    char text[INET6_ADDRSTRLEN];
    if (address && ::inet_ntop(family, address, text, sizeof text)) found.emplace_back(text);
  }
  ::freeifaddrs(interfaces);
  return found;
}

// The task of a TPU, and that of an instance group by default, is the master's: it says nothing of us.
bool tells_of_us(const std::string& text) {
  const Result<Target> target = Target::parse(text);
  if (!target || target->scheme == "tpu") return false;
  return target->scheme != "gce" || target->get("task");
}

// A process that is none of a step's tasks is none of them wherever it runs.
bool is_step(const ClusterResolver& resolver) {
  const auto* const found = dynamic_cast<const AutoResolver*>(&resolver);
  return dynamic_cast<const SlurmResolver*>(&resolver) || (found && found->choice() && found->choice()->place == Launcher::slurm);
}

// Where a part's task stands among those of all parts. Of two tasks with one address it is not known which.
std::optional<LaunchedTask> place_of(const ClusterSpec& spec, const std::string& job, const std::string& address) {
  std::optional<LaunchedTask> found;
  for (const ClusterSpec::Job& one : spec.job_list()) {
    if (one.name != job) continue;
    for (const auto& [index, at] : one.tasks) {
      if (at != address) continue;
      if (found) return std::nullopt;
      found.emplace(job, index);
    }
  }
  return found;
}

// Which task of the cluster the program is, as a target tells whose surroundings know; else by this machine's addresses. None: neither
// tells, for a task is never guessed. `spec`: all `parts` as one cluster. `ask`: a part's own cluster; asked where other parts' tasks stand
// before its own, of the same job. Errors: what the surroundings say of the task makes no sense, and those of `ask`.
Result<std::optional<LaunchedTask>> find_program_task(const ClusterSpec& spec, const std::vector<ClusterPart>& parts,
                                                      const std::function<Result<ClusterSpec>(const ClusterPart&)>& ask) {
  using Found = std::optional<LaunchedTask>;
  std::optional<std::string> job;
  std::optional<int> index;
  for (const ClusterPart& part : parts) {
    if (!tells_of_us(part.target)) continue;
    try {
      job = part.resolver->task_type();
      index = part.resolver->task_id();
    } catch (const ResolveError& error) {
      return error.failure();
    }
    if (job && index) {
      if (&part == &parts.front()) return Found(LaunchedTask(*job, *index));  // tasks of later parts come behind its own
      const Result<ClusterSpec> own = ask(part);
      if (!own) return own.error();
      if (!own->has_job(*job)) return Found(LaunchedTask(*job, *index));
      const Result<std::string> address = own->task_address(*job, *index);
      if (!address) return address.error();
      return place_of(spec, *job, *address);
    }
    if (is_step(*part.resolver)) return Found();
    if (parts.size() == 1) break;  // the half that is known narrows the search
    job.reset();
    index.reset();
  }
  return find_own_task(spec, own_addresses(), job, index);
}

// Waits, tells the program, and starts it.
class ExecCommand {
 public:
  explicit ExecCommand(Arguments arguments) : arguments_(std::move(arguments)), cluster_(arguments_), program_(arguments_.program) {}

  int run() {
    const ProgramFailure missing = program_.find();
    if (missing.code != 0) return fail(missing);
    if (cluster_.open() != exit_answered) return exit_exec_failed;
    const std::optional<Result<ClusterStatus>> status = cluster_.wait();
    if (!status) return exit_interrupted;
    if (!*status) return refuse(status->error(), exit_exec_failed);
    const Result<EnvironmentVariables> variables = variables_of((*status)->spec());
    if (!variables) return refuse(variables.error(), exit_exec_failed);
    program_.set_environment(*variables);
    if (arguments_.on_preempt == 0) return fail(program_.become());
    return supervise(**status);
  }

 private:
  static int fail(const ProgramFailure& failure) {
    complain(failure.what);
    return failure.code;
  }

  Result<EnvironmentVariables> variables_of(const ClusterSpec& spec) {
    std::optional<LaunchedTask> task = arguments_.task;
    if (!task) {
      Result<std::optional<LaunchedTask>> found =
          find_program_task(spec, cluster_.parts(), [this](const ClusterPart& part) { return cluster_.ask(part); });
      if (!found) return found.error();
      task = std::move(*found);
    }
    try {
      return render_job_environment(spec, task, cluster_.resolver()->rpc_layer());
    } catch (const ResolveError& error) {
      return error.failure();
    }
  }

  int supervise(const ClusterStatus& waited) {
    CommandSession& asking = cluster_.asking();
    WatchOptions options;
    options.until(arguments_.until).members(arguments_.members).request_options(asking.call_options());
    const std::shared_ptr<ClusterWatch> following = watch(cluster_.resolver(), std::move(options));
    Supervisor supervisor(asking.loop(), following, waited, arguments_.on_preempt,
                          [&asking, following](const ClusterStatus&) { asking.tell_of(following); });
    const int status = supervisor.run(program_);
    asking.write_metrics();
    return status;
  }

  Arguments arguments_;
  FollowedCluster cluster_;
  Program program_;
};

}  // namespace

int run_exec(Arguments arguments) {
  ExecCommand command(std::move(arguments));
  return command.run();
}

}  // namespace rollcall::tools
