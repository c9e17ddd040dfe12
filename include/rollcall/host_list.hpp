// Slurm's notations for hosts, `n[001-003,7],m1`, and for the tasks on them, `3(x2),2`.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/error.hpp"

namespace rollcall {

/// How strictly a host list is parsed. Both keep order, duplicates and zero padding (`n[08-11]` is n08 n09 n10 n11).
enum class HostListGrammar {
  /// The syntax of `scontrol show hostnames`: elements separated by commas or blanks, empty ones skipped, any number of brackets
  /// (`rack[1-2]n[1-3]`); also a suffix (`n[1-2]-ib`), which scontrol supports from a later version on. With three or more brackets the
  /// last varies fastest, then the first, the second and so on: scontrol's order. Input for which scontrol returns wrong names is an error:
  /// brackets that are not closed, brackets in names, signs and blanks within brackets, `[1-]`, numbers of more than 64 bits.
  scontrol,
  /// The syntax of tf.distribute's SlurmClusterResolver: elements separated by single commas (one more may end the list), at most one
  /// bracket and nothing after it. `n[5-3]` is no host.
  tensorflow,
};

/// The default limit of hosts that a list is expanded to.
inline constexpr std::size_t max_hosts_in_list = 65536;

/// The hosts of a list. Errors: invalid_argument naming the list and the fault (also for a name of more than 255 bytes), limit_exceeded for
/// more than `max_hosts`, which is checked before any name is built.
Result<std::vector<std::string>> expand_host_list(std::string_view text, HostListGrammar grammar = HostListGrammar::scontrol,
                                                  std::size_t max_hosts = max_hosts_in_list);

/// The shortest list that `scontrol show hostlist` would write: order and duplicates are kept, so only neighbours are joined.
/// expand_host_list() of it returns `hosts`. Errors: invalid_argument for a name that a list cannot represent (empty, or with a comma,
/// blank, bracket or control character).
Result<std::string> compress_host_list(std::span<const std::string> hosts);

/// Tasks of each node from SLURM_STEP_TASKS_PER_NODE: `3(x2),2,1` is 3 3 2 1. Errors: invalid_argument naming the text,
/// limit_exceeded for more than `max_nodes`.
Result<std::vector<int>> expand_tasks_per_node(std::string_view text, std::size_t max_nodes = max_hosts_in_list);

}  // namespace rollcall
