// What other programs print: the first byte is the exit code, the second says whether it is one of Nagios, or an answer of nvhcd. What is
// found is bounded and printable, and a command that failed never passes.
#include "preflight/host/wire/other_verdict.hpp"

#include "base/text.hpp"
#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  if (size < 2) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  VerdictSource source;
  source.name = "check";
  source.is_nagios = data[1] == 'n';
  if (data[1] == 'h') source.socket = "/nvhcd.sock";
  const CommandEnd end(data[0] % 8, std::string(text));
  const std::vector<OtherFinding> found = read_other_verdict(source, end);
  require(found == read_other_verdict(source, end) && found.size() <= max_other_findings);
  require(end.exit_code == 0 || !source.socket.empty() || !found.empty());
  bool is_warning = false;
  for (const OtherFinding& finding : found) {
    require(finding.text.starts_with("check ") && finding.text.size() <= max_other_words + 3 &&
            printable(finding.text, 500) == finding.text);
    require(finding.device.size() <= max_other_device + 3);
    require(!is_warning || finding.severity == FindingSeverity::warning);
    is_warning = finding.severity == FindingSeverity::warning;
  }
  if (const Result<VerdictSource> parsed = VerdictSource::parse(text)) {
    require(!parsed->name.empty() && parsed->name.size() <= 64 && parsed->name.find('/') == std::string::npos);
    require(parsed->command.size() <= size && parsed->socket.size() <= 107 && parsed->arguments.empty() == parsed->socket.empty());
  }
  return 0;
}
