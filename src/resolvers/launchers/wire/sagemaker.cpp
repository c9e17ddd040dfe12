#include "resolvers/launchers/wire/sagemaker.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "json/json_dom.hpp"

namespace rollcall {
namespace {

constexpr std::string_view sagemaker_hint = R"(SM_HOSTS must hold a JSON array of host names, such as ["algo-1","algo-2"])";

Failure bad_sm_hosts(std::string what) {
  return Failure(Errc::invalid_argument, "SM_HOSTS: " + std::move(what)).with_hint(std::string(sagemaker_hint));
}

bool is_sagemaker_host(std::string_view name) {
  const auto is_refused = [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7f; };
  return !name.empty() && name.size() <= 255 && std::none_of(name.begin(), name.end(), is_refused);
}

}  // namespace

Result<SageMakerHosts> parse_sagemaker(std::string_view text, std::string_view current_host, const ParseLimits& limits) {
  SageMakerHosts result;
  if (text.empty()) return result;
  const Result<JsonDocument> document = JsonDocument::parse("SM_HOSTS", text, limits);
  if (!document) {
    Failure failure = document.error();
    if (failure.code() == Errc::malformed_response) failure.with_code(Errc::invalid_argument).with_hint(std::string(sagemaker_hint));
    return failure;
  }
  if (!document->root().is_array()) return bad_sm_hosts(fmt::format("is {}, not an array", kind_name(document->root())));
  const boost::json::array& names = document->root().get_array();
  if (names.size() > limits.max_endpoints)
    return Failure(Errc::limit_exceeded, fmt::format("SM_HOSTS has more than {} hosts", limits.max_endpoints));
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!names[i].is_string()) return bad_sm_hosts(fmt::format("[{}] is {}, not a text", i, kind_name(names[i])));
    const std::string_view name(names[i].get_string());
    if (!is_sagemaker_host(name)) return bad_sm_hosts(fmt::format("[{}] is no host name: {}", i, quoted(name, 80)));
    result.hosts.emplace_back(name);
  }
  std::sort(result.hosts.begin(), result.hosts.end());
  const auto found = std::find(result.hosts.begin(), result.hosts.end(), current_host);
  if (found == result.hosts.end()) {
    SageMakerHosts none;
    none.unlisted = fmt::format("SM_CURRENT_HOST is {}, which is not among SM_HOSTS: {}", quoted(current_host, 80),
                                result.hosts.empty() ? "it lists none" : printable(fmt::format("{}", fmt::join(result.hosts, ", ")), 200));
    return none;
  }
  result.current = static_cast<int>(found - result.hosts.begin());
  return result;
}

}  // namespace rollcall
