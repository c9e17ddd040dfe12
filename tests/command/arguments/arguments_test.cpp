#include "command/arguments/command_table.hpp"
#include "command/arguments/parse_arguments.hpp"
#include "support/certificates.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::command;
using namespace std::chrono_literals;

namespace {

CommandLine parsed(std::vector<std::string> words) {
  Result<CommandLine> line = parse_arguments(std::move(words));
  REQUIRE(line);
  return std::move(*line);
}

std::string refusal(std::vector<std::string> words) {
  const Result<CommandLine> line = parse_arguments(std::move(words));
  if (line) return "accepted";
  CHECK(line.error().code() == Errc::invalid_argument);
  return line.error().message();
}

bool contains(const std::string& text, std::string_view part) {
  INFO(text);
  CHECK(text.find(part) != std::string::npos);
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a command line becomes arguments") {
  // clang-format off
  const CommandLine line = parsed({"spec", "tpu:a", "--timeout", "1m30s", "-v", "--format=json", "--connect-to", "a:1:b:2", "--connect-to", "c:3:d:4", "tpu:b", "-p", "p1",
                                   "--zone", "z", "--retries", "3", "--lookup", "list", "--api", "v1", "--targets-from", "-", "--log", "json", "--trace", "t.json"});
  // clang-format on
  const Arguments& a = line.arguments;
  CHECK(line.request == Request::run);
  CHECK(line.command->name == "spec");
  CHECK(a.positionals == std::vector<std::string>{"tpu:a", "tpu:b"});
  CHECK(a.timeout == 90s);
  CHECK(a.is_verbose);
  CHECK(a.format == Format::json);
  REQUIRE(a.connect_to.size() == 2);
  CHECK(a.connect_to[1].to_port == 4);
  CHECK(a.project == "p1");
  CHECK(a.zone == "z");
  CHECK(a.retries == 3);
  CHECK(a.lookup == TpuLookup::list);
  CHECK(a.api == TpuApiVersion::v1);
  CHECK(a.target_files == std::vector<std::string>{"-"});
  CHECK(a.log == LogForm::json);
  CHECK(a.trace_file == "t.json");
}

TEST_CASE("topology takes one word") {
  const Arguments a = parsed({"topology", "v4-32", "--svg", "-", "--zone", "z"}).arguments;
  CHECK(a.positionals == std::vector<std::string>{"v4-32"});
  CHECK(a.svg_file == "-");
  contains(refusal({"topology"}), "TYPE_OR_TARGET is missing");
  contains(refusal({"topology", "v4-32", "v4-16"}), "unexpected argument 'v4-16'");
  contains(refusal({"topology", "v4-32", "--svg", "-", "--format", "json"}), "exclude each other");
  contains(refusal({"topolgy", "v4-32"}), "did you mean rollcall topology?");
}

TEST_CASE("the last of a repeated option counts") {
  CHECK(parsed({"spec", "tpu:a", "--timeout", "3", "--timeout", "4s"}).arguments.timeout == 4s);
}

TEST_CASE("behind -- everything is a target") {
  CHECK(parsed({"spec", "--", "tpu:a", "--x"}).arguments.positionals == std::vector<std::string>{"tpu:a", "--x"});
}

TEST_CASE("help and version are found anywhere") {
  CHECK(parsed({"--help"}).request == Request::help);
  CHECK(parsed({"spec", "--help"}).command->name == "spec");
  CHECK(parsed({"spec", "tpu:a", "--nonsense", "-h"}).request == Request::help);
  CHECK(parsed({"help", "sim"}).command->name == "sim");
  CHECK(parsed({"help", "sim"}).request == Request::full_help);
  CHECK(parsed({"help"}).request == Request::help);
  CHECK(parsed({"help", "exit-codes"}).topic == "exit-codes");
  CHECK(refusal({"help", "target"}) == "unknown topic 'target': did you mean rollcall help targets?");
  CHECK(parsed({"--version"}).request == Request::version);
  CHECK(parsed({"spec", "--version"}).request == Request::version);
}

TEST_CASE("what is misspelt is answered with the nearest") {
  contains(refusal({"spec", "tpu:a", "--tiemout", "3"}), "did you mean --timeout?");
  contains(refusal({"spec", "tpu:a", "--verbos"}), "did you mean --verbose?");
  contains(refusal({"spce", "tpu:a"}), "did you mean rollcall spec?");
  contains(refusal({"tpu:a"}), "did you mean rollcall spec tpu:a?");
  contains(refusal({"spec", "tpu:a", "--format", "jsno"}), "did you mean json?");
  contains(refusal({"--verbose", "spec", "tpu:a"}), "belongs behind the command");
}

TEST_CASE("a proxy's URL is taken whole, and its password never quoted, wherever it stands") {
  const std::string good = "http://me:hush%40hush@proxy.test:3128";
  CHECK(parsed({"spec", "tpu:a", "--proxy", good}).arguments.proxy.reveal() == good);
  CHECK(parsed({"doctor", "--proxy=socks5h://proxy.test"}).arguments.proxy.reveal() == "socks5h://proxy.test");
  const std::string quoted_at_length = "http://me:hush@" + std::string(200, 'p');
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{{"spec", "tpu:a", "--proxy", "ftp://me:hush@p"},
                                                                                     {"spec", "tpu:a", "--proxy", "http://me:hush@"},
                                                                                     {"spec", "tpu:a", "--proxy=http://me:hush@p/path"},
                                                                                     {"spec", "tpu:a", "--proxy", "http://me:hush%zz@p"},
                                                                                     {"spec", "tpu:a", "--prox=" + good},
                                                                                     {"spec", "tpu:a", "--prox", good},
                                                                                     {"spec", "tpu:a", good},
                                                                                     {"spec", "tpu:a", "--timeout", good},
                                                                                     {"spec", "tpu:a", "--format", quoted_at_length},
                                                                                     {"--proxy", good, "spec", "tpu:a"},
                                                                                     {"--proxy=" + good, "spec", "tpu:a"},
                                                                                     {good, "tpu:a"},
                                                                                     {"exec", good, "--", "true"},
                                                                                     {"topology", "v4-32", "http://me:hu=hush@p"},
                                                                                     {"sim", "f", good}}) {
    CAPTURE(words);
    const std::string reported = refusal(words);
    CHECK(reported.find("hush") == std::string::npos);
    CHECK(reported.find("me:") == std::string::npos);
  }
  contains(refusal({"spec", "tpu:a", "--proxy", "ftp://p"}), "--proxy: the URL names no proxy that can be used: its scheme is not http");
  contains(refusal({"spec", "tpu:a", "--proxy", ""}), "--proxy: the URL names no proxy");
  contains(refusal({"spec", "tpu:a", good}), "a proxy is named by --proxy URL");
}

TEST_CASE("HTTP/2 is offered unless the command line says otherwise") {
  CHECK_FALSE(parsed({"spec", "tpu:a"}).arguments.only_http1);
  for (const char* const command : {"spec", "wait", "status"}) CHECK(parsed({command, "tpu:a", "--http1.1"}).arguments.only_http1);
  contains(refusal({"spec", "tpu:a", "--http1.1=yes"}), "--http1.1");
}

TEST_CASE("a client certificate and its key are read at once") {
  const testing::CertifiedKey client(testing::CertificateRequest({"DNS:client.test"}));
  const testing::CertifiedKey other(testing::CertificateRequest({"DNS:other.test"}));
  const testing::TemporaryFile certificate(client.pem());
  const testing::TemporaryFile key(client.key_pem());
  const testing::TemporaryFile both(client.pem() + client.key_pem());
  const testing::TemporaryFile wrong(other.key_pem());
  const Arguments two = parsed({"wait", "tpu:a", "--client-key", key.path(), "--client-certificate", certificate.path()}).arguments;
  CHECK(two.client_certificate == certificate.path());
  CHECK(two.client_key == key.path());
  CHECK(parsed({"doctor", "--client-certificate", both.path()}).arguments.client_key.empty());
  contains(refusal({"spec", "tpu:a", "--client-key", key.path()}), "--client-key needs --client-certificate FILE");
  contains(refusal({"spec", "tpu:a", "--client-certificate", "/does/not/exist"}), "--client-certificate: cannot read");
  contains(refusal({"spec", "tpu:a", "--client-certificate", certificate.path()}), "its key is no PEM private key");
  contains(refusal({"spec", "tpu:a", "--client-certificate", certificate.path(), "--client-key", wrong.path()}),
           "the key is not the certificate's");
}

TEST_CASE("wrong usage names the option and what it takes") {
  contains(refusal({}), "no command");
  contains(refusal({"spec"}), "no target");
  contains(refusal({"sim"}), "FILE is missing");
  contains(refusal({"sim", "a", "b"}), "unexpected argument 'b'");
  contains(refusal({"--", "exec", "x"}), "no program to start");
  contains(refusal({"--", "sim"}), "FILE is missing");
  contains(refusal({"spec", "tpu:a", "--timeout"}), "--timeout needs a value");
  contains(refusal({"hosts", "tpu:a", "--output=", "--slots", "2"}), "--output: the value is empty");
  contains(refusal({"spec", "--project=", "tpu:a"}), "--project: the value is empty");
  contains(refusal({"spec", "tpu:a", "--timeout", "abc"}), "--timeout: 'abc'");
  contains(refusal({"spec", "tpu:a", "--retries", "-1"}), "--retries: '-1'");
  contains(refusal({"spec", "tpu:a", "--partial=3"}), "--partial takes no value");
  contains(refusal({"spec", "--help=1"}), "--help takes no value");
  contains(refusal({"--version=1"}), "--version takes no value");
  contains(refusal({"eval", "--help"}), "unknown command 'eval'");
  contains(refusal({"help", "eval"}), "unknown command 'eval'");
  contains(refusal({"version"}), "did you mean rollcall --version?");
  contains(refusal({"spec", "tpu:a", "-o", "./out.json"}), "write to a file by > ./out.json");
  contains(refusal({"spec", "tpu:a", "--ca", "/dev/null"}), "--ca: the CA file '/dev/null' cannot be used: it contains no PEM certificate");
  contains(refusal({"spec", "tpu:a", "--ca", "/does/not/exist"}), "--ca: cannot read");
  contains(refusal({"spec", "tpu:a", "--project", ""}), "--project");
  contains(refusal({"spec", "tpu:a", "--connect-to", "x"}), "--connect-to: ");
  contains(refusal({"spec", "tpu:a", "--token-file", "/does/not/exist"}), "--token-file: cannot read");
  contains(refusal({"spec", "tpu:a", "--partial", "--lookup", "list"}), "exclude each other");
  contains(refusal({"sim", "f", "--port", "70000"}), "--port: '70000'");
  CHECK(refusal({"spec", "tpu:a", "--\x1b[2J"}).find('\x1b') == std::string::npos);
}

TEST_CASE("a password in the default target is not shown") {
  const Result<CommandLine> line = parse_arguments({"spec"}, "https://user:secret@host/");
  REQUIRE(!line);
  CHECK(line.error().message().find("secret") == std::string::npos);
}

TEST_CASE("a URL with a password is a value of --proxy and of commands alone, and is not shown") {
  for (const char* const option : {"--project", "--zone", "--namespace", "--filter", "--columns"}) {
    INFO(option);
    const std::string text = refusal({"discover", option, "http://user:secret@host:1"});
    contains(text, std::string(option) + ": a URL with a user or a password is no value of it");
    CHECK(text.find("secret") == std::string::npos);
  }
  CHECK(parse_arguments({"watch", "tpu:a", "--exec", "curl https://user:secret@host/"}));
  CHECK(parse_arguments({"spec", "tpu:a", "--proxy", "http://user:secret@host:1"}));
}
