// The Slurm cluster of a simulation file as values: its nodes, its jobs with all their states, and the times when slurmctld is down.
#pragma once

#include <array>
#include <boost/json.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rollcall/time.hpp"

namespace rollcall::sim {

/// What `state` of a job may be, as squeue writes it. CONFIGURING and COMPLETING are flags beside a base; DELETED: there is no such job.
inline constexpr std::array<std::string_view, 15> slurm_job_words = {"PENDING",   "CONFIGURING", "RUNNING",  "SUSPENDED",     "COMPLETING",
                                                                     "COMPLETED", "CANCELLED",   "FAILED",   "TIMEOUT",       "NODE_FAIL",
                                                                     "PREEMPTED", "BOOT_FAIL",   "DEADLINE", "OUT_OF_MEMORY", "DELETED"};

/// What `state` of a node may be. The first five are bases; the others are flags beside IDLE. A node with jobs shows ALLOCATED or MIXED.
inline constexpr std::array<std::string_view, 19> slurm_node_words = {
    "IDLE",          "DOWN",        "ERROR",    "UNKNOWN",          "FUTURE",        "DRAIN",   "FAIL",         "NOT_RESPONDING",
    "INVALID_REG",   "MAINTENANCE", "RESERVED", "REBOOT_REQUESTED", "REBOOT_ISSUED", "PLANNED", "POWERED_DOWN", "POWERING_UP",
    "POWERING_DOWN", "BLOCKED",     "CLOUD"};
inline constexpr std::size_t slurm_node_bases = 5;

/// The state of a job from a time on.
struct SlurmJobMoment {
  Duration at{0};
  std::string state = "PENDING";
  std::vector<std::string> flags;  // besides those that the state means
  std::string reason;              // empty: None
  std::string description;
  std::string nodes;  // a host list: where it runs, or will
  std::optional<Duration> expected_start;
  std::optional<Duration> grace;  // it is preempted: its end after that
  int exit_code = 0;
  int signal = 0;
  boost::json::object raw;  // merged into the job's JSON without checks; null removes a field

  // What follows from the entries before.
  int restarts = 0;
  Duration eligible{0};
  std::optional<Duration> started;  // of this run
  std::optional<Duration> ended;

  bool is_pending() const { return state == "PENDING"; }
  bool has_nodes() const { return state == "CONFIGURING" || state == "RUNNING" || state == "SUSPENDED" || state == "COMPLETING"; }
};

struct SlurmJobModel {
  std::uint64_t id = 0;
  std::string name = "train";
  std::string user;
  std::string account;
  std::string qos;
  std::string partition = "main";
  std::string required_nodes;
  std::string excluded_nodes;
  std::string features;
  std::string tres_per_job;
  std::string tres_per_node;
  std::string tres_per_task;
  std::string dependency;
  std::string licenses;
  std::string reservation;
  std::string admin_comment;
  int node_count = 0;  // 0: as many as `nodes`
  int tasks_per_node = 1;
  int cpus_per_node = 1;
  int memory_per_node = 0;        // MB
  std::optional<Duration> time_limit;
  std::uint64_t array_job = 0;    // 0: in no array
  std::optional<int> array_task;  // none: the tasks that have not started
  std::string array_tasks;        // those, as Slurm writes them: 2-5%1
  std::uint64_t het_job = 0;      // 0: not heterogeneous
  int het_offset = 0;
  std::vector<SlurmJobMoment> timeline;  // ascending
};

/// The state of a node from a time on.
struct SlurmNodeMoment {
  Duration at{0};
  std::string state = "IDLE";
  std::vector<std::string> flags;
  std::string reason;
  std::string reason_by = "root";
  Duration reason_at{0};
  bool answers = true;  // slurmd takes connections
  boost::json::object raw;
};

struct SlurmNodeModel {
  std::string name;
  std::string address;  // empty: the name
  int port = 6818;
  int cpus = 16;
  int memory = 64'000;  // MB
  std::string gres;
  std::vector<std::string> features;
  std::vector<std::string> partitions = {"main"};
  std::vector<SlurmNodeMoment> timeline;  // ascending, from 0 on
};

struct SlurmPartitionModel {
  std::string name;
  std::string state = "UP";
  std::optional<Duration> max_time;
  std::optional<int> max_nodes;
};

struct SlurmReservationModel {
  std::string name;
  std::string nodes;
  std::string users = "root";
  std::vector<std::string> flags;
  Duration start{0};
  Duration end = std::chrono::hours(1);
};

struct SlurmClusterModel {
  std::size_t release = 1;  // of slurm_releases
  std::string cluster = "cluster";
  std::string user = "alice";  // whose token the clients of the simulation get
  Duration token_lifetime = std::chrono::hours(24);
  Duration min_job_age = std::chrono::minutes(5);  // jobs are forgotten so long after their end
  std::vector<std::pair<Duration, std::optional<Duration>>> controller_down;
  std::vector<SlurmPartitionModel> partitions;  // those of nodes included
  std::vector<SlurmReservationModel> reservations;
  std::vector<SlurmNodeModel> nodes;
  std::vector<SlurmJobModel> jobs;
};

/// Whose answers were compared with a real one's.
inline constexpr std::array<std::string_view, 3> slurm_releases = {"22.05", "24.11", "26.05"};

}  // namespace rollcall::sim
