// Project and zone when they are not given: the credentials', gcloud's, the metadata server's, in this order.
#include <catch2/catch.hpp>

#include "call/call_scope.hpp"
#include "google/cloud_place.hpp"
#include "support/result.hpp"
#include "support/test_runtime.hpp"

namespace rollcall::testing {
namespace {

using Pairs = std::map<std::string, std::string, std::less<>>;

const std::string config_file = "/me/.config/gcloud/configurations/config_default";
const std::string key_file = "/keys/user.json";

// The subjects of place_chosen.
class PlaceLog final : public LogSink {
 public:
  std::string reported;
  void on_event(const Event& event) noexcept override {
    if (event.kind == EventKind::place_chosen) reported += std::string(event.subject) + "; ";
  }
};

// A program's own credentials, which know their project.
class OwnCredentials final : public Credentials {
 public:
  asio::awaitable<Result<AccessToken>> token(Call&) override { co_return Failure(Errc::unauthenticated, "none"); }
  void invalidate(const AccessToken&) override {}
  std::string describe() const override { return "the vault's"; }
  Result<CredentialFacts::Pointer> facts(const Environment&, const Files&) override {
    CredentialFacts facts(describe());
    facts.project = "of-vault";
    return std::make_shared<const CredentialFacts>(std::move(facts));
  }
};

class CountedFiles final : public Files {
 public:
  explicit CountedFiles(Pairs contents) : files_(fixed_files(std::move(contents))) {}
  mutable std::size_t reads = 0;
  Result<std::string> read(const std::string& path, std::size_t max_bytes) const override {
    ++reads;
    return files_->read(path, max_bytes);
  }

 private:
  std::shared_ptr<const Files> files_;
};

class PlaceFinder {
 public:
  int calls = 1;  ///< calls in sequence
  std::size_t reads = 0;  ///< of files
  std::shared_ptr<Credentials> credentials;  ///< null: the default ones
  std::string reported;
  std::size_t requests = 0;

  // `project/zone`
  Result<std::string> find(Pairs variables, Pairs files) {
    VirtualLoop loop;
    const auto timers = std::make_shared<TimerQueue>(loop.time, loop.io.get_executor());
    const auto transport = std::make_shared<ScriptedTransport>(timers);
    transport->respond = [](const HttpRequest& request) {
      const bool is_zone = request.url.target.ends_with("/zone");
      HttpResponse response = ScriptedTransport::reply(200, is_zone ? "projects/1/zones/metadata-zone" : "metadata-project");
      response.headers.add("Metadata-Flavor", "Google");
      return ScriptedTransport::Answer(std::move(response));
    };
    const auto log = std::make_shared<PlaceLog>();
    RuntimeOptions options;
    options.http = transport;
    options.time = loop.time;
    options.environment = fixed_environment(std::move(variables));
    const auto counted = std::make_shared<CountedFiles>(std::move(files));
    options.files = counted;
    options.log = log;
    options.credentials = credentials;
    const Runtime runtime(loop.io.get_executor(), std::move(options));
    auto script = [](Call& call) { return complete(call); };
    Result<std::string> place = Failure(Errc::cancelled, "nobody asked");
    for (int i = 0; i < calls; ++i) place = loop.run(run_call<std::string>(shared_impl_of(runtime), CallOptions(), "test", script));
    reads = counted->reads;
    reported = log->reported;
    requests = transport->requests.size();
    return place;
  }

 private:
  static asio::awaitable<Result<std::string>> complete(Call& call) {
    std::string project;
    std::string zone;
    const Result<void> done = co_await complete_place(call, "the test", project, &zone);
    if (!done) co_return done.error();
    co_return project + "/" + zone;
  }
};

TEST_CASE("project and zone come from the metadata server last") {
  PlaceFinder finder;
  CHECK(value_of(finder.find({{"HOME", "/me"}}, {})) == "metadata-project/metadata-zone");
  CHECK(finder.reported == "project 'metadata-project', from the metadata server; zone 'metadata-zone', from the metadata server; ");
  CHECK(value_of(finder.find({{"HOME", "/me"}}, {{config_file, "[core]\nproject = g\n[compute]\nzone = h\n"}})) == "g/h");
  CHECK(finder.reported == "project 'g', from gcloud's configuration 'default'; zone 'h', from gcloud's configuration 'default'; ");
  CHECK(finder.requests == 0);
  CHECK(value_of(finder.find({{"HOME", "/me"}}, {{config_file, "[core]\nproject = g\n"}})) == "g/metadata-zone");
  CHECK(finder.requests == 1);
}

TEST_CASE("the project of the credentials comes before gcloud's") {
  PlaceFinder finder;
  const std::string key = R"({"type":"authorized_user","client_id":"c","client_secret":"s","refresh_token":"r","project_id":"of-file"})";
  const Pairs files = {{key_file, key}, {config_file, "[core]\nproject = g\n[compute]\nzone = h\n"}};
  const Pairs variables = {{"HOME", "/me"}, {"GOOGLE_APPLICATION_CREDENTIALS", key_file}};
  CHECK(value_of(finder.find(variables, files)) == "of-file/h");
  CHECK(finder.reported ==
        "project 'of-file', from the credential file /keys/user.json; zone 'h', from gcloud's configuration 'default'; ");
}

TEST_CASE("project and zone are looked for until they are found, and kept then") {
  const Pairs config = {{config_file, "[core]\nproject = g\n[compute]\nzone = h\n"}};
  PlaceFinder once;
  CHECK(value_of(once.find({{"HOME", "/me"}}, config)) == "g/h");
  CHECK(once.reads > 0);
  PlaceFinder often;
  often.calls = 50;
  CHECK(value_of(often.find({{"HOME", "/me"}}, config)) == "g/h");
  CHECK(often.reads == once.reads);
  CHECK(value_of(often.find({{"HOME", "/me"}}, {})) == "metadata-project/metadata-zone");
  CHECK(often.requests == 2);
  CHECK(often.reads <= once.reads + 2);
  often.calls = 3;
  CHECK(often.find({{"HOME", "/me"}}, {{config_file, "[core]\nproject = a/b\n[compute]\nzone = h\n"}}).has_error());
  CHECK(often.reads > once.reads);  // it may have been corrected meanwhile
}

TEST_CASE("a program's own credentials may know their project") {
  PlaceFinder finder;
  finder.credentials = std::make_shared<OwnCredentials>();
  CHECK(value_of(finder.find({{"HOME", "/me"}}, {{config_file, "[core]\nproject = g\n[compute]\nzone = h\n"}})) == "of-vault/h");
  CHECK(finder.reported == "project 'of-vault', from the vault's; zone 'h', from gcloud's configuration 'default'; ");
}

TEST_CASE("gcloud's configuration must contain a valid project and zone") {
  PlaceFinder finder;
  check_failure(finder.find({{"HOME", "/me"}}, {{config_file, "[core]\nproject = a/b\n[compute]\nzone = h\n"}}), Errc::invalid_argument,
                "gcloud's configuration 'default': 'a/b' is not a project");
  check_failure(finder.find({{"HOME", "/me"}}, {{config_file, "nonsense"}}), Errc::invalid_argument, config_file);
}

}  // namespace
}  // namespace rollcall::testing
