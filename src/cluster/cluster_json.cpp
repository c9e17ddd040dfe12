// A cluster as JSON in the form of TF_CONFIG's "cluster" and of `simple:`.
#include <fmt/format.h>

#include <boost/json.hpp>
#include <boost/json/monotonic_resource.hpp>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "base/append_formatted.hpp"
#include "base/secret_words.hpp"
#include "base/text.hpp"
#include "json/json_dom.hpp"
#include "json/json_text.hpp"
#include "rollcall/cluster_spec.hpp"

namespace rollcall {
namespace {

namespace json = boost::json;

constexpr std::size_t max_json_bytes = 64 * 1024 * 1024;
constexpr std::size_t max_json_jobs = 4096;

std::string_view view(json::string_view text) noexcept { return {text.data(), text.size()}; }

Failure bad_cluster(std::string_view job, std::string fault) {
  return Failure(Errc::invalid_argument, fmt::format("job {}: {}", quoted(job), fault));
}

Result<ClusterSpec::Tasks> tasks_from_list(std::string_view job, const json::array& list) {
  ClusterSpec::Tasks tasks;
  tasks.reserve(list.size());
  int index = 0;
  for (const json::value& address : list) {
    if (!address.is_string()) return bad_cluster(job, fmt::format("the address of task {} is {}, not a text", index, kind_name(address)));
    tasks.emplace(index++, std::string(view(address.get_string())));
  }
  return tasks;
}

Result<ClusterSpec::Tasks> tasks_from_object(std::string_view job, const json::object& object) {
  std::map<int, std::string> tasks;
  for (const auto& member : object) {
    const std::string_view key = view(member.key());
    const auto index = parse_python_int(key);
    if (!index) return bad_cluster(job, fmt::format("the key {} is not a task index", quoted_words(key, 64)));
    if (*index < 0) return bad_cluster(job, fmt::format("the task index {} is negative", quoted_words(key, 64)));
    if (*index > std::numeric_limits<int>::max())
      return bad_cluster(job, fmt::format("the task index {} is over 2147483647", quoted_words(key, 64)));
    if (!member.value().is_string())
      return bad_cluster(job, fmt::format("the address of task {} is {}, not a text", *index, kind_name(member.value())));
    const auto [at, is_new] = tasks.emplace(static_cast<int>(*index), std::string(view(member.value().get_string())));
    if (!is_new)
      return bad_cluster(job, fmt::format("the key {} stands for task {}, which is there already", quoted_words(key, 64), *index));
  }
  return ClusterSpec::Tasks(std::move(tasks));
}

// Tasks are a list of addresses, or an object with decimal keys, converted as Python's int() does.
Result<ClusterSpec> cluster_from_json(const json::value& value) {
  if (!value.is_object()) {
    return Failure(Errc::invalid_argument, fmt::format("a cluster must be a JSON object of jobs, but this is {}", kind_name(value)));
  }
  if (value.get_object().size() > max_json_jobs)
    return Failure(Errc::limit_exceeded, fmt::format("the cluster has more than {} jobs", max_json_jobs));
  ClusterSpec spec;
  for (const auto& member : value.get_object()) {
    const std::string_view job = view(member.key());
    const json::value& tasks = member.value();
    if (!tasks.is_array() && !tasks.is_object()) {
      return bad_cluster(job,
                         fmt::format("its tasks are {}, neither a list of addresses nor an object of index and address", kind_name(tasks)));
    }
    Result<ClusterSpec::Tasks> parsed =
        tasks.is_array() ? tasks_from_list(job, tasks.get_array()) : tasks_from_object(job, tasks.get_object());
    if (!parsed) return parsed.error();
    (void)spec.set_job(std::string(job), *std::move(parsed));
  }
  return spec;
}

}  // namespace

Result<ClusterSpec> ClusterSpec::from_json(std::string_view text) {
  if (text.size() > max_json_bytes)
    return Failure(Errc::limit_exceeded, fmt::format("the cluster's JSON is longer than {} bytes", max_json_bytes));
  json::monotonic_resource memory;
  std::error_code error;
  const json::value value = json::parse(json::string_view(text.data(), text.size()), error, &memory);
  if (error)
    return Failure(Errc::invalid_argument, fmt::format("the cluster {} is not valid JSON: {}", quoted_words(text), error.message()));
  return cluster_from_json(value);
}

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
      if (!is_list) append_formatted(out, "\"{}\":", index);
      append_json_string(out, address);
    }
    out += is_list ? ']' : '}';
  }
  return out + "}";
}

}  // namespace rollcall
