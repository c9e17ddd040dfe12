#include "rollcall/cloud_tpu_client.hpp"

#include <fmt/format.h>

#include "base/saturating.hpp"
#include "base/text.hpp"
#include "call/call_scope.hpp"
#include "cluster/service_address.hpp"
#include "google/metadata_client.hpp"
#include "resolvers/tpu/tpu_api.hpp"
#include "resolvers/tpu/tpu_spec.hpp"
#include "resolvers/tpu/tpu_status.hpp"
#include "resolvers/tpu/worker_versions.hpp"

namespace rollcall {
namespace {

using OptionalText = std::optional<std::string>;

OptionalText if_present(std::string text) { return text.empty() ? OptionalText() : OptionalText(std::move(text)); }

class Client final : public CloudTpuClient {
 public:
  Client(Runtime runtime, TpuOptions options)
      : runtime_(std::move(runtime)), options_(std::move(options)), plan_(plan_tpu(options_, *impl_of(runtime_).environment)) {}

  void set_runtime_oom_exit(bool on) override { oom_rules_.runtime_counts = on; }
  void set_hbm_oom_exit(bool on) override { oom_rules_.hbm_counts = on; }
  std::string name() const override {
    if (!plan_) throw ResolveError(plan_.error());
    return plan_->name;
  }
  bool api_available() const override { return plan_ && plan_->kind == TpuKind::api; }

  asio::awaitable<Result<OptionalText>> try_state(CallOptions options) override {
    return field(std::move(options), "state", &TpuNode::state);
  }
  asio::awaitable<Result<OptionalText>> try_health(CallOptions options) override {
    return field(std::move(options), "health", &TpuNode::health);
  }
  asio::awaitable<Result<OptionalText>> try_accelerator_type(CallOptions options) override {
    return field(std::move(options), "accelerator_type", &TpuNode::accelerator_type);
  }
  asio::awaitable<Result<AcceleratorType>> try_accelerator(CallOptions options) override {
    return run<AcceleratorType>(std::move(options), "accelerator", [](Client& self, Call& call) { return self.ask_accelerator(call); });
  }
  asio::awaitable<Result<TpuDescription>> try_description(CallOptions options) override {
    return run<TpuDescription>(std::move(options), "description", [](Client& self, Call& call) { return self.ask_description(call); });
  }
  asio::awaitable<Result<OptionalText>> try_runtime_version(CallOptions options) override {
    return run<OptionalText>(std::move(options), "runtime_version",
                             [](Client& self, Call& call) { return self.ask_runtime_version(call); });
  }
  asio::awaitable<Result<std::optional<std::vector<TpuSymptom>>>> try_symptoms(CallOptions options) override {
    return run<std::optional<std::vector<TpuSymptom>>>(std::move(options), "symptoms",
                                                       [](Client& self, Call& call) { return self.ask_symptoms(call); });
  }
  asio::awaitable<Result<std::string>> try_local_ip(CallOptions options) override {
    return run<std::string>(std::move(options), "local_ip", [](Client& self, Call& call) { return self.ask_local_ip(call); });
  }
  asio::awaitable<Result<bool>> try_recoverable(CallOptions options) override {
    return run<bool>(std::move(options), "recoverable", [](Client& self, Call& call) { return self.ask_recoverable(call); });
  }
  asio::awaitable<Result<std::vector<Endpoint>>> try_network_endpoints(CallOptions options) override {
    return run<std::vector<Endpoint>>(std::move(options), "network_endpoints",
                                      [](Client& self, Call& call) { return self.ask_endpoints(call); });
  }
  asio::awaitable<Result<void>> try_wait_for_healthy(std::chrono::nanoseconds timeout, std::chrono::nanoseconds interval,
                                                     CallOptions options) override {
    // The wait ends by itself. The deadline only bounds the last request.
    options.timeout(saturating_sum(std::max(timeout, Duration::zero()), std::chrono::seconds(30)));
    return run<void>(std::move(options), "wait_for_healthy",
                     [timeout, interval](Client& self, Call& call) { return self.await_health(call, timeout, interval); });
  }
  asio::awaitable<Result<void>> try_configure_tpu_version(std::string version, std::string restart_type, CallOptions options) override {
    return run<void>(std::move(options), "configure_tpu_version",
                     [version = std::move(version), restart_type = std::move(restart_type)](Client& self, Call& call) {
                       return self.configure(call, version, restart_type);
                     });
  }

 private:
  template <class T, class Script>
  asio::awaitable<Result<T>> run(CallOptions options, std::string_view member, Script script) {
    auto held = [self = std::static_pointer_cast<Client>(shared_from_this()), script = std::move(script)](Call& call) {
      return script(*self, call);
    };
    std::string subject = fmt::format("tpu:{} {}", plan_ ? printable(plan_->name, 80) : "", member);
    return run_call<T>(shared_impl_of(runtime_), std::move(options), std::move(subject), std::move(held));
  }

  asio::awaitable<Result<OptionalText>> field(CallOptions options, std::string_view member, std::string TpuNode::* which) {
    return run<OptionalText>(std::move(options), member, [which](Client& self, Call& call) { return self.ask_field(call, which); });
  }

  asio::awaitable<Result<OptionalText>> ask_field(Call& call, std::string TpuNode::* which) {
    if (!plan_) co_return plan_.error();
    if (!api_available()) co_return OptionalText();
    TpuAnswer node;
    const Result<void> asked = co_await ask_tpu(call, *plan_, options_, node);
    if (!asked) co_return asked.error();
    co_return if_present(std::move(node.*which));
  }

  asio::awaitable<Result<AcceleratorType>> ask_accelerator(Call& call) {
    const Result<TpuDescription> declared = co_await ask_about(call, false);
    if (!declared) co_return declared.error();
    co_return declared->accelerator;
  }

  asio::awaitable<Result<TpuDescription>> ask_description(Call& call) { return ask_about(call, true); }

  asio::awaitable<Result<TpuDescription>> ask_about(Call& call, bool wants_workers) {
    if (!plan_) co_return plan_.error();
    if (!api_available()) {
      co_return Failure(
          Errc::failed_precondition,
          fmt::format("the accelerators of TPU {} cannot be asked for: only the Cloud TPU API knows them", quoted(plan_->name)));
    }
    TpuAnswer node;
    const Result<void> asked = co_await ask_tpu(call, *plan_, options_, node);
    if (!asked) co_return asked.error();
    Result<AcceleratorType> type = accelerator_of(plan_->name, node);
    if (!type) co_return node.with_origin(type.error());
    TpuDescription declared(std::move(*type));
    declared.state = node.state;
    declared.health = node.health;
    declared.level = std::max(tpu_state_condition(node.state, {}).level, tpu_health_condition(node.health, {}).level);
    if (wants_workers && node.state == "READY") {
      Result<std::vector<Endpoint>> workers = worker_endpoints(plan_->name, node);
      if (!workers) co_return node.with_origin(workers.error());
      declared.workers = std::move(*workers);
    }
    co_return declared;
  }

  asio::awaitable<Result<OptionalText>> ask_runtime_version(Call& call) {
    if (!plan_) co_return plan_.error();
    if (plan_->kind == TpuKind::workers) {
      co_return co_await ask_worker_version(call, plan_->workers.front().host);
    }
    if (!api_available()) co_return OptionalText();
    TpuAnswer node;
    const Result<void> asked = co_await ask_tpu(call, *plan_, options_, node);
    if (!asked) co_return asked.error();
    co_return if_present(node.tensorflow_version.empty() ? std::move(node.runtime_version) : std::move(node.tensorflow_version));
  }

  asio::awaitable<Result<std::optional<std::vector<TpuSymptom>>>> ask_symptoms(Call& call) {
    if (!plan_) co_return plan_.error();
    std::optional<std::vector<TpuSymptom>> symptoms;
    if (!api_available()) co_return symptoms;
    TpuAnswer node;
    const Result<void> asked = co_await ask_tpu(call, *plan_, options_, node);
    if (!asked) co_return asked.error();
    for (TpuNode::Symptom& declared : node.symptoms) {
      if (!symptoms) symptoms.emplace();
      TpuSymptom& symptom = symptoms->emplace_back();
      symptom.type = std::move(declared.type);
      symptom.create_time = std::move(declared.create_time);
      symptom.details = std::move(declared.details);
      symptom.worker_id = std::move(declared.worker_id);
    }
    co_return symptoms;
  }

  asio::awaitable<Result<std::string>> ask_local_ip(Call& call) {
    if (!plan_) co_return plan_.error();
    if (plan_->kind == TpuKind::local) co_return std::string("127.0.0.1");
    const Result<std::string> value = co_await metadata_value(call, "instance/network-interfaces/0/ip");
    if (!value) co_return value.error();
    std::string address(service_ip(*value));
    if (address.empty())
      co_return Failure(Errc::malformed_response, "the metadata server's instance/network-interfaces/0/ip is " + not_an_address(*value));
    co_return address;
  }

  asio::awaitable<Result<bool>> ask_recoverable(Call& call) {
    if (!plan_) co_return plan_.error();
    if (!api_available()) co_return true;
    TpuAnswer node;
    const Result<void> asked = co_await ask_tpu(call, *plan_, options_, node);
    if (!asked) co_return asked.error();
    co_return is_recoverable(node, oom_rules_, impl_of(call).time->wall_now());
  }

  asio::awaitable<Result<std::vector<Endpoint>>> ask_endpoints(Call& call) {
    if (!plan_) co_return plan_.error();
    if (!api_available()) co_return plan_->workers;
    TpuAnswer node;
    const Result<void> asked = co_await ask_tpu(call, *plan_, options_, node);
    if (!asked) co_return asked.error();
    Result<std::vector<Endpoint>> endpoints = worker_endpoints(plan_->name, node);
    if (!endpoints) co_return node.with_origin(endpoints.error());
    co_return endpoints;
  }

  asio::awaitable<Result<void>> await_health(Call& call, Duration timeout, Duration interval) {
    if (!plan_) co_return plan_.error();
    if (!api_available()) {
      co_return Failure(Errc::failed_precondition,
                        fmt::format("the health of TPU {} cannot be awaited: only the Cloud TPU API knows it", quoted(plan_->name)));
    }
    if (interval <= Duration::zero()) co_return Failure(Errc::invalid_argument, "the interval between looks must be positive");
    const SteadyTime give_up_at = saturating_sum(call.started(), timeout);
    for (;;) {
      TpuAnswer node;
      const Result<void> asked = co_await ask_tpu(call, *plan_, options_, node);
      if (!asked) co_return asked.error();
      if (node.health == "HEALTHY") co_return Result<void>();
      const SteadyTime next = saturating_sum(impl_of(call).time->now(), interval);
      if (next > give_up_at) {
        Failure sick(Errc::not_ready, fmt::format("TPU {} is still not healthy after {:g} s: its health is {}", quoted(plan_->name),
                                                  std::chrono::duration<double>(timeout).count(),
                                                  node.health.empty() ? "not given" : printable(node.health, 64)));
        co_return node.with_origin(std::move(sick));
      }
      const Result<void> slept = co_await call.sleep_until(next);
      if (!slept) co_return slept.error();
    }
  }

  asio::awaitable<Result<void>> configure(Call& call, std::string version, std::string restart_type) {
    Result<std::vector<Endpoint>> workers = co_await ask_endpoints(call);
    if (!workers) co_return workers.error();
    co_return co_await configure_worker_versions(call, *workers, version, restart_type);
  }

  Runtime runtime_;
  TpuOptions options_;
  Result<TpuPlan> plan_;
  OomRules oom_rules_;
};

}  // namespace

asio::awaitable<std::optional<std::string>> CloudTpuClient::state(CallOptions options) {
  return value_or_throw(try_state(std::move(options)));
}
asio::awaitable<std::optional<std::string>> CloudTpuClient::health(CallOptions options) {
  return value_or_throw(try_health(std::move(options)));
}
asio::awaitable<std::optional<std::string>> CloudTpuClient::accelerator_type(CallOptions options) {
  return value_or_throw(try_accelerator_type(std::move(options)));
}
asio::awaitable<TpuDescription> CloudTpuClient::description(CallOptions options) {
  return value_or_throw(try_description(std::move(options)));
}
asio::awaitable<AcceleratorType> CloudTpuClient::accelerator(CallOptions options) {
  return value_or_throw(try_accelerator(std::move(options)));
}
asio::awaitable<std::optional<std::string>> CloudTpuClient::runtime_version(CallOptions options) {
  return value_or_throw(try_runtime_version(std::move(options)));
}
asio::awaitable<std::optional<std::vector<TpuSymptom>>> CloudTpuClient::symptoms(CallOptions options) {
  return value_or_throw(try_symptoms(std::move(options)));
}
asio::awaitable<std::string> CloudTpuClient::local_ip(CallOptions options) { return value_or_throw(try_local_ip(std::move(options))); }
asio::awaitable<bool> CloudTpuClient::recoverable(CallOptions options) { return value_or_throw(try_recoverable(std::move(options))); }
asio::awaitable<std::vector<Endpoint>> CloudTpuClient::network_endpoints(CallOptions options) {
  return value_or_throw(try_network_endpoints(std::move(options)));
}
asio::awaitable<void> CloudTpuClient::wait_for_healthy(std::chrono::nanoseconds timeout, std::chrono::nanoseconds interval,
                                                       CallOptions options) {
  return value_or_throw(try_wait_for_healthy(timeout, interval, std::move(options)));
}
asio::awaitable<void> CloudTpuClient::configure_tpu_version(std::string version, std::string restart_type, CallOptions options) {
  return value_or_throw(try_configure_tpu_version(std::move(version), std::move(restart_type), std::move(options)));
}

std::shared_ptr<CloudTpuClient> make_cloud_tpu_client(Runtime runtime, TpuOptions options) {
  return std::make_shared<Client>(std::move(runtime), std::move(options));
}

asio::awaitable<Result<bool>> try_is_running_in_gce(Runtime runtime, CallOptions options) {
  auto script = [](Call& call) { return probe_metadata(call); };
  return run_call<bool>(shared_impl_of(runtime), std::move(options), "metadata probe", script);
}
asio::awaitable<bool> is_running_in_gce(Runtime runtime, CallOptions options) {
  return value_or_throw(try_is_running_in_gce(std::move(runtime), std::move(options)));
}

}  // namespace rollcall
