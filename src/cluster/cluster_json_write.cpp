// A cluster as JSON, written.
#include <fmt/format.h>

#include <iterator>

#include "json/json_text.hpp"
#include "rollcall/cluster_spec.hpp"

namespace rollcall {

std::string ClusterSpec::to_json() const {
  std::string out = "{";
  for (const Job& job : jobs_) {
    if (out.size() > 1) out += ',';
    append_json_string(out, job.name);
    const bool is_list = is_dense(job.tasks);
    out += is_list ? ":[" : ":{";
    bool is_first = true;
    for (const auto& [index, address] : job.tasks) {
      if (!is_first) out += ',';
      is_first = false;
      if (!is_list) fmt::format_to(std::back_inserter(out), "\"{}\":", index);
      append_json_string(out, address);
    }
    out += is_list ? ']' : '}';
  }
  return out + "}";
}

}  // namespace rollcall
