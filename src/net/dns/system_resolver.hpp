// This machine's resolver options.
#pragma once

#include "net/dns/wire/resolv_conf.hpp"

namespace rollcall {

/// The options of /etc/resolv.conf, which c-ares reads as well, and of RES_OPTIONS. Reads the file each time; it never blocks on a pipe.
ResolverOptions system_resolver_options();

}  // namespace rollcall
