// tensorflow.ClusterDef bytes, written.
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>
#include <vector>

#include "cluster.pb.h"
#include "rollcall/cluster_spec.hpp"

namespace rollcall {

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
