// Folders that were asked for.
#include "preflight/host/rules/judge_host.hpp"

#include <catch2/catch.hpp>

using namespace rollcall;
using Catch::Matchers::EndsWith;

namespace {

HostReport judged_folders(const HostLook& look) { return judge_host(look, HostChecks::parse(std::vector<std::string>{"kernel"}).value()); }

}  // namespace

TEST_CASE("folders and mounts") {
  HostLook look;
  const auto with = [&look](const char* word) -> FolderLook& {
    look.folders.clear();
    FolderLook& folder = look.folders.emplace_back();
    folder.asked = HostChecks::parse(std::vector<std::string>{word})->folders.at(0);
    folder.found.free_bytes = std::uint64_t{100} << 30;
    folder.mount.emplace();
    folder.mount->path = "/";
    folder.mount->type = "nfs4";
    folder.mount->source = "filer:/x";
    return folder;
  };
  with("disk:/scratch=200G");
  CHECK(judged_folders(look).findings.at(0).text == "'/scratch' has 100 GiB free, and 200 GiB are asked for");
  with("disk:/scratch=100G");
  CHECK(judged_folders(look).findings.empty());
  with("disk:/scratch=1G").found.is_read_only = true;
  CHECK_THAT(judged_folders(look).findings.at(0).text, EndsWith("nfs4, is read-only, and 1 GiB of free space are asked for"));
  with("disk:/scratch=1G").found.is_out_of_files = true;
  CHECK_THAT(judged_folders(look).findings.at(0).text, EndsWith("can hold no more files: all of its inodes are used"));
  with("disk:/scratch=100G").is_silent = true;
  CHECK(judged_folders(look).findings.at(0).text == "'/scratch', on 'filer:/x' of type nfs4 does not answer");
  with("mount:/data");
  CHECK(judged_folders(look).findings.at(0).text == "nothing is mounted at '/data'");
  with("mount:/data").is_mount_known = false;
  CHECK(judged_folders(look).findings.empty());
  CHECK_FALSE(judged_folders(look).verdict().passed);
  with("mount:/data").mount->path = "/data";
  look.folders.front().found.is_read_only = true;  // data sets are, and all hosts have it so
  CHECK(judged_folders(look).findings.empty());
  CHECK(judged_folders(look).fact("mount:/data")->value == "'filer:/x' of type nfs4, read-only");
  with("disk:/none=1G").found.error = "No such file or directory";
  CHECK(judged_folders(look).findings.at(0).severity == FindingSeverity::failure);
}
