// The settings of `rollcall serve` when they are read again: a truncated file.
#include "command/run/service_settings.hpp"

#include <catch2/catch.hpp>

#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::command;
using namespace rollcall::testing;

namespace {

constexpr const char* path = "/etc/rollcall/fleet.yaml";

Result<ServiceSettings> settings_from(const std::string& text) {
  Arguments arguments;
  arguments.config_file = path;
  return read_service_settings(arguments, *fixed_files({{path, text}}));
}

const std::string guarded = R"(rights:
  - {who: "google:p/*", read: ["tpu:*,project=p"]}
  - who: "google:q/*"
    read:
      - tpu:*,project=q
clients:
  - google: {audience: a, projects: [p, q]}
follow:
  - tpu:
      project: p
      zones: [z]
allow:
  - tpu:*,project=p
  - tpu:*,project=q
limits:
  burst: 7
)";

// Whether `now` admits nothing that `before` forbids, list by list.
bool is_narrower(const FleetServiceOptions& before, const FleetServiceOptions& now) {
  const auto is_part = [](const auto& some, const auto& all) {
    return some.size() <= all.size() && std::equal(some.begin(), some.end(), all.begin());
  };
  return !now.clients.empty() && is_part(now.clients, before.clients) && is_part(now.rights, before.rights) && !now.allow.empty() &&
         is_part(now.allow, before.allow) && is_part(now.follow, before.follow) && now.bounds == before.bounds;
}

}  // namespace

TEST_CASE("Settings that were truncated anywhere admit no client that was refused before") {
  const ServiceSettings before = value_of(settings_from(guarded));
  int read = 0;
  for (std::size_t size = 0; size < guarded.size(); ++size) {
    INFO(guarded.substr(0, size));
    const Result<ServiceSettings> now = settings_from(guarded.substr(0, size));
    if (!now) continue;
    ++read;
    const Result<void> taken = check_not_cut(before, *now);
    CHECK((taken.has_error() || is_narrower(before.options, now->options)));
    if (!taken) check_failure(taken, Errc::refused_by_policy, "cut");
  }
  CHECK(read > 20);  // many truncated files are valid
}

TEST_CASE("Settings that end earlier on purpose are taken where they only name fewer") {
  const std::string open =
      "clients: [{google: {audience: a, projects: [p]}}]\nallow: [\"tpu:*\"]\nrights:\n- {who: \"google:p/a\", read: [\"*\"]}\n";
  const ServiceSettings before = value_of(settings_from(open + "- {who: \"google:p/b\", read: [\"*\"]}\n"));
  CHECK(check_not_cut(before, value_of(settings_from(open))));
  CHECK(check_not_cut(before, before));
  const ServiceSettings other = value_of(settings_from("limits: {burst: 7}\n"));
  CHECK(check_not_cut(before, other));  // not a prefix of it: the service itself reports the parts that it cannot change
}
