#include "fleet/http/rules/scrape_targets.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/url.hpp"
#include "json/json_text.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall::fleet {

Result<ScrapeQuestion> ScrapeQuestion::parse(std::string_view query) {
  ScrapeQuestion question;
  if (query.empty()) return question;
  for (const std::string_view part : split(query, '&')) {
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string_view name = part.substr(0, equals);
    if (name != "target" && name != "port") {
      return Failure(Errc::invalid_argument, fmt::format("there is no parameter {}", quoted(name, 64))).with_hint("known are target, port");
    }
    const std::optional<std::string> value = equals < part.size() ? percent_decode(part.substr(equals + 1)) : std::nullopt;
    if (!value)
      return Failure(Errc::invalid_argument, fmt::format("{} has no value, or a % that two hexadecimal digits do not follow", name));
    if (name == "port") {
      if (question.port) return Failure(Errc::invalid_argument, "port is given twice");
      question.port = parse_decimal<std::uint16_t>(*value, 1);
      if (!question.port)
        return Failure(Errc::invalid_argument, fmt::format("port={} is not a number from 1 to 65535", quoted(*value, 80)));
      continue;
    }
    if (question.targets.size() >= max_scraped_targets)
      return Failure(Errc::invalid_argument, fmt::format("more than {} targets are named", max_scraped_targets));
    Result<Target> target = Target::parse(*value);
    if (!target) return target.error();
    question.targets.push_back(std::move(*target));
  }
  return question;
}

void append_scrape_target(std::string& out, const Target& target, const Member& member, std::optional<std::uint16_t> port) {
  if (member.address.empty()) return;
  Result<Endpoint> endpoint = Endpoint::parse(member.address);
  if (!endpoint) return;
  if (port) endpoint->port = port;
  const bool is_ready = member.state.level == MemberState::ready && member.health.level == MemberState::ready;
  out += out.ends_with('[') ? "\n" : ",\n";
  out += R"({"targets":[)";
  append_json_string(out, endpoint->to_text());
  out += R"(],"labels":{)";
  append_json_field(out, "__meta_rollcall_target", target.to_text());
  append_json_field(out, "__meta_rollcall_job", member.job);
  append_json_field(out, "__meta_rollcall_index", std::to_string(member.index));
  append_json_field(out, "__meta_rollcall_zone", target.get("zone").value_or(target.get("region").value_or("")));
  append_json_field(out, "__meta_rollcall_ready", is_ready ? "true" : "false");
  out += "}}";
}

}  // namespace rollcall::fleet
