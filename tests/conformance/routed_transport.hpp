// Three instances of the library's own transport: to the case's servers, to a port without a listener, and with a DNS server that knows no
// name. Each request uses the one that its entry in the case demands, over real sockets.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "async/timer_queue.hpp"
#include "conformance/http_script.hpp"
#include "conformance/traffic.hpp"
#include "rollcall/http.hpp"

namespace rollcall::conformance {

class Routes {
 public:
  Routes() {}
  std::shared_ptr<HttpTransport> live;
  std::shared_ptr<HttpTransport> refused;
  std::shared_ptr<HttpTransport> nameless;
};

/// `metadata_hosts`: the hosts of the probe, which is refused unless the case answers it.
std::shared_ptr<HttpTransport> make_routed_transport(Routes routes, HttpScript& script, Traffic& traffic,
                                                     std::shared_ptr<TimerQueue> timers, std::vector<std::string> metadata_hosts);

}  // namespace rollcall::conformance
