#include "resolvers/kubernetes/access/rules/kubernetes_service.hpp"

#include <fmt/format.h>

namespace rollcall {
namespace {

std::string refused_pod_token_hint(const std::string& from) {
  return fmt::format("The server does not take what came from {}: it may have ended, been revoked, or be meant for another server", from);
}

}  // namespace

constexpr Service kubernetes_service = {
    .forbidden_hint = "Check which account the token belongs to, and what its roles allow.",
    .names_anonymous = true,
    .bad_request_hint = "Check the selectors: they are like app=trainer,tier!=test,zone in (a,b),!old.",
    .not_found_hint = "Check that the address is that of a Kubernetes API server, without a path behind it.",
    .refused_token_hint = refused_pod_token_hint,
    .is_recordable = true,
    .lists_addresses = true,
};

}  // namespace rollcall
