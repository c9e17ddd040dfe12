#include "call/runtime_impl.hpp"
#include "resolvers/declared_task.hpp"
#include "resolvers/launchers/wire/tf_config.hpp"
#include "rollcall/tfconfig_resolver.hpp"

namespace rollcall {
namespace {

class TfConfigTask final : public DeclaredTask {
 public:
  explicit TfConfigTask(Result<TfConfig> config) : config_(std::move(config)) {}

  Result<ClusterSpec> cluster() const override { return ask(&TfConfig::cluster); }
  Result<std::optional<std::string>> task_type() const override { return ask(&TfConfig::task_type); }
  Result<std::optional<int>> task_id() const override { return ask(&TfConfig::task_id); }
  Result<std::optional<std::string>> rpc_layer() const override { return ask(&TfConfig::rpc_layer); }
  Result<std::optional<std::string>> session_master() const override { return ask(&TfConfig::session_master); }
  Failure no_task() const override {
    return Failure(Errc::not_found, "TF_CONFIG has no task type or index, and none was given: the master is not known")
        .with_hint("add \"task\": {\"type\": …, \"index\": …} to TF_CONFIG, or name the task");
  }

 private:
  template <class T>
  Result<T> ask(Result<T> (TfConfig::*value)() const) const {
    if (!config_) return config_.error();
    return ((*config_).*value)();
  }

  Result<TfConfig> config_;
};

class TfConfigResolver final : public DeclaredTaskResolver {
 public:
  TfConfigResolver(Runtime runtime_handle, const TfConfigOptions& options) : DeclaredTaskResolver(std::move(runtime_handle), options) {}

  std::string describe() const override { return "tfconfig"; }

  asio::awaitable<Result<ClusterSpec>> do_cluster_spec(Call& call) override {
    const Result<TfConfig> config = parsed();
    if (!config) co_return config.error();
    Result<ClusterSpec> spec = config->cluster();
    const std::string left_out = config->left_out();
    if (spec && !left_out.empty()) {
      const Failure failure(Errc::invalid_argument, left_out);
      impl_of(call).emit({.kind = EventKind::omitted, .call = call.id(), .subject = "TF_CONFIG", .failure = &failure});
    }
    co_return spec;
  }

 private:
  Result<TfConfig> parsed() const {
    const std::optional<std::string> text = impl_of(runtime()).environment->get("TF_CONFIG");
    return TfConfig::parse(text ? std::string_view(*text) : std::string_view("{}"));
  }
  std::unique_ptr<DeclaredTask> read() const override { return std::make_unique<TfConfigTask>(parsed()); }
};

}  // namespace

std::shared_ptr<ClusterResolver> make_tfconfig_resolver(Runtime runtime, TfConfigOptions options) {
  return std::make_shared<TfConfigResolver>(std::move(runtime), options);
}

}  // namespace rollcall
