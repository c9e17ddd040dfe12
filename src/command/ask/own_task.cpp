#include "command/ask/own_task.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <unistd.h>

#include "rollcall/auto_resolver.hpp"
#include "rollcall/slurm_resolver.hpp"
#include "rollcall/target.hpp"

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

// As far as the resolver knows.
Result<void> read_task(const ClusterResolver& resolver, std::optional<std::string>& job, std::optional<int>& index) {
  try {
    job = resolver.task_type();
    index = resolver.task_id();
  } catch (const ResolveError& error) {
    return error.failure();
  }
  return Result<void>();
}

}  // namespace

asio::awaitable<Result<std::optional<LaunchedTask>>> find_own_task(ClusterSpec spec, std::vector<ClusterPart> parts, CallOptions options) {
  using Found = std::optional<LaunchedTask>;
  std::optional<std::string> job;
  std::optional<int> index;
  for (const ClusterPart& part : parts) {
    if (!tells_of_us(part.target)) continue;
    const Result<void> told = read_task(*part.resolver, job, index);
    if (!told) co_return told.error();
    if (job && index) {
      if (&part == &parts.front()) co_return Found(LaunchedTask(*job, *index));  // tasks of later parts come behind its own
      const Result<ClusterSpec> own = co_await part.resolver->try_cluster_spec(options);
      if (!own) co_return own.error();
      if (!own->has_job(*job)) co_return Found(LaunchedTask(*job, *index));
      const Result<std::string> address = own->task_address(*job, *index);
      if (!address) co_return address.error();
      co_return place_of(spec, *job, *address);
    }
    if (is_step(*part.resolver)) co_return Found();
    if (parts.size() == 1) break;  // the half that is known narrows the search
    job.reset();
    index.reset();
  }
  co_return rollcall::find_own_task(spec, own_addresses(), job, index);
}

}  // namespace rollcall::tools
