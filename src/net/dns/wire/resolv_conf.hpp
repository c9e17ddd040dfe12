// The options of /etc/resolv.conf about queries to a name server that c-ares does not read itself (it reads nameserver, search, domain,
// sortlist, ndots, rotate) [facts: resolv-options].
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rollcall {

class ResolverOptions {
 public:
  ResolverOptions() {}
  std::optional<std::chrono::seconds> timeout;  ///< of the first try; as in glibc, at most 30 s
  std::optional<int> attempts;                  ///< as in glibc, 1 to 5
  bool uses_tcp = false;                        ///< use-vc
  bool uses_edns = false;                       ///< edns0
  bool skips_ipv6 = false;                      ///< no-aaaa
  std::vector<std::string> unfollowed;          ///< printable: options about queries that are not supported

  /// `words`: options separated by blanks, as after `options` in the file, and as in RES_OPTIONS. Later ones override earlier ones.
  void take(std::string_view words);
};

/// The lines of the file that begin with `options`. Invalid options are skipped, as glibc does.
ResolverOptions parse_resolver_options(std::string_view resolv_conf);

}  // namespace rollcall
