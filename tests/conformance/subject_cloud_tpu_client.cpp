// Cases of `cloud_tpu_client`: one TPU's condition.
#include <fmt/format.h>

#include "conformance/arguments.hpp"
#include "conformance/subject.hpp"
#include "conformance/tpu_arguments.hpp"
#include "rollcall/cloud_tpu_client.hpp"

namespace rollcall::conformance {
namespace {

json::value to_json(const std::vector<Endpoint>& endpoints) {
  json::array result;
  for (const Endpoint& endpoint : endpoints) {
    json::object item{{"ipAddress", endpoint.host}, {"port", nullptr}};
    if (endpoint.port) item["port"] = std::to_string(*endpoint.port);
    result.push_back(std::move(item));
  }
  return result;
}

json::value to_json(const std::optional<std::string>& text) { return text ? json::value(*text) : json::value(); }

json::value to_json(const std::optional<std::vector<TpuSymptom>>& symptoms) {
  if (!symptoms) return nullptr;
  json::array result;
  for (const TpuSymptom& symptom : *symptoms) {
    json::object item{{"symptomType", symptom.type}, {"createTime", symptom.create_time}};
    if (!symptom.details.empty()) item["details"] = symptom.details;
    if (!symptom.worker_id.empty()) item["workerId"] = symptom.worker_id;
    result.push_back(std::move(item));
  }
  return result;
}

std::chrono::nanoseconds seconds(double number) { return std::chrono::nanoseconds(static_cast<std::int64_t>(number * 1e9)); }

class ClientSubject final : public Subject {
 public:
  explicit ClientSubject(std::shared_ptr<CloudTpuClient> client) : client_(std::move(client)) {}

  asio::awaitable<Outcome> call(std::string member, const json::object& values, CallOptions options) override {
    Arguments args(values, member);
    try {
      json::value result = co_await answer(member, args, std::move(options));
      co_return Outcome(std::move(result));
    } catch (const ResolveError& error) {
      co_return Outcome(error.failure());
    }
  }

  Outcome set(std::string_view property, const json::value& value) override {
    if (value.is_bool() && property == "runtime_oom_exit")
      client_->set_runtime_oom_exit(value.get_bool());
    else if (value.is_bool() && property == "hbm_oom_exit")
      client_->set_hbm_oom_exit(value.get_bool());
    else
      return Subject::set(property, value);
    return Outcome();
  }

  asio::awaitable<Outcome> first_await(CallOptions options) override {
    try {
      co_await client_->state(std::move(options));
      co_return Outcome();
    } catch (const ResolveError& error) {
      co_return Outcome(error.failure());
    }
  }

 private:
  asio::awaitable<json::value> answer(const std::string& member, Arguments& args, CallOptions options) {
    if (member == "parse_endpoints") {
      const std::string text = args.required_text("text");
      args.finish();
      co_return to_json(parse_endpoint_list(text).value());
    }
    if (member == "wait_for_healthy") {
      const auto timeout = args.number("timeout_s");
      const auto interval_s = args.number("interval_s");
      const auto interval = interval_s ? interval_s : args.number("interval");
      args.finish();
      co_await client_->wait_for_healthy(seconds(timeout.value_or(1200)), seconds(interval.value_or(30)), std::move(options));
      co_return nullptr;
    }
    if (member == "configure_tpu_version") {
      const std::string version = args.required_text("version");
      const std::string restart_type = args.text("restart_type").value_or("always");
      args.finish();
      co_await client_->configure_tpu_version(version, restart_type, std::move(options));
      co_return nullptr;
    }
    args.finish();
    json::value result = co_await property(member, std::move(options));
    co_return result;
  }

  asio::awaitable<json::value> property(const std::string& member, CallOptions options) {
    if (member == "name") co_return json::value(client_->name());
    if (member == "api_available") co_return client_->api_available();
    if (member == "recoverable") {
      const bool is_recoverable = co_await client_->recoverable(std::move(options));
      co_return is_recoverable;
    }
    if (member == "symptoms") {
      const std::optional<std::vector<TpuSymptom>> symptoms = co_await client_->symptoms(std::move(options));
      co_return to_json(symptoms);
    }
    if (member == "get_local_ip") {
      const std::string address = co_await client_->local_ip(std::move(options));
      co_return json::value(address);
    }
    if (member == "network_endpoints") {
      const std::vector<Endpoint> endpoints = co_await client_->network_endpoints(std::move(options));
      co_return to_json(endpoints);
    }
    std::optional<std::string> text;
    if (member == "state")
      text = co_await client_->state(std::move(options));
    else if (member == "health")
      text = co_await client_->health(std::move(options));
    else if (member == "accelerator_type")
      text = co_await client_->accelerator_type(std::move(options));
    else if (member == "runtime_version")
      text = co_await client_->runtime_version(std::move(options));
    else
      throw NotUnderstood(fmt::format("the Cloud TPU client has no '{}'", member));
    co_return to_json(text);
  }

  std::shared_ptr<CloudTpuClient> client_;
};

}  // namespace

std::unique_ptr<Subject> make_cloud_tpu_client_subject(const json::object& values, const Setting& setting) {
  Arguments args(values, "cloud_tpu_client");
  TpuOptions options = read_tpu_options(args, setting.token_hosts);
  const auto runtime_oom_exit = args.boolean("runtime_oom_exit");
  const auto hbm_oom_exit = args.boolean("hbm_oom_exit");
  args.finish();
  const std::shared_ptr<CloudTpuClient> client = make_cloud_tpu_client(setting.runtime, std::move(options));
  if (runtime_oom_exit) client->set_runtime_oom_exit(*runtime_oom_exit);
  if (hbm_oom_exit) client->set_hbm_oom_exit(*hbm_oom_exit);
  return std::make_unique<ClientSubject>(client);
}

}  // namespace rollcall::conformance
