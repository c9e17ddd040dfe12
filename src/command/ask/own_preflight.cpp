#include "command/ask/own_preflight.hpp"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <utility>

#include "command/arguments/command_table.hpp"
#include "command/ask/local_devices.hpp"
#include "launch/own_block.hpp"
#include "render/render_barrier.hpp"
#include "rollcall/environment.hpp"
#include "rollcall/host_report.hpp"

namespace rollcall::command {
namespace {

// Facts are compared with those of others, and what this host found out about itself goes along.
void add_host(PreflightOptions& options, const HostReport& report) {
  std::vector<EvidenceFact> facts;
  for (const HostFact& fact : report.facts) {
    const bool is_driver = fact.name == "driver";
    facts.emplace_back(fact.name, fact.value, is_driver ? FindingSeverity::failure : FindingSeverity::warning);
  }
  options.host(report.host).boot_id(report.boot_id).facts(std::move(facts)).packages(report.packages);
  options.findings(report.findings).unknown(report.verdict().unknown);
  options.is_host_known(report.verdict().passed || report.verdict().has_failed());
}

std::string block_of(const MemberPart& part) {
  if (part.count == 1) return {};
  return part.name.empty() ? fmt::format("{} {}", part.kind, part.index) : fmt::format("{} {}", part.kind, part.name);
}

}  // namespace

std::map<std::string, std::string> blocks_by_service(const std::vector<Member>& members) {
  std::map<std::string, std::string> blocks;
  for (const Member& member : members) {
    if (!member.part) continue;
    if (std::string block = block_of(*member.part); !block.empty())
      blocks.emplace(fmt::format("{}:{}", member.job, member.index), std::move(block));
  }
  return blocks;
}

void report_progress(PreflightOptions& options, std::function<void(std::string json)> send) {
  const auto last = std::make_shared<BarrierProgress>();
  options.on_attendance([last](const BarrierProgress& progress) { *last = progress; });
  options.on_progress([last, send = std::move(send)](std::string_view line) {
    send(render_preflight_progress_json(*last, line, std::chrono::system_clock::now()));
  });
}

Result<CheckHostOptions> host_checks_of(const Arguments& arguments) {
  Result<HostChecks> checks = HostChecks::parse(arguments.checks);
  if (!checks) return checks.error();
  Result<std::vector<VerdictSource>> others = VerdictSource::parse_all(arguments.verdict_from);
  if (!others) return others.error();
  checks->others = std::move(*others);
  CheckHostOptions options;
  // This program itself, also when its file was replaced meanwhile.
  options.checks(*checks).root(arguments.machine_root).report_program({"/proc/self/exe", std::string(host_report_word)});
  options.devices(local_devices_options(arguments, arguments.timeout));
  return options;
}

asio::awaitable<Result<PreflightVerdict>> check_and_meet(Runtime runtime, CheckHostOptions checks, ClusterSpec spec, LaunchedTask own,
                                                         PreflightOptions options, QuestionOptions shared) {
  options.bandwidth(checks.checks().wants("bandwidth")).block(own_block(*process_environment()));
  const Result<HostReport> report = co_await try_check_host(runtime, std::move(checks), shared.next());
  if (!report) co_return report.error();
  add_host(options, *report);
  co_return co_await try_preflight_cluster(std::move(runtime), std::move(spec), std::move(own), std::move(options));
}

}  // namespace rollcall::command
