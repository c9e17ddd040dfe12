#include "resolvers/declared_task.hpp"

#include "resolvers/listed_status.hpp"

namespace rollcall {
namespace {

// A cluster without jobs, or of one job with one task, has the master "" [facts: tfconfig-master].
bool needs_no_master(const ClusterSpec& spec) {
  if (spec.empty()) return true;
  if (spec.job_list().size() > 1) return false;
  const ClusterSpec::Tasks& tasks = spec.job_list().front().tasks;
  return tasks.size() == 1 && tasks.begin()->first == 0;
}

// The given value, else the environment's.
template <class T>
Result<void> fill_own(std::optional<T>& value, const std::optional<T>& given, const DeclaredTask& own,
                      Result<std::optional<T>> (DeclaredTask::*member)() const) {
  if (value) return Result<void>();
  value = given;
  if (value) return Result<void>();
  Result<std::optional<T>> found = (own.*member)();
  if (!found) return found.error();
  value = std::move(*found);
  return Result<void>();
}

}  // namespace

Result<std::optional<std::string>> DeclaredTask::rpc_layer() const { return std::optional<std::string>(); }
Result<std::optional<std::string>> DeclaredTask::session_master() const { return std::optional<std::string>(); }

Failure DeclaredTask::no_task() const { return Failure(Errc::not_found, "no task type or index is known: the master is not known"); }

asio::awaitable<Result<ClusterSpec>> DeclaredTaskResolver::do_cluster_spec(Call&) { co_return read()->cluster(); }

asio::awaitable<Result<ClusterStatus>> DeclaredTaskResolver::do_cluster_status(Call& call) {
  return listed_status(ClusterResolver::do_cluster_status(call));
}

Result<void> DeclaredTaskResolver::fill_in_from(const DeclaredTask& own, std::optional<std::string>& task_type, std::optional<int>& task_id,
                                                std::optional<std::string>& rpc_layer) const {
  Result<void> filled = fill_own(task_type, task_type_, own, &DeclaredTask::task_type);
  if (filled) filled = fill_own(task_id, task_id_, own, &DeclaredTask::task_id);
  if (filled) filled = fill_own(rpc_layer, rpc_layer_, own, &DeclaredTask::rpc_layer);
  return filled;
}

Result<std::string> DeclaredTaskResolver::find_master(std::optional<std::string> task_type, std::optional<int> task_id,
                                                      std::optional<std::string> rpc_layer) const {
  const std::unique_ptr<DeclaredTask> own = read();
  Result<std::optional<std::string>> session_master = own->session_master();
  if (!session_master) return session_master.error();
  if (*session_master) return std::move(**session_master);
  const Result<ClusterSpec> spec = own->cluster();
  if (!spec) return spec.error();
  if (needs_no_master(*spec)) return std::string();
  const Result<void> filled = fill_in_from(*own, task_type, task_id, rpc_layer);
  if (!filled) return filled.error();
  if (!task_type || !task_id) return own->no_task();
  const Result<std::string> address = spec->task_address(*task_type, *task_id);
  if (!address) return address;
  return format_master_url(*address, rpc_layer);
}

asio::awaitable<Result<std::string>> DeclaredTaskResolver::do_master(Call&, std::optional<std::string> task_type,
                                                                     std::optional<int> task_id, std::optional<std::string> rpc_layer) {
  co_return find_master(std::move(task_type), task_id, std::move(rpc_layer));
}

// Only this task's devices are counted [facts: tfconfig-devices].
asio::awaitable<Result<AcceleratorCounts>> DeclaredTaskResolver::do_num_accelerators(Call& call, std::optional<std::string> task_type,
                                                                                     std::optional<int> task_id) {
  std::optional<std::string> rpc_layer;
  const Result<void> filled = fill_in_from(*read(), task_type, task_id, rpc_layer);
  if (!filled) co_return filled.error();
  co_return co_await ClusterResolver::do_num_accelerators(call, std::move(task_type), task_id);
}

Result<std::optional<std::string>> DeclaredTaskResolver::do_task_type() const { return task_type_ ? task_type_ : read()->task_type(); }

Result<std::optional<int>> DeclaredTaskResolver::do_task_id() const { return task_id_ ? task_id_ : read()->task_id(); }

Result<std::optional<std::string>> DeclaredTaskResolver::do_rpc_layer() const { return rpc_layer_ ? rpc_layer_ : read()->rpc_layer(); }

}  // namespace rollcall
