#include "conformance/tpu_arguments.hpp"

#include <boost/json/array.hpp>

#include "conformance/json_reader.hpp"

namespace rollcall::conformance {
namespace {

TpuOptions named(const json::value* name) {
  if (!name) return TpuOptions();
  if (name->is_string()) return TpuOptions(std::string(name->get_string()));
  if (!name->is_array()) throw NotApplicable("tpu: a name or a list of names in C++, not " + std::string(kind_of(*name)));
  std::vector<std::string> names;
  for (const json::value& item : name->get_array()) {
    if (!item.is_string()) throw NotApplicable("tpu: a list of names in C++, not of " + std::string(kind_of(item)));
    names.emplace_back(item.get_string());
  }
  TpuOptions options;
  options.names(std::move(names));
  return options;
}

}  // namespace

TpuOptions read_tpu_options(Arguments& args, const std::vector<std::string>& token_hosts) {
  TpuOptions options = named(args.value("tpu"));
  options.api_version(TpuApiVersion::v1);  // the API version of the vectors
  if (auto project = args.text("project")) options.project(std::move(*project));
  if (auto zone = args.text("zone")) options.zone(std::move(*zone));
  if (auto job = args.text("job_name")) options.job_name(std::move(*job));
  if (auto name = args.text("coordinator_name")) options.coordinator_name(std::move(*name));
  if (auto address = args.text("coordinator_address")) options.coordinator_address(std::move(*address));
  if (auto url = args.text("discovery_url")) options.discovery_url(std::move(*url));
  for (const std::string& host : token_hosts) options.allow_token_to(host);
  args.value("credentials");  // handled by the Runtime
  return options;
}

}  // namespace rollcall::conformance
