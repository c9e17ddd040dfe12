// The way to ask Slurm: slurmrestd, or its programs. Both give the same records.
#pragma once

#include <asio/awaitable.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "resolvers/slurm/rules/slurm_node_snapshot.hpp"
#include "resolvers/slurm/rules/slurm_reference.hpp"
#include "resolvers/slurm/wire/slurm_job.hpp"
#include "resolvers/slurm/wire/slurm_marks.hpp"
#include "resolvers/slurm/wire/slurm_node.hpp"
#include "resolvers/slurm/wire/slurm_place.hpp"
#include "rollcall/call.hpp"
#include "rollcall/http_message.hpp"
#include "rollcall/slurm_job_resolver.hpp"

namespace rollcall {

/// The server of `restd=`.
class SlurmRestAddress {
 public:
  SlurmRestAddress() {}
  /// Errors: invalid_argument.
  static Result<SlurmRestAddress> parse(const std::string& text);
  Url root;                                    ///< ends with a slash
  std::shared_ptr<const ServerAccess> access;  ///< null: as for all servers
  std::string shown;
};

/// What a list of jobs is narrowed to where the way to ask can do that. The taker still looks at each job.
class SlurmListOptions {
 public:
  SlurmListOptions() {}
  std::string user;  ///< empty: any
};

/// Takes the jobs of a list one by one.
class SlurmJobTaker {
 public:
  virtual ~SlurmJobTaker() = default;
  /// The list begins again: what was taken is void.
  virtual void restart() = 0;
  /// Returns the bytes of what it keeps of the job, besides its texts; 0: nothing.
  virtual std::size_t take(SlurmJobRecord job) = 0;
};

class SlurmJobAnswer {
 public:
  SlurmJobAnswer() {}
  explicit SlurmJobAnswer(std::vector<SlurmJobRecord> all) : records(std::move(all)) {}
  /// Of an array all of its tasks, of a heterogeneous job all of its components; those that cannot be meant may be missing. Empty: there is
  /// no such job.
  std::vector<SlurmJobRecord> records;
  /// The same number as before: nothing that the job's status shows has changed, and the records are left out. 0: not known.
  std::uint64_t revision = 0;
};

/// All may suspend, and are cancellable. Errors: not_found, unauthenticated, permission_denied, unavailable (Slurm's controller),
/// malformed_response, limit_exceeded, and those of the transport or of the programs.
class SlurmSource {
 public:
  virtual ~SlurmSource() = default;
  /// The records of `wanted.id`. `known`: the revision of the last answer.
  virtual asio::awaitable<Result<SlurmJobAnswer>> job(Call& call, SlurmReference wanted, std::uint64_t known) = 0;
  /// The jobs of that name, of the user unless that is empty. This costs much: to be asked once.
  virtual asio::awaitable<Result<std::vector<SlurmJobRecord>>> jobs_named(Call& call, std::string name, std::string user) = 0;
  /// Those nodes. Slurm may not know some of them.
  virtual asio::awaitable<Result<std::vector<SlurmNodeRecord>>> nodes(Call& call, std::vector<std::string> names) = 0;
  virtual asio::awaitable<Result<SlurmNodesPointer>> all_nodes(Call& call) = 0;
  /// True once all_nodes() costs nothing while no node changes; the pointer stays the same then.
  virtual bool knows_node_changes() const noexcept { return false; }
  /// The states of all jobs, by one short question. Errors: also unimplemented (by this way, or this version of Slurm).
  virtual asio::awaitable<Result<SlurmMarks>> marks(Call& call) = 0;
  virtual asio::awaitable<Result<std::vector<SlurmPartition>>> partition(Call& call, std::string name) = 0;
  virtual asio::awaitable<Result<std::vector<SlurmReservation>>> reservations(Call& call) = 0;
  /// Hands each job to `taker`, by one long answer that is not kept. This costs much: to be asked once.
  virtual asio::awaitable<Result<void>> list_jobs(Call& call, SlurmListOptions wanted, SlurmJobTaker& taker) = 0;
  /// The way, and the version that was found, for messages and doctor(): `slurmrestd at unix:/run/restd, v0.0.42`.
  virtual std::string describe() const = 0;
};

/// Errors: invalid_argument (restd).
Result<std::shared_ptr<SlurmSource>> make_slurm_rest(const SlurmJobOptions& options);
std::shared_ptr<SlurmSource> make_slurm_programs();

}  // namespace rollcall
