#include <fmt/format.h>

#include "async/group.hpp"
#include "base/text.hpp"
#include "call/runtime_impl.hpp"
#include "google/metadata_client.hpp"
#include "resolvers/auto/auto_survey.hpp"

namespace rollcall {
namespace {

AutoCandidate not_a_tpu_vm(std::string evidence) { return AutoCandidate(Launcher::tpu_vm, false, std::move(evidence)); }

// The value without the white space around it.
std::optional<std::string> one_line(std::optional<std::string> value) {
  if (value) value = std::string(trim(*value));
  return value;
}

std::string tpu_vm_evidence(const TpuVmFacts& facts) {
  std::string there;
  const auto add = [&there](bool has, std::string_view name) {
    if (has) there += fmt::format("{}{}", there.empty() ? "" : ", ", name);
  };
  add(facts.env.has_value(), "tpu-env");
  add(facts.worker_number.has_value(), "agent-worker-number");
  add(facts.endpoints.has_value(), "worker-network-endpoints");
  return "the metadata server has " + there;
}

}  // namespace

asio::awaitable<Result<AutoCandidate>> ask_tpu_vm(Call& call, TpuVmFacts& facts) {
  Runtime::Impl& impl = impl_of(call);
  const MetadataPolicy policy = metadata_policy(*impl.environment);
  if (!policy.may_ask()) co_return not_a_tpu_vm("the metadata server was not asked: " + policy.forbidden_by());
  const Result<ApiRequest> request = metadata_request(impl, "");
  if (!request) co_return request.error();
  const std::string server = request->http.url.authority();
  if (!is_google_machine(impl)) {
    // In a pod a different metadata server answers, which knows no TPU, and the environment names the TPU anyway: a short probe suffices.
    const bool is_pod = impl.environment->get("KUBERNETES_SERVICE_HOST").has_value();
    const Duration budget = is_pod ? std::chrono::milliseconds(500) : std::chrono::milliseconds(1000);
    const Result<bool> is_there = co_await probe_metadata(call, budget);
    if (!is_there) co_return is_there.error();
    if (!*is_there) co_return not_a_tpu_vm(fmt::format("no metadata server answered at {} within {} ms", server, is_pod ? 500 : 1000));
  }
  std::vector<asio::awaitable<Result<std::optional<std::string>>>> questions;
  for (const char* const path :
       {"instance/attributes/agent-worker-number", "instance/attributes/worker-network-endpoints", "instance/attributes/tpu-env",
        "instance/attributes/accelerator-type", "instance/name", "instance/network-interfaces/0/ip", "instance/attributes/worker-id"}) {
    questions.push_back(metadata_document(call, path));
  }
  Result<std::vector<std::optional<std::string>>> answers = co_await join(std::move(questions));
  if (!answers) {
    Failure failure = answers.error();
    if (failure.code() != Errc::cancelled)
      failure.with_what(fmt::format("auto: whether this is a TPU VM is not known: {}", failure.what()));
    co_return failure;
  }
  std::vector<std::optional<std::string>>& values = *answers;
  facts.worker_number = one_line(std::move(values[0]));
  facts.endpoints = one_line(std::move(values[1]));
  facts.env = std::move(values[2]);
  facts.accelerator_type = one_line(std::move(values[3]));
  facts.name = one_line(std::move(values[4]));
  facts.address = one_line(std::move(values[5]));
  facts.worker_id = one_line(std::move(values[6]));
  if (!facts.is_tpu()) {
    co_return not_a_tpu_vm(
        fmt::format("the metadata server at {} has neither tpu-env, agent-worker-number nor worker-network-endpoints", server));
  }
  co_return AutoCandidate(Launcher::tpu_vm, true, tpu_vm_evidence(facts));
}

}  // namespace rollcall
