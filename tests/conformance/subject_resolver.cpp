// Cases of everything that is a ClusterResolver.
#include <fmt/format.h>

#include <boost/json/parse.hpp>

#include "conformance/arguments.hpp"
#include "conformance/resolver_factory.hpp"
#include "conformance/subject.hpp"
#include "rollcall/slurm_resolver.hpp"
#include "rollcall/tpu_resolver.hpp"

namespace rollcall::conformance {
namespace {

Outcome outcome_of(const Result<ClusterSpec>& spec) { return spec ? Outcome(json::parse(spec->to_json())) : Outcome(spec.error()); }
Outcome outcome_of(const Result<std::string>& text) { return text ? Outcome(json::value(*text)) : Outcome(text.error()); }
Outcome outcome_of(const Result<void>& done) { return done ? Outcome() : Outcome(done.error()); }
Outcome outcome_of(const Result<AcceleratorCounts>& counts) {
  if (!counts) return Outcome(counts.error());
  json::object result;
  for (const auto& [type, count] : counts->counts()) result.emplace(type, count);
  return Outcome(json::value(std::move(result)));
}

Outcome outcome_of(const Result<TpuSystemMetadata>& metadata) {
  if (!metadata) return Outcome(metadata.error());
  json::array devices;
  for (const DeviceAttributes& device : metadata->devices) devices.emplace_back(device.name);
  json::value topology;
  if (metadata->topology) topology = metadata->topology->to_text();
  json::object result{{"num_cores", metadata->num_cores},
                      {"num_hosts", metadata->num_hosts},
                      {"num_of_cores_per_host", metadata->num_of_cores_per_host},
                      {"topology", topology},
                      {"devices", std::move(devices)}};
  return Outcome(json::value(std::move(result)));
}

template <class T>
Outcome outcome_of(const Result<std::vector<T>>& list) {
  if (!list) return Outcome(list.error());
  json::array values;
  for (const T& value : *list) values.emplace_back(value);
  return Outcome(json::value(std::move(values)));
}

class ResolverSubject final : public Subject {
 public:
  ResolverSubject(std::string kind, std::shared_ptr<ClusterResolver> resolver)
      : kind_(std::move(kind)), resolver_(std::move(resolver)), tpu_(std::dynamic_pointer_cast<TpuResolver>(resolver_)) {}

  asio::awaitable<Outcome> call(std::string member, const json::object& values, CallOptions options) override {
    Arguments args(values, member);
    try {
      Outcome outcome = co_await answer(member, args, std::move(options));
      co_return outcome;
    } catch (const ResolveError& error) {
      co_return Outcome(error.failure());
    }
  }

  asio::awaitable<Outcome> first_await(CallOptions options) override {
    const Result<ClusterSpec> spec = co_await resolver_->try_cluster_spec(std::move(options));
    co_return spec ? Outcome() : Outcome(spec.error());
  }

  Outcome set(std::string_view property, const json::value& value) override {
    const json::object single{{property, value}};
    Arguments args(single, fmt::format("set {}", property));
    if (property == "task_type") return outcome_of(resolver_->set_task_type(args.text(property)));
    if (property == "task_id") return outcome_of(resolver_->set_task_id(args.integer(property)));
    if (property == "rpc_layer") return outcome_of(resolver_->set_rpc_layer(args.text(property)));
    if (property == "environment") throw NotApplicable("environment cannot be assigned in C++");
    return Subject::set(property, value);
  }

 private:
  asio::awaitable<Outcome> answer(const std::string& member, Arguments& args, CallOptions options) {
    if (member == "cluster_spec") {
      args.finish();
      const Result<ClusterSpec> spec = co_await resolver_->try_cluster_spec(std::move(options));
      co_return outcome_of(spec);
    }
    if (member == "master" || member == "num_accelerators") {
      const std::optional<std::string> task_type = args.text("task_type");
      const std::optional<int> task_id = args.integer("task_id");
      const std::optional<std::string> rpc_layer = member == "master" ? args.text("rpc_layer") : std::nullopt;
      args.finish();
      if (member == "master") {
        const Result<std::string> master = co_await resolver_->try_master(task_type, task_id, rpc_layer, std::move(options));
        co_return outcome_of(master);
      }
      const Result<AcceleratorCounts> counts = co_await resolver_->try_num_accelerators(task_type, task_id, std::move(options));
      co_return outcome_of(counts);
    }
    if (member == "get_tpu_system_metadata" && tpu_) {
      args.finish();
      const Result<TpuSystemMetadata> metadata = co_await tpu_->try_system_metadata(std::move(options));
      co_return outcome_of(metadata);
    }
    if (member == "get_master" && tpu_) {
      args.finish();
      std::string master = co_await tpu_->master({}, {}, {}, std::move(options));
      co_return Outcome(json::value(master));
    }
    if (kind_ == "slurm" && member.starts_with("expand_")) {
      const std::string text = args.required_text("text");
      args.finish();
      if (member == "expand_hostlist") co_return outcome_of(expand_host_list(text, HostListGrammar::tensorflow));
      if (member == "expand_tasks_per_node") co_return outcome_of(expand_tasks_per_node(text));
    }
    co_return property(member, args);
  }

  Outcome property(const std::string& member, Arguments& args) {
    if (member.starts_with("set_")) {
      const json::value* const value = args.value("value");
      args.finish();
      return set(std::string_view(member).substr(4), value ? *value : json::value());
    }
    args.finish();
    if (member == "task_type") return Outcome(or_null(resolver_->task_type()));
    if (member == "task_id") return Outcome(or_null(resolver_->task_id()));
    if (member == "rpc_layer") return Outcome(or_null(resolver_->rpc_layer()));
    if (member == "environment") return Outcome(or_null(resolver_->environment()));
    if (kind_ == "slurm" && member == "get_task_info")
      return Outcome(json::value(json::array{or_null(resolver_->task_type()), or_null(resolver_->task_id())}));
    if (tpu_) {
      if (member == "api_available") return Outcome(json::value(tpu_->uses_api()));
      if (member == "name") return Outcome(json::value(tpu_->name()));
      if (member == "get_job_name") return Outcome(json::value(tpu_->task_type().value_or("")));
      if (member == "get_coordination_service_leader") return Outcome(json::value(tpu_->coordination_service_leader()));
    }
    throw NotUnderstood(fmt::format("the {} resolver has no '{}'", kind_, member));
  }

  std::string kind_;
  std::shared_ptr<ClusterResolver> resolver_;
  std::shared_ptr<TpuResolver> tpu_;
};

}  // namespace

std::unique_ptr<Subject> make_resolver_subject(const std::string& resolver, const json::object& args, const Setting& setting) {
  std::shared_ptr<ClusterResolver> made = construct_resolver(resolver, args, setting);
  return std::make_unique<ResolverSubject>(resolver, std::move(made));
}

}  // namespace rollcall::conformance
