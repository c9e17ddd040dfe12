// The words of --checks, split at commas as the command does.
#include "rollcall/host_checks.hpp"

#include "base/text.hpp"
#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> words;
  for (const std::string_view word : split(text, ',')) words.emplace_back(word);
  const Result<HostChecks> checks = HostChecks::parse(words);
  require_sane(checks);
  if (!checks) return 0;
  for (const FolderCheck& folder : checks->folders) require(folder.path.starts_with('/') && (folder.is_mount || folder.bytes > 0));
  for (const std::uint16_t port : checks->ports) require(port > 0);
  return 0;
}
