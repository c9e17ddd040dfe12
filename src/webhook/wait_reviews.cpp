#include "webhook/wait_reviews.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "rollcall/target_scheme.hpp"
#include "webhook/rules/wait_container.hpp"

namespace rollcall::webhook {
namespace {

constexpr std::string_view pod_scheme = "kubernetes";

Failure wrong_target(const Failure& why) {
  return Failure(Errc::invalid_argument, fmt::format("the annotation {} is wrong: {}", wait_annotation, why.what())).with_hint(why.hint());
}

Result<WaitContainer> container_for(const AdmittedPod& pod, const std::string& image) {
  const Result<Target> target = Target::parse(pod.wait);
  if (!target) return wrong_target(target.error());
  const TargetScheme* const scheme = find_scheme(target->scheme);
  if (!scheme) {
    return wrong_target(Failure(Errc::invalid_argument, fmt::format("there are no targets called {}:", printable(target->scheme, 64)))
                            .with_hint("such as kubernetes:./job/NAME, tpu:NAME, dns:NAME"));
  }
  const Result<void> fine = check_keys(*target, *scheme);
  if (!fine) return wrong_target(fine.error());
  // A pod is not Running while it is in its init containers, so that pods that wait for each other would wait for ever.
  return wait_container(pod, image, scheme->name == pod_scheme ? "endpoints" : "");
}

}  // namespace

AdmissionAnswer WaitReviews::judge(const AdmissionRequest& request) const {
  AdmissionAnswer answer;
  answer.uid = request.uid;
  const AdmittedPod& pod = request.object;
  const bool is_new_pod = pod.kind == "Pod" && request.operation == "CREATE";
  if (!is_new_pod || !pod.asks_to_wait || has_wait_container(pod)) return answer;
  ReviewedPod reviewed;
  reviewed.namespace_name = request.namespace_name;
  reviewed.name = pod.name.empty() ? pod.generate_name : pod.name;
  reviewed.target = pod.wait;
  const Result<WaitContainer> container = container_for(pod, image_);
  if (container) {
    answer.patch = patch_in_front(pod, *container);
  } else {
    reviewed.fault = container.error().what();
    if (!container.error().hint().empty()) reviewed.fault += ": " + container.error().hint();
    const std::string said = printable("rollcall: " + reviewed.fault, 1024);
    (refuses_faulty_ ? answer.refusal : answer.warning) = refuses_faulty_ ? said : said + ": the pod does not wait";
  }
  if (on_pod_) on_pod_(reviewed);
  return answer;
}

}  // namespace rollcall::webhook
