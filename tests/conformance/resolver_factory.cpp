#include "conformance/resolver_factory.hpp"

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include "conformance/arguments.hpp"
#include "conformance/host_arguments.hpp"
#include "conformance/json_reader.hpp"
#include "conformance/kubernetes_arguments.hpp"
#include "conformance/tpu_arguments.hpp"
#include "rollcall/gce_resolver.hpp"
#include "rollcall/simple_resolver.hpp"
#include "rollcall/tfconfig_resolver.hpp"
#include "rollcall/union_resolver.hpp"

namespace rollcall::conformance {
namespace {

// Options whose setters have the same names.
template <class Options>
void set_task(Options& options, Arguments& args) {
  if (auto type = args.text("task_type")) options.task_type(std::move(*type));
  if (const auto id = args.integer("task_id")) options.task_id(*id);
  if (auto layer = args.text("rpc_layer")) options.rpc_layer(std::move(*layer));
}

// The case's spec is malformed: the failure of from_json() appears at the first call.
class FailedResolver final : public ClusterResolver {
 public:
  FailedResolver(Runtime runtime_handle, Failure failure) : ClusterResolver(std::move(runtime_handle)), failure_(std::move(failure)) {}
  std::string describe() const override { return "simple"; }
  asio::awaitable<Result<ClusterSpec>> do_cluster_spec(Call&) override { co_return failure_; }

 private:
  Failure failure_;
};

std::shared_ptr<ClusterResolver> construct_simple(Arguments& args, const json::object& values, const Setting& setting) {
  if (!values.contains("cluster")) args.required("cluster");
  args.value("cluster");
  const Result<ClusterSpec> spec = ClusterSpec::from_json(json::serialize(values.at("cluster")));
  SimpleOptions options(spec ? *spec : ClusterSpec());
  set_task(options, args);
  if (auto master = args.text("master")) options.master(std::move(*master));
  if (auto environment = args.text("environment")) options.environment(std::move(*environment));
  if (const json::value* const counts = args.value("num_accelerators")) {
    std::map<std::string, int, std::less<>> by_type;
    if (!counts->is_object()) throw NotApplicable("simple: 'num_accelerators' takes a map in C++");
    for (const auto& [type, count] : counts->get_object())
      by_type.emplace(type, static_cast<int>(Reader(count, "num_accelerators").integer(0)));
    options.num_accelerators(AcceleratorCounts(std::move(by_type), CountSource::given));
  }
  args.finish();
  if (!spec) return std::make_shared<FailedResolver>(setting.runtime, spec.error());
  return make_simple_resolver(setting.runtime, std::move(options));
}

std::shared_ptr<ClusterResolver> construct_tfconfig(Arguments& args, const Setting& setting) {
  TfConfigOptions options;
  set_task(options, args);
  if (auto environment = args.text("environment")) options.environment(std::move(*environment));
  args.finish();
  return make_tfconfig_resolver(setting.runtime, std::move(options));
}

bool is_none(const json::object& values, std::string_view name) {
  const json::value* const value = values.if_contains(name);
  return value && value->is_null();
}

std::shared_ptr<ClusterResolver> construct_gce(Arguments& args, const json::object& values, const Setting& setting) {
  GceOptions options(args.required_text("instance_group"));
  if (auto project = args.text("project")) options.project(std::move(*project));
  if (auto zone = args.text("zone")) options.zone(std::move(*zone));
  if (const auto port = args.port("port")) options.port(*port);
  set_task(options, args);
  if (is_none(values, "task_id")) options.task_id(std::nullopt);
  if (is_none(values, "rpc_layer")) options.rpc_layer("");
  args.value("credentials");  // handled by the Runtime
  args.finish();
  return make_gce_resolver(setting.runtime, std::move(options));
}

std::shared_ptr<ClusterResolver> construct_union(Arguments& args, const Setting& setting) {
  UnionOptions options;
  set_task(options, args);
  args.value("credentials");
  const json::value* const children = args.value("children");
  args.finish();
  std::vector<std::shared_ptr<ClusterResolver>> made;
  if (children) {
    for (const Reader& child : Reader(*children, "children").items()) {
      if (!child.value().is_object()) {
        made.push_back(nullptr);  // the closest equivalent of an object that is not a resolver
        continue;
      }
      const auto child_args = child.find("args");
      made.push_back(construct_resolver(child.require("resolver").text(), child_args ? child_args->object() : json::object(), setting));
    }
  }
  return make_union_resolver(setting.runtime, std::move(made), std::move(options));
}

}  // namespace

std::shared_ptr<ClusterResolver> construct_resolver(const std::string& resolver, const json::object& values, const Setting& setting) {
  Arguments args(values, resolver);
  if (resolver == "simple") return construct_simple(args, values, setting);
  if (resolver == "slurm") return construct_slurm(args, values, setting);
  if (resolver == "sagemaker") return construct_sagemaker(args, setting);
  if (resolver == "tfconfig") return construct_tfconfig(args, setting);
  if (resolver == "union") return construct_union(args, setting);
  if (resolver == "tpu") {
    TpuOptions options = read_tpu_options(args, setting.token_hosts);
    args.finish();
    return make_tpu_resolver(setting.runtime, std::move(options));
  }
  if (resolver == "gce") return construct_gce(args, values, setting);
  if (resolver == "kubernetes") {
    const Result<KubernetesOptions> options = read_kubernetes_options(args, values);
    args.finish();
    if (!options) return std::make_shared<FailedResolver>(setting.runtime, options.error());
    return make_kubernetes_resolver(setting.runtime, *options);
  }
  throw NotUnderstood(fmt::format("unknown resolver '{}'", resolver));
}

}  // namespace rollcall::conformance
