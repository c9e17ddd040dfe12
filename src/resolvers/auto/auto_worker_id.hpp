// Which of a slice's workers this process is. Nothing is guessed: what is missing or contradicts itself is an error.
#pragma once

#include <string>
#include <vector>

#include "resolvers/tpu/wire/tpu_hosts.hpp"

namespace rollcall {

/// A source and what it says. An empty text says nothing.
class WorkerClaim {
 public:
  WorkerClaim() {}
  WorkerClaim(std::string from, std::string value) : source(std::move(from)), text(std::move(value)) {}
  std::string source;  ///< `TPU_WORKER_ID`
  std::string text;
};

/// `ids`: what sources say of the worker id; `own`: what the machine is called, or its addresses. Errors, listing the candidates:
/// failed_precondition (no source says anything), invalid_argument (no number from 0, or out of range), conflict (sources that
/// disagree, an own name that belongs to another id, a host that is listed twice).
Result<int> settle_worker_id(const TpuHosts& workers, const std::vector<WorkerClaim>& ids, const std::vector<WorkerClaim>& own);

/// Errors: conflict when a host is listed twice.
Result<void> check_hosts_differ(const TpuHosts& workers);

}  // namespace rollcall
