// Checks of a Slurm target: the way to ask, the version that answers, and the token with its end.
#include "resolvers/slurm/slurm_doctor.hpp"

#include <fmt/format.h>

#include "base/saturating.hpp"
#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "call/rules/doctor_checks.hpp"
#include "call/runtime_impl.hpp"
#include "programs/helpful_lines.hpp"
#include "resolvers/slurm/slurm_source.hpp"
#include "resolvers/slurm/slurm_token.hpp"
#include "resolvers/slurm/wire/slurm_token.hpp"

namespace rollcall {
namespace {

class SlurmSubject final : public DoctorSubject {
 public:
  SlurmSubject(SlurmJobOptions options, std::shared_ptr<SlurmSource> source) : options_(std::move(options)), source_(std::move(source)) {}

  bool asks_by_http() const noexcept override { return !options_.restd().empty(); }

  asio::awaitable<Result<HttpRequest>> find(Call&) const override {
    Result<SlurmRestAddress> address = SlurmRestAddress::parse(options_.restd());
    if (!address) co_return address.error();
    HttpRequest request(std::move(address->root));
    request.access = address->access;
    co_return request;
  }

  // A small question, which slurmrestd hands to slurmctld.
  DoctorAnswer check_settings(Call& call) const override {
    DoctorChecks checks;
    const Result<std::vector<SlurmReservation>> answer = co_await source_->reservations(call);
    if (!answer && answer.error().code() == Errc::cancelled) co_return answer.error();
    const std::string version = co_await version_of_programs(call);
    if (options_.restd().empty()) co_await check_munge(call, answer.has_value(), checks);
    if (!answer) {
      checks.push_back(failed_check("Slurm", answer.error()));
      co_return checks;
    }
    checks.emplace_back("Slurm", CheckOutcome::pass, source_->describe() + version);
    co_return co_await check_lists(call, std::move(checks));
  }

  DoctorAnswer check_token(Call& call) const override {
    DoctorChecks checks;
    const std::shared_ptr<Credentials> credentials = options_.restd().empty() ? nullptr : slurm_credentials(options_);
    if (!credentials) {
      checks.push_back(skipped_check(
          "token", options_.restd().empty()
                       ? "Slurm's programs sign in by themselves (munge, sackd, or SLURM_JWT): what they say is the check Slurm"
                       : "none is sent: a unix socket knows its user"));
      co_return checks;
    }
    const Result<AccessToken> token = co_await credentials->token(call);
    if (!token && token.error().code() == Errc::cancelled) co_return token.error();
    if (!token) {
      checks.push_back(failed_check("token", token.error()));
      co_return checks;
    }
    const WallTime now = impl_of(call).time->wall_now();
    const Result<SlurmToken> parsed = parse_slurm_token("the token", token->value.reveal());
    std::string whose = options_.login();
    if (whose.empty() && parsed) whose = parsed->user;
    const std::string name = fmt::format("{}, of {}", credentials->describe(), printable(whose, 80));
    checks.emplace_back("token", CheckOutcome::pass,
                        token->expires_at ? fmt::format("{}, good until {} ({})", name, format_rfc3339(*token->expires_at),
                                                        coarse_duration_text(saturating_difference(*token->expires_at, now)))
                                          : name + ", which does not say until when it is good");
    co_return checks;
  }

 private:
  // What this user is shown: with PrivateData Slurm leaves out other users' jobs, and nodes, without saying so.
  asio::awaitable<Result<DoctorChecks>> check_lists(Call& call, DoctorChecks checks) const {
    const Result<SlurmNodesPointer> nodes = co_await source_->all_nodes(call);
    if (!nodes && nodes.error().code() == Errc::cancelled) co_return nodes.error();
    if (!nodes) checks.push_back(failed_check("nodes", nodes.error()));
    if (nodes) {
      const std::size_t count = (*nodes)->nodes.size();
      checks.emplace_back("nodes", count > 0 ? CheckOutcome::pass : CheckOutcome::warning,
                          count > 0 ? fmt::format("{} are shown", count) : "none is shown: with PrivateData=nodes only operators see them");
    }
    const Result<SlurmMarks> marks = co_await source_->marks(call);
    if (!marks && marks.error().code() == Errc::cancelled) co_return marks.error();
    if (marks) {
      checks.emplace_back("jobs", CheckOutcome::pass,
                          fmt::format("{} jobs and waiting tasks are shown (with PrivateData=jobs only this user's)", marks->rows()));
    } else if (marks.error().code() != Errc::unimplemented) {
      checks.push_back(failed_check("jobs", marks.error()));
    }
    co_return checks;
  }

  // Slurm's programs sign in by a credential of munge, unless the site has sackd or another socket, or SLURM_JWT is set.
  asio::awaitable<void> check_munge(Call& call, bool is_signed_in, DoctorChecks& checks) const {
    ProgramRequest request(std::vector<std::string>{"munge", "--no-input"});
    request.timeout = std::chrono::seconds(5);
    const Result<ProgramOutput> output = co_await impl_of(call).programs->run(std::move(request));
    const bool makes_one = output && output->exit_code == 0 && output->signal == 0;
    if (makes_one) {
      checks.emplace_back("munge", CheckOutcome::pass, "it makes credentials for this user");
    } else if (is_signed_in) {
      checks.push_back(skipped_check("munge", "Slurm's programs sign in without it, or by another socket than its default"));
    } else if (!output && output.error().code() == Errc::not_found) {
      checks.push_back(skipped_check("munge", "it is not installed here: Slurm's programs need sackd or SLURM_JWT then"));
    } else {
      Failure failure =
          output ? Failure(Errc::failed_precondition, "munge makes no credential: " + helpful_lines(output->errors)) : output.error();
      failure.with_hint("systemctl status munge; this user must be able to enter the folder of its socket");
      checks.push_back(failed_check("munge", failure));
    }
  }

  // `, slurm-wlm 24.11.5`; empty where slurmrestd is asked, whose version of the API is shown, or scontrol does not say.
  asio::awaitable<std::string> version_of_programs(Call& call) const {
    if (!options_.restd().empty()) co_return std::string();
    ProgramRequest request(std::vector<std::string>{"scontrol", "--version"});
    request.timeout = std::chrono::seconds(5);
    const Result<ProgramOutput> output = co_await impl_of(call).programs->run(std::move(request));
    if (!output || output->exit_code != 0 || output->signal != 0) co_return std::string();
    const std::string_view text = output->output.reveal();
    const std::string line = printable(trim(text.substr(0, text.find('\n'))), 80);
    co_return line.empty() ? line : ", " + line;
  }

  SlurmJobOptions options_;
  std::shared_ptr<SlurmSource> source_;
};

}  // namespace

std::optional<Failure> slurm_access_fault(const SlurmJobOptions& options) {
  if (!options.restd().empty()) {
    const Result<SlurmRestAddress> address = SlurmRestAddress::parse(options.restd());
    return address ? std::nullopt : std::optional<Failure>(address.error());
  }
  const bool has_token = !options.token_file().empty() || !options.token_command().empty() || !options.login().empty();
  if (!has_token) return std::nullopt;
  return Failure(Errc::invalid_argument, "a token is for slurmrestd, and none is named").with_hint("name it: restd=https://HOST");
}

Result<std::shared_ptr<const DoctorSubject>> doctor_slurm(const Runtime&, const Target& target) {
  std::shared_ptr<const DoctorSubject> subject;
  if (!target.body.starts_with("job")) return subject;
  Result<SlurmJobOptions> options = slurm_job_options(target);
  if (!options) return options.error();
  Result<std::shared_ptr<SlurmSource>> source = options->restd().empty() ? make_slurm_programs() : make_slurm_rest(*options);
  if (!source) return source.error();
  subject = std::make_shared<SlurmSubject>(std::move(*options), std::move(*source));
  return subject;
}

}  // namespace rollcall
