// A pod's service account, whose files are replaced while the program runs.
#include "call/runtime_impl.hpp"
#include "resolvers/kubernetes/kubernetes_support.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

constexpr const char* account_folder = "/var/run/secrets/kubernetes.io/serviceaccount/";

using FileTexts = std::map<std::string, std::string, std::less<>>;

class ChangingFiles final : public Files {
 public:
  explicit ChangingFiles(FileTexts contents) : texts(std::move(contents)) {}
  FileTexts texts;
  Result<std::string> read(const std::string& path, std::size_t max_bytes) const override {
    return fixed_files(texts)->read(path, max_bytes);
  }
};

class AccountWorld : public TestRuntime {
 public:
  explicit AccountWorld(std::shared_ptr<const Files> files)
      : TestRuntime({{"KUBERNETES_SERVICE_HOST", "10.96.0.1"}, {"KUBERNETES_SERVICE_PORT", "443"}}) {
    impl_of(runtime).files = std::move(files);
    answer(200, list_json(""));
  }
};

}  // namespace

TEST_CASE("a pod's token and CA are replaced while the program runs") {
  const auto files = std::make_shared<ChangingFiles>(
      FileTexts{{std::string(account_folder) + "token", "pod-token\n"}, {std::string(account_folder) + "ca.crt", "CA PEM"}});
  AccountWorld world(files);
  const std::shared_ptr<ClusterResolver> resolver = make_kubernetes_resolver(world.runtime, {});
  CHECK(world.run(resolver->try_cluster_spec()).has_value());
  const std::string token = std::string(account_folder) + "token";
  const std::string authorities = std::string(account_folder) + "ca.crt";
  files->texts[token] = "next-token\n";
  files->texts[authorities] = "NEXT CA";
  CHECK(world.run(resolver->try_cluster_spec()).has_value());
  CHECK(world.transport->requests.at(1).bearer.reveal() == "next-token");
  CHECK(world.transport->requests.at(1).access->authorities == "NEXT CA");
  SECTION("the last content serves while a file cannot be read") {
    files->texts.erase(token);
    files->texts[authorities] = "";
    CHECK(world.run(resolver->try_cluster_spec()).has_value());
    CHECK(world.transport->requests.at(2).bearer.reveal() == "next-token");
    CHECK(world.transport->requests.at(2).access->authorities == "NEXT CA");
  }
  SECTION("but not after it was refused") {
    files->texts.erase(token);
    world.transport->answers.clear();
    world.answer(401, status_json(401, "Unauthorized", "Unauthorized"));
    check_failure(world.run(resolver->try_cluster_spec()), Errc::failed_precondition, "no configuration of a pod");
  }
  SECTION("between a request and its repetition as well") {
    world.transport->respond = [&world, files, token, authorities](const HttpRequest&) -> ScriptedTransport::Answer {
      if (world.transport->requests.size() > 3) return ScriptedTransport::Answer(ScriptedTransport::reply(200, list_json("")));
      files->texts[token] = "third-token";
      files->texts[authorities] = "THIRD CA";
      return ScriptedTransport::Answer(ScriptedTransport::reply(401, status_json(401, "Unauthorized", "Unauthorized")));
    };
    CHECK(world.run(resolver->try_cluster_spec()).has_value());
    CHECK(world.transport->requests.at(3).bearer.reveal() == "third-token");
    CHECK(world.transport->requests.at(3).access->authorities == "THIRD CA");
  }
}
