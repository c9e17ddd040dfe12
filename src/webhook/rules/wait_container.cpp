#include "webhook/rules/wait_container.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/duration.hpp"
#include "base/text.hpp"
#include "json/json_text.hpp"
#include "rollcall/readiness.hpp"

namespace rollcall::webhook {
namespace {

// As `rollcall wait --members` takes them.
constexpr int max_awaited = 1'000'000;

// What namespaces with the strictest PodSecurity admit. The two resources have limits that are their requests: an init container with
// others would take a pod out of the quality class Guaranteed, and with it its exclusive cores.
constexpr std::string_view fixed_part =
    R"(,"resources":{"limits":{"cpu":"100m","memory":"128Mi"},"requests":{"cpu":"100m","memory":"128Mi"}})"
    R"(,"securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]},"readOnlyRootFilesystem":true,)"
    R"("runAsNonRoot":true,"runAsUser":65532,"seccompProfile":{"type":"RuntimeDefault"}})"
    R"(,"terminationMessagePolicy":"FallbackToLogsOnError"})";

bool has_container(const std::vector<NamedContainer>& containers, std::string_view name) noexcept {
  return std::any_of(containers.begin(), containers.end(), [name](const NamedContainer& one) { return one.name == name; });
}

Failure wrong_annotation(std::string_view name, std::string_view what, std::string hint = {}) {
  return Failure(Errc::invalid_argument, fmt::format("the annotation {} {}", name, what)).with_hint(std::move(hint));
}

// The names of all containers of a pod differ. A pod for Windows may have no Linux settings [facts: k8s-pod-os].
Result<void> check_pod(const AdmittedPod& pod) {
  if (pod.os == "windows" || pod.node_os == "windows") {
    return Failure(Errc::failed_precondition, "the pod is for Windows, and the init container that waits is for Linux")
        .with_hint(fmt::format("remove the annotation {}", wait_annotation));
  }
  if (!has_container(pod.containers, wait_container_name)) return {};
  return Failure(Errc::failed_precondition,
                 fmt::format("a container of the pod is called {}, as the init container that waits", wait_container_name))
      .with_hint("give it another name");
}

// Kubernetes replaces $(NAME) in a container's words by a variable, and $$ by $ [facts: k8s-expansion].
std::string without_variables(std::string_view argument) {
  std::string out;
  for (const char c : argument) out.append(c == '$' ? 2 : 1, c);
  return out;
}

}  // namespace

bool has_wait_container(const AdmittedPod& pod) noexcept { return has_container(pod.init_containers, wait_container_name); }

Result<WaitContainer> wait_container(const AdmittedPod& pod, std::string image, std::string_view usual_until) {
  const Result<void> checked = check_pod(pod);
  if (!checked) return checked.error();
  WaitContainer made;
  made.image = std::move(image);
  made.arguments = {"wait", pod.wait};
  const auto add = [&made](std::string_view option, std::string_view value) {
    made.arguments.emplace_back(option);
    made.arguments.emplace_back(value);
  };
  if (!pod.until.empty()) {
    const Result<Readiness> until = parse_readiness(pod.until);
    if (!until) return wrong_annotation(until_annotation, "is wrong: " + until.error().what(), until.error().hint());
    add("--until", to_string(*until));
  } else if (!usual_until.empty()) {
    add("--until", usual_until);
  }
  if (!pod.members.empty()) {
    const auto members = parse_decimal<int>(pod.members, 1, max_awaited);
    if (!members)
      return wrong_annotation(members_annotation, fmt::format("is {}, not a number from 1 to {}", quoted(pod.members, 64), max_awaited));
    add("--members", pod.members);
  }
  if (!pod.timeout.empty()) {
    const Result<Duration> timeout = parse_duration(pod.timeout);
    if (!timeout) return wrong_annotation(timeout_annotation, "is wrong: " + timeout.error().what(), timeout.error().hint());
    add("--timeout", pod.timeout);
  }
  return made;
}

std::string patch_in_front(const AdmittedPod& pod, const WaitContainer& container) {
  const bool is_first = pod.init_containers.empty();
  std::string out = R"([{"op":"add")";
  append_json_field(out, "path", is_first ? "/spec/initContainers" : "/spec/initContainers/0");
  out += R"(,"value":)";
  out += is_first ? "[{" : "{";
  append_json_field(out, "name", wait_container_name);
  append_json_field(out, "image", container.image);
  out += R"(,"args":[)";
  for (const std::string& argument : container.arguments) {
    if (out.back() != '[') out += ',';
    append_json_string(out, without_variables(argument));
  }
  out += ']';
  out += fixed_part;
  out += is_first ? "]}]" : "}]";
  return out;
}

}  // namespace rollcall::webhook
