// Parses tensorflow.ClusterDef.
#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "cluster.pb.h"
#include "rollcall/cluster_spec.hpp"

namespace rollcall {

namespace {

constexpr std::size_t max_bytes = 64 * 1024 * 1024;
constexpr int max_jobs = 4096;

}  // namespace

Result<ClusterSpec> ClusterSpec::from_cluster_def(std::string_view bytes) {
  if (bytes.size() > max_bytes) return Failure(Errc::limit_exceeded, fmt::format("the ClusterDef is longer than {} bytes", max_bytes));
  wire::ClusterDef message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return Failure(Errc::malformed_response, fmt::format("these {} bytes are no ClusterDef", bytes.size()));
  }
  if (message.job_size() > max_jobs) return Failure(Errc::limit_exceeded, fmt::format("the ClusterDef has more than {} jobs", max_jobs));
  ClusterSpec spec;
  spec.keeps_order_ = true;
  for (const wire::JobDef& job : message.job()) {
    if (!is_valid_utf8(job.name()))
      return Failure(Errc::malformed_response, fmt::format("the ClusterDef's job name {} is not UTF-8", quoted(job.name())));
    std::map<int, std::string> tasks;
    for (const auto& [index, address] : job.tasks()) {
      if (!is_valid_utf8(address)) {
        return Failure(Errc::malformed_response,
                       fmt::format("job {}: the address of task {}, {}, is not UTF-8", quoted(job.name()), index, quoted(address)));
      }
      tasks.emplace(index, address);
    }
    const Result<void> set = spec.set_job(job.name(), Tasks(std::move(tasks)));
    if (!set) return set.error();
  }
  return spec;
}

std::string ClusterSpec::to_cluster_def() const {
  std::vector<const Job*> jobs;
  for (const Job& job : jobs_) jobs.push_back(&job);
  if (!keeps_order_) std::sort(jobs.begin(), jobs.end(), [](const Job* a, const Job* b) { return a->name < b->name; });
  wire::ClusterDef message;
  for (const Job* job : jobs) {
    wire::JobDef& def = *message.add_job();
    def.set_name(job->name);
    for (const auto& [index, address] : job->tasks) (*def.mutable_tasks())[index] = address;
  }
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);  // a protobuf map has no order of its own
    message.SerializeToCodedStream(&coded);
  }
  return bytes;
}

}  // namespace rollcall
