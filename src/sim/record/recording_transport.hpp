// A transport that sends by another one and writes what passes into a log.
#pragma once

#include <memory>

#include "rollcall/http.hpp"
#include "sim/record/exchange_log.hpp"

namespace rollcall::sim {

std::shared_ptr<HttpTransport> make_recording_transport(std::shared_ptr<ExchangeLog> log, std::shared_ptr<HttpTransport> http);

}  // namespace rollcall::sim
