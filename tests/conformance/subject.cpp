#include "conformance/subject.hpp"

#include <fmt/format.h>

namespace rollcall::conformance {

Outcome Subject::set(std::string_view property, const json::value&) {
  throw NotUnderstood(fmt::format("it has no property '{}'", property));
}

std::unique_ptr<Subject> make_subject(const std::string& resolver, const json::object& args, const Setting& setting) {
  if (resolver == "cluster_spec") return make_cluster_spec_subject(args);
  if (resolver == "devices") return make_devices_subject();
  if (resolver == "metadata") return make_metadata_subject(args, setting);
  if (resolver == "cloud_tpu_client") return make_cloud_tpu_client_subject(args, setting);
  return make_resolver_subject(resolver, args, setting);
}

}  // namespace rollcall::conformance
