#include <fmt/format.h>

#include "base/text.hpp"
#include "call/call_scope.hpp"
#include "call/file_reading.hpp"
#include "cluster/alike_accelerators.hpp"
#include "readiness/fixed_members.hpp"
#include "resolvers/auto/auto_cluster.hpp"
#include "resolvers/auto/auto_situation.hpp"
#include "resolvers/auto/auto_survey.hpp"
#include "resolvers/listed_status.hpp"
#include "resolvers/tpu/tpu_spec.hpp"
#include "rollcall/tpu_call.hpp"

namespace rollcall {
namespace {

using Situation = std::shared_ptr<AutoSituation>;

class Auto final : public AutoResolver, public FixedMembers {
 public:
  Auto(Runtime runtime_handle, AutoOptions options) : AutoResolver(std::move(runtime_handle)), options_(std::move(options)) {
    task_id_ = options_.task_id();
    rpc_layer_ = options_.rpc_layer();
  }

  std::string describe() const override { return last_ ? last_->describe() : "auto"; }
  std::optional<AutoChoice> choice() const override { return last_ ? std::optional<AutoChoice>(last_->choice) : std::nullopt; }

  asio::awaitable<Result<AutoChoice>> try_choose(CallOptions call_options) override {
    auto script = [self = std::static_pointer_cast<Auto>(shared_from_this())](Call& call) { return self->choose_within(call); };
    return run_call<AutoChoice>(shared_impl_of(runtime()), std::move(call_options), "auto choose", std::move(script));
  }

  asio::awaitable<Result<ClusterSpec>> do_cluster_spec(Call& call) override {
    const Result<Situation> here = co_await poll(call);
    if (!here) co_return here.error();
    co_return co_await spec_of(call, *here);
  }

  asio::awaitable<Result<std::string>> do_master(Call& call, std::optional<std::string> task_type, std::optional<int> task_id,
                                                 std::optional<std::string> rpc_layer) override {
    const Result<Situation> here = co_await poll(call);
    if (!here) co_return here.error();
    const AutoSituation& situation = **here;
    if (situation.has_own_tasks()) {
      if (!task_type) task_type = task_type_;
      if (!task_id) task_id = task_id_;
      if (!rpc_layer) rpc_layer = rpc_layer_;
      Result<std::string> master = co_await situation.delegate->resolver->do_master(call, task_type, task_id, rpc_layer);
      if (!master) co_return situation.with_origin(master.error());
      co_return master;
    }
    const Result<ClusterSpec> spec = co_await spec_of(call, *here);
    if (!spec) co_return spec.error();
    const Result<void> filled = fill_in(task_type, task_id, rpc_layer);
    if (!filled) co_return filled.error();
    if (!task_type || !task_id) co_return std::string();
    const Result<std::string> address = spec->task_address(*task_type, *task_id);
    if (!address) co_return situation.with_origin(address.error());
    co_return format_master_url(*address, rpc_layer);
  }

  asio::awaitable<Result<AcceleratorCounts>> do_num_accelerators(Call& call, std::optional<std::string> task_type,
                                                                 std::optional<int> task_id) override {
    const Result<Situation> here = co_await poll(call);
    if (!here) co_return here.error();
    const AutoSituation& situation = **here;
    if (situation.has_own_tasks()) {
      Result<AcceleratorCounts> counts = co_await situation.delegate->resolver->do_num_accelerators(call, task_type, task_id);
      if (!counts) co_return situation.with_origin(counts.error());
      co_return counts;
    }
    // No TensorFlow runtime listens on a TPU VM or in a TPU pod: the count follows from the accelerator type.
    if (!situation.delegate && call.options().get<TpuCallOptions>().count_from() != CountFrom::devices) {
      const Result<ClusterSpec> spec = co_await spec_of(call, *here);
      if (!spec) co_return spec.error();
      const AutoTpu& tpu = situation.choice.tpu;
      if (!situation.choice.accelerators.empty()) {
        const Result<ClusterStatus> status = co_await do_cluster_status(call);
        if (!status) co_return status.error();
        std::optional<Result<AcceleratorCounts>> known = alike_accelerators(status->members, task_type, task_id);
        if (known) co_return std::move(*known);
      }
      if (tpu.type) co_return counts_of(*tpu.type);
      if (!tpu.accelerator_type.empty()) co_return situation.with_origin(Failure(Errc::failed_precondition, tpu.type_fault));
    }
    co_return co_await ClusterResolver::do_num_accelerators(call, std::move(task_type), task_id);
  }

  // No variable of a running process changes: what contradicts itself now does so at each later poll.
  static Failure lasting(Failure failure) {
    if (failure.code() == Errc::conflict) failure.with_code(Errc::failed_precondition);
    return failure;
  }

  // The delegate resolver knows the state of pods. All other places only list hosts. A status also sets this process's own task.
  asio::awaitable<Result<ClusterStatus>> do_cluster_status(Call& call) override {
    const Situation here = declared_by_environment();
    if (!here || !here->delegate) {
      Result<ClusterStatus> listed = co_await listed_status(ClusterResolver::do_cluster_status(call));
      if (listed && last_) describe_members(last_->choice, *listed);
      if (!listed && here) co_return lasting(listed.error());
      co_return listed;
    }
    last_ = here;
    Result<ClusterStatus> status = co_await here->delegate->resolver->do_cluster_status(call);
    if (!status) co_return here->with_origin(status.error());
    co_return status;
  }

  bool has_fixed_members() const override {
    const Situation here = declared_by_environment();
    return here && (!here->delegate || rollcall::has_fixed_members(*here->delegate->resolver));
  }

  bool supports_watch() const override {
    const Situation here = declared_by_environment();
    return here && here->delegate && here->delegate->resolver->supports_watch();
  }

  asio::awaitable<Result<void>> do_follow(Call& call, StatusObserver& observer) override {
    const Situation here = declared_by_environment();
    if (!here || !here->delegate) co_return co_await ClusterResolver::do_follow(call, observer);
    last_ = here;
    Result<void> end = co_await here->delegate->resolver->do_follow(call, observer);
    if (!end) co_return here->with_origin(end.error());
    co_return end;
  }

  Result<std::optional<std::string>> do_task_type() const override {
    if (task_type_) return task_type_;
    const Situation here = situation_now();
    if (!here) return std::optional<std::string>();
    if (here->has_own_tasks()) return here->delegate->resolver->do_task_type();
    if (here->task_type) return here->task_type;
    if (here->choice.place == Launcher::vertex || here->choice.place == Launcher::volcano) {
      const Result<AutoCluster> cluster = read(*here, options_);
      if (!cluster) return cluster.error();
      return cluster->task_type;
    }
    return std::optional<std::string>(options_.job());
  }

  Result<std::optional<int>> do_task_id() const override {
    if (task_id_) return task_id_;
    const Situation here = situation_now();
    if (!here) return std::optional<int>();
    if (here->has_own_tasks()) return here->delegate->resolver->do_task_id();
    if (here->delegate || !here->task_id || *here->task_id) return here->task_id;
    const Result<AutoCluster> cluster = read(*here, options_);
    if (!cluster) return cluster.error();
    return std::optional<int>(cluster->task_id);
  }

  Result<std::optional<std::string>> do_rpc_layer() const override {
    if (rpc_layer_) return rpc_layer_;
    const Situation here = situation_now();
    if (!here) return std::optional<std::string>();
    if (here->delegate) return here->delegate->resolver->do_rpc_layer();
    return std::optional<std::string>("grpc");
  }

 private:
  const Environment& environment() const { return *impl_of(runtime()).environment; }

  // Examines the environment, the files and the metadata server again.
  asio::awaitable<Result<Situation>> poll(Call& call) {
    const Runtime::Impl& impl = impl_of(call);
    const Situation here = std::make_shared<AutoSituation>();
    AutoChoice& choice = here->choice;
    const auto survey = [this, &impl] { return survey_environment(*impl.environment, *impl.files, options_, impl.limits.max_endpoints); };
    choice.candidates = co_await read_when_there(call, survey);
    if (!first_present(choice.candidates) && is_inspected(options_, Launcher::tpu_vm)) {
      Result<AutoCandidate> candidate = co_await ask_tpu_vm(call, here->facts);
      if (!candidate) co_return candidate.error();
      choice.candidates.push_back(*std::move(candidate));
    }
    if (!settle_place(*here)) {
      last_.reset();
      co_return not_whole(choice.candidates);
    }
    const std::string subject = fmt::format("{}: {}", to_string(choice.place), choice.reason);
    impl_of(call).emit({.kind = EventKind::place_chosen, .call = call.id(), .subject = subject});
    last_ = here;
    co_return here;
  }

  asio::awaitable<Result<AutoChoice>> choose_within(Call& call) {
    const Result<Situation> here = co_await poll(call);
    if (!here) co_return here.error();
    // TPU facts and contradictions, as far as they are known without a request for the cluster.
    if (!(*here)->delegate) {
      const Result<AutoCluster> cluster = read(**here, options_);
      if (cluster) keep(call, **here, *cluster);
      const Result<AutoCluster> of_any_worker = cluster ? cluster : read(**here, AutoOptions(options_).task_id(0));
      if (!cluster && of_any_worker) (*here)->choice.tpu = of_any_worker->tpu;
    }
    co_return (*here)->choice;
  }

  // False if no candidate is present.
  bool settle_place(AutoSituation& here) const {
    const AutoCandidate* const present = first_present(here.choice.candidates);
    if (!present) return false;
    here.choice.place = present->place;
    here.choice.reason = present->evidence;
    // The delegate is kept: Slurm's resolver stores its task and counts GPUs when it is made.
    if (last_ && last_->has_own_tasks() && last_->choice.place == present->place) {
      here.delegate = last_->delegate;
    } else {
      here.delegate = make_auto_delegate(runtime(), present->place, options_);
    }
    return true;
  }

  asio::awaitable<Result<ClusterSpec>> spec_of(Call& call, Situation here) const {
    if (!here->delegate) {
      const Result<AutoCluster> cluster = read(*here, options_);
      if (!cluster) co_return here->with_origin(cluster.error());
      keep(call, *here, *cluster);
      co_return cluster->spec;
    }
    const Result<ClusterSpec> spec = co_await here->delegate->resolver->do_cluster_spec(call);
    if (!spec) co_return here->with_origin(spec.error());
    if (here->choice.place != Launcher::job) co_return spec;
    const Result<int> id = own_pod(*spec, environment(), task_id_, impl_of(runtime()).limits.max_endpoints);
    if (!id) co_return here->with_origin(id.error());
    here->task_id = *id;
    co_return spec;
  }

  // No candidate is present. Variables that name only the first of several hosts are reported before a missing metadata server.
  Failure not_whole(const std::vector<AutoCandidate>& candidates) const {
    for (const Launcher place : {Launcher::torch, Launcher::jax, Launcher::batch}) {
      if (!is_inspected(options_, place)) continue;
      const Result<TpuHosts> declared = first_host_cluster(place, environment(), options_, impl_of(runtime()).limits.max_endpoints);
      if (!declared && declared.error().code() == Errc::failed_precondition) return of_auto(declared.error());
    }
    return no_place_failure(candidates);
  }

  Result<AutoCluster> read(const AutoSituation& here, const AutoOptions& options) const {
    return read_place(here.choice.place, here.facts, environment(), options, impl_of(runtime()).limits.max_endpoints);
  }

  static void keep(Call& call, AutoSituation& here, const AutoCluster& cluster) {
    here.task_id = cluster.task_id;
    here.task_type = cluster.task_type;
    here.choice.tpu = cluster.tpu;
    here.choice.accelerators = cluster.accelerators;
    here.choice.contradictions = cluster.contradictions;
    for (const std::string& unconfirmed : cluster.contradictions) {
      impl_of(call).emit({.kind = EventKind::value_disputed, .call = call.id(), .subject = unconfirmed});
    }
  }

  // The situation of the last call, else the one that the environment alone declares. Null if there is none.
  Situation situation_now() const { return last_ ? last_ : declared_by_environment(); }

  Situation declared_by_environment() const {
    const Situation here = std::make_shared<AutoSituation>();
    const Runtime::Impl& impl = impl_of(runtime());
    here->choice.candidates = survey_environment(*impl.environment, *impl.files, options_, impl.limits.max_endpoints);
    if (!settle_place(*here)) return nullptr;
    if (here->choice.place == Launcher::job) here->task_id = index_in_job();
    return here;
  }

  // Unlike own_pod(), this does not compare the index with a list of pods.
  Result<std::optional<int>> index_in_job() const {
    const std::string text = environment().get("JOB_COMPLETION_INDEX").value_or("");
    const auto index = parse_decimal<int>(text);
    if (index) return index;
    return Failure(Errc::invalid_argument, fmt::format("auto: JOB_COMPLETION_INDEX is {}, which is no index", quoted(text, 80)));
  }

  AutoOptions options_;
  Situation last_;
};

}  // namespace

asio::awaitable<AutoChoice> AutoResolver::choose(CallOptions options) { return value_or_throw(try_choose(std::move(options))); }

AutoResolver* auto_resolver_of(ClusterResolver& resolver) noexcept { return dynamic_cast<AutoResolver*>(&resolver); }

std::shared_ptr<AutoResolver> make_auto_resolver(Runtime runtime, AutoOptions options) {
  return std::make_shared<Auto>(std::move(runtime), std::move(options));
}

}  // namespace rollcall
