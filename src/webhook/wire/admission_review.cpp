#include "webhook/wire/admission_review.hpp"

#include <fmt/format.h>

#include "base/base64.hpp"
#include "base/text.hpp"
#include "json/json_fields.hpp"
#include "json/json_values.hpp"

namespace rollcall::webhook {
namespace {

constexpr std::string_view review_version = "admission.k8s.io/v1";
constexpr std::string_view review_kind = "AdmissionReview";
constexpr std::size_t max_uid = 256;
constexpr std::size_t max_warning = 250;  // servers cut longer ones

class ReviewDocument {
 public:
  ReviewDocument() {}
  std::string api_version;
  std::string kind;
  AdmissionRequest request;
};

std::string complaint_of_uid(std::string_view uid) {
  return uid.size() <= max_uid && is_ascii_from(' ', uid) ? std::string() : std::string("is no identity of a request");
}

void forget_metadata(AdmittedPod& pod) {
  pod.namespace_name.clear();
  pod.name.clear();
  pod.generate_name.clear();
}
void forget_annotations(AdmittedPod& pod) {
  pod.asks_to_wait = false;
  for (std::string* const value : {&pod.wait, &pod.until, &pod.members, &pod.timeout}) value->clear();
}
void forget_os(AdmittedPod& pod) { pod.os.clear(); }
void forget_node_os(AdmittedPod& pod) { pod.node_os.clear(); }
void forget_spec(AdmittedPod& pod) {
  pod.init_containers.clear();
  pod.containers.clear();
  forget_os(pod);
  forget_node_os(pod);
}

std::string note_wait(AdmittedPod& pod, std::string_view target) {
  pod.asks_to_wait = true;
  pod.wait = target;
  return {};
}

// clang-format off
constexpr auto annotation_fields = json_object<AdmittedPod>(
    text_field<&note_wait>(wait_annotation),
    text_field<&AdmittedPod::until>(until_annotation),
    text_field<&AdmittedPod::members>(members_annotation),
    text_field<&AdmittedPod::timeout>(timeout_annotation));
constexpr auto metadata_fields = json_object<AdmittedPod>(
    text_field<&AdmittedPod::namespace_name>("namespace"),
    text_field<&AdmittedPod::name>("name"),
    text_field<&AdmittedPod::generate_name>("generateName"),
    inner_field<annotation_fields, forget_annotations>("annotations"));
constexpr auto container_name_fields = json_object<NamedContainer>(text_field<&NamedContainer::name>("name"));
constexpr auto os_fields = json_object<AdmittedPod>(text_field<&AdmittedPod::os>("name"));
constexpr auto node_fields = json_object<AdmittedPod>(text_field<&AdmittedPod::node_os>("kubernetes.io/os"));
constexpr auto pod_fields = json_object<AdmittedPod>(
    array_field<&AdmittedPod::init_containers, container_name_fields>("initContainers"),
    array_field<&AdmittedPod::containers, container_name_fields>("containers"),
    inner_field<os_fields, forget_os>("os"),
    inner_field<node_fields, forget_node_os>("nodeSelector"));
constexpr auto object_fields = json_object<AdmittedPod>(
    text_field<&AdmittedPod::kind>("kind"),
    inner_field<metadata_fields, forget_metadata>("metadata"),
    inner_field<pod_fields, forget_spec>("spec"));
constexpr auto request_fields = json_object<AdmissionRequest>(
    required(text_field<&AdmissionRequest::uid, complaint_of_uid>("uid")),
    text_field<&AdmissionRequest::operation>("operation"),
    text_field<&AdmissionRequest::namespace_name>("namespace"),
    object_field<&AdmissionRequest::object, object_fields>("object"));
constexpr auto review_fields = json_object<ReviewDocument>(
    text_field<&ReviewDocument::api_version>("apiVersion"),
    text_field<&ReviewDocument::kind>("kind"),
    object_field<&ReviewDocument::request, request_fields>("request"));
// clang-format on

std::string check_version(ReviewDocument& review) {
  if (review.kind == review_kind && review.api_version == review_version) return {};
  return fmt::format("is {} of {}, not {} of {}", quoted(review.kind, 64), quoted(review.api_version, 64), review_kind, review_version);
}

constexpr JsonForm<ReviewDocument> review_form = json_form<review_fields, check_version>("the review", "request.uid");

void write_status(std::string& out, const std::string& refusal) {
  out += R"(,"status":{"code":400,"reason":"BadRequest")";
  append_json_field(out, "message", refusal);
  out += '}';
}

void write_warning(std::string& out, std::string_view warning) {
  out += R"(,"warnings":[)";
  append_json_string(out, printable(warning, max_warning));
  out += ']';
}

}  // namespace

Result<AdmissionRequest> read_admission_review(std::string_view json) {
  ParseLimits limits;
  limits.max_text = std::size_t{256} * 1024;  // of all annotations of an object together
  limits.max_memory = 2 * max_review_bytes;
  Result<ReviewDocument> review = read_json(review_form, json, limits);
  if (!review) return review.error();
  return std::move(review->request);
}

std::string write_admission_review(const AdmissionAnswer& answer) {
  std::string out = "{";
  append_json_field(out, "apiVersion", review_version);
  append_json_field(out, "kind", review_kind);
  out += R"(,"response":{)";
  append_json_field(out, "uid", answer.uid);
  out += fmt::format(R"(,"allowed":{})", answer.refusal.empty());
  if (!answer.patch.empty()) {
    append_json_field(out, "patchType", "JSONPatch");
    append_json_field(out, "patch", base64_encode(answer.patch));
  }
  if (!answer.refusal.empty()) write_status(out, answer.refusal);
  if (!answer.warning.empty()) write_warning(out, answer.warning);
  return out + "}}";
}

}  // namespace rollcall::webhook
