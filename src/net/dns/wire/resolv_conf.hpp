// What /etc/resolv.conf says of how a name server is asked, beyond what c-ares takes from it (nameserver, search, domain, sortlist, ndots,
// rotate) [facts: resolv-options].
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
  std::vector<std::string> unfollowed;          ///< printable: options that say how a server is asked, and are not followed

  /// `words`: options with blanks in between, as behind `options` in the file, and as RES_OPTIONS has them. Later ones count.
  void take(std::string_view words);
};

/// The lines of the file that begin with `options`. What cannot be read is passed over, as glibc does.
ResolverOptions parse_resolver_options(std::string_view resolv_conf);

}  // namespace rollcall
