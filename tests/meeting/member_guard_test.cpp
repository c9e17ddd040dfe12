// What a member's port believes, and how it answers strangers.
#include "meeting/member_guard.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "crypto/signature.hpp"
#include "meeting/member_port.hpp"
#include "net/server/stranger.hpp"
#include "rollcall/testing/virtual_loop.hpp"
#include "sim/serve/handler_transport.hpp"

using namespace rollcall;
using namespace rollcall::meeting;
using namespace rollcall::testing;

namespace {

constexpr std::string_view guarded_path = "/v1/runs/0123456789abcdef/members/1";
const Secret<std::string> shared(std::string("correct horse battery staple"));
constexpr std::size_t max_for_strangers = 72;

// A guard of the member at place 0 behind a port, and requests to it.
class GuardRig : public VirtualLoop {
 public:
  explicit GuardRig(const Secret<std::string>& secret) : guard(std::make_shared<MemberGuard>(secret, 0)) {
    HttpServer::Handler handler = [this](ServerExchange& exchange) { return answer(exchange); };
    transport_ = sim::make_handler_transport(io.get_executor(), std::move(handler), time);
  }

  HttpResponse send(HttpMethod method, std::string_view path, std::string body, const std::string& proof) {
    HttpRequest request;
    request.method = method;
    request.url.host = "n0";
    request.url.target = path;
    request.body = std::move(body);
    if (!proof.empty()) request.headers.add(proof_field, proof);
    ExchangeOptions options;
    Started<Result<HttpResponse>> sent = start(transport_->send(request, options));
    poll();
    REQUIRE(sent.done());
    REQUIRE(sent.value().has_value());
    return *sent.value();
  }
  std::string challenge() { return send(HttpMethod::get, guarded_path, "", "").body; }
  RequestProof proof_of(const ProofKey& key, std::int64_t number, std::string_view body, std::string_view path = guarded_path) {
    RequestProof proof;
    proof.challenge = challenge();
    proof.incarnation = "00000000000000aa";
    proof.number = number;
    proof.digest = to_hex(sha256(body));
    proof.code = key.of_request(path, proof);
    return proof;
  }

  std::shared_ptr<MemberGuard> guard;
  std::vector<MemberGuard::Speaker> heard;  // of all requests but those for the challenge
  std::vector<std::string> bodies;          // that were believed

 private:
  asio::awaitable<void> answer(ServerExchange& exchange) {
    std::string body;
    const MemberGuard::Speaker speaker = co_await guard->hear(exchange, body);
    if (speaker != MemberGuard::Speaker::greeted) heard.push_back(speaker);
    if (speaker != MemberGuard::Speaker::member) co_return;
    bodies.push_back(body);
    co_await guard->reply(exchange, 200, "fine");
  }
  std::shared_ptr<HttpTransport> transport_;
};

using Speaker = MemberGuard::Speaker;

TEST_CASE("a request that proves the secret is believed once, and its answer proves it, too") {
  GuardRig rig(shared);
  const ProofKey key(shared);
  const RequestProof proof = rig.proof_of(key, 1, "hello");
  const HttpResponse answer = rig.send(HttpMethod::put, guarded_path, "hello", write_proof(proof));
  CHECK(answer.status == 200);
  CHECK(answer.headers.get(proof_field).value_or("") == key.of_answer(proof.code, 200, "fine"));
  CHECK(key.of_answer(proof.code, 200, "fine") != key.of_answer(proof.code, 200, "Fine"));
  CHECK(key.of_answer(proof.code, 200, "fine") != key.of_answer(proof.code, 202, "fine"));
  // The same again.
  CHECK(rig.send(HttpMethod::put, guarded_path, "hello", write_proof(proof)).status == 400);
  CHECK(rig.heard == std::vector<Speaker>{Speaker::member, Speaker::late});
  CHECK(rig.bodies == std::vector<std::string>{"hello"});
}

TEST_CASE("a request to another member that is relayed uses up no number") {
  GuardRig rig(shared);
  const ProofKey key(shared);
  RequestProof relayed = rig.proof_of(key, 1, "hello");
  relayed.to = 1;
  relayed.code = key.of_request(guarded_path, relayed);
  CHECK(rig.send(HttpMethod::put, guarded_path, "hello", write_proof(relayed)).status == 200);  // is_for_own() refuses it
  CHECK(rig.send(HttpMethod::put, guarded_path, "hello", write_proof(relayed)).status == 400);
  CHECK(rig.send(HttpMethod::put, guarded_path, "hello", write_proof(rig.proof_of(key, 1, "hello"))).status == 200);
}

TEST_CASE("what a proof is not over is not believed") {
  GuardRig rig(shared);
  const ProofKey key(shared);
  const auto refused = [&rig](std::string_view path, std::string body, const RequestProof& proof) {
    return rig.send(HttpMethod::put, path, std::move(body), write_proof(proof)).status;
  };
  CHECK(refused(guarded_path, "goodbye", rig.proof_of(key, 1, "hello")) == 400);
  CHECK(refused("/v1/runs/0123456789abcdef/members/2", "hello", rig.proof_of(key, 2, "hello")) == 403);
  CHECK(refused(guarded_path, "hello",
                rig.proof_of(ProofKey(Secret<std::string>(std::string("another secret of that size"))), 3, "hello")) == 403);
  RequestProof changed = rig.proof_of(key, 4, "hello");
  changed.number = 5;
  CHECK(refused(guarded_path, "hello", changed) == 403);
  changed = rig.proof_of(key, 6, "hello");
  changed.to = 1;
  CHECK(refused(guarded_path, "hello", changed) == 403);
  changed = rig.proof_of(key, 7, "hello");
  changed.incarnation = "00000000000000ab";
  CHECK(refused(guarded_path, "hello", changed) == 403);
  CHECK(rig.send(HttpMethod::put, guarded_path, "hello", "").status == 403);
  CHECK(rig.send(HttpMethod::put, guarded_path, "hello", "nonsense").status == 403);
  // What was said to another process.
  GuardRig other(shared);
  CHECK(other.send(HttpMethod::put, guarded_path, "hello", write_proof(rig.proof_of(key, 8, "hello"))).status == 403);
  CHECK(rig.bodies.empty());
  CHECK(other.bodies.empty());
  CHECK(rig.heard == std::vector<Speaker>{Speaker::late, Speaker::other_secret, Speaker::other_secret, Speaker::other_secret,
                                          Speaker::other_secret, Speaker::other_secret, Speaker::without_secret, Speaker::other_secret});
  CHECK(other.heard == std::vector<Speaker>{Speaker::late});
}

TEST_CASE("without a secret a member is believed, and one that asks for a challenge has a secret") {
  const Secret<std::string> none;
  GuardRig rig(none);
  CHECK(rig.send(HttpMethod::put, guarded_path, "hello", "").status == 200);
  const HttpResponse refusal = rig.send(HttpMethod::get, guarded_path, "", "");
  CHECK(refusal.status == 403);
  CHECK(refusal.body == refusal_text);
  CHECK(rig.heard == std::vector<Speaker>{Speaker::member, Speaker::with_secret});
}

TEST_CASE("numbers may come in another order, and each once") {
  UsedNumbers used;
  CHECK(used.take(1));
  CHECK_FALSE(used.take(1));
  CHECK(used.take(70));
  CHECK(used.take(69));
  CHECK(used.take(7));
  CHECK_FALSE(used.take(7));
  CHECK_FALSE(used.take(69));
  CHECK_FALSE(used.take(6));
  CHECK_FALSE(used.take(0));
  CHECK(used.take(1'000));
  CHECK_FALSE(used.take(70));
  CHECK(used.take(999));
}

TEST_CASE("a proof has one form") {
  const std::string whole = std::string(22, 'a') + " " + std::string(16, 'b') + " 7 3 " + std::string(64, 'c') + " " + std::string(64, 'd');
  const std::optional<RequestProof> proof = read_proof(whole);
  REQUIRE(proof);
  CHECK(write_proof(*proof) == whole);
  CHECK((proof->number == 7 && proof->to == 3));
  CHECK_FALSE(read_proof(""));
  CHECK_FALSE(read_proof(whole + " "));
  CHECK_FALSE(read_proof(whole.substr(1)));
  CHECK_FALSE(read_proof(std::string(22, 'A') + whole.substr(22)));
  for (const std::string_view number : {" 0 3 ", " -7 3 ", " 7 x ", " 99999999999999999999 3 "}) {
    std::string other = whole;
    other.replace(other.find(" 7 3 "), 5, number);
    CHECK_FALSE(read_proof(other));
  }
}

// The port of a member of three, and sockets that know no secret.
class PortFixture : public StrangerFixture {
 public:
  PortFixture() : PortFixture(std::make_shared<MemberGuard>(shared, 0)) {}
  explicit PortFixture(const std::shared_ptr<MemberGuard>& guard)
      : StrangerFixture([guard, this](ServerExchange& exchange) -> asio::awaitable<void> { return answer(*guard, exchange); },
                        member_limits(3)) {
    server.leave_bodies(
        [guard](const ServerRequest& head) -> std::size_t { return head.target == guarded_path ? guard->body_bytes(head, 20'000) : 1; });
  }
  int believed = 0;

 private:
  asio::awaitable<void> answer(MemberGuard& guard, ServerExchange& exchange) {
    if (exchange.request().target != guarded_path) {
      co_await MemberGuard::refuse(exchange, 404);
      co_return;
    }
    std::string body;
    const Speaker speaker = co_await guard.hear(exchange, body);
    if (speaker == Speaker::member) ++believed;
  }
};

TEST_CASE("strangers get few bytes, and are not believed") {
  PortFixture f;
  const std::string put = fmt::format("PUT {} HTTP/1.1\r\nHost: h\r\n", guarded_path);
  const std::string large(100'000, 'x');
  for (const std::string& said :
       {std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11), std::string("SSH-2.0-OpenSSH_9.2\r\n\r\n"), large,
        std::string("GET / HTTP/1.1\r\nHost: h\r\n\r\n"), put + "Content-Length: 5\r\n\r\nhello",
        put + "Content-Length: 100000\r\n\r\n" + large,
        put + "Content-Length: 5\r\nRollcall-Proof: " + std::string(900, 'a') + "\r\n\r\nhello",
        "PUT /v1/runs/ffff/members/1 HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n" + large,
        "GET /" + std::string(5'000, 'a') + " HTTP/1.1\r\nHost: h\r\n\r\n", std::string("BREW /pot HTCPCP/1.0\r\n\r\n"),
        fmt::format("GET {} HTTP/1.1\r\nHost: h\r\n\r\n", guarded_path)}) {
    Stranger stranger(f.port);
    stranger.send(said);
    stranger.half_close();
    f.hear_out(stranger);
    INFO(said.substr(0, 60));
    CHECK(stranger.heard.size() <= max_for_strangers);
  }
  CHECK(f.believed == 0);
}

TEST_CASE("a silent client has two seconds, and a flood of them leaves room for members") {
  PortFixture f;
  std::vector<Stranger> strangers;
  for (int i = 0; i < 300; ++i) {
    strangers.emplace_back(f.port);
    f.poll();
  }
  CHECK(f.server.connections_open() <= 3 + 64);
  Stranger member(f.port);
  member.send(fmt::format("GET {} HTTP/1.1\r\nHost: h\r\n\r\n", guarded_path));
  f.wait_for_requests(1);
  for (Stranger& silent : strangers) CHECK(silent.heard.empty());
  f.pass(2.5);
  CHECK(f.server.connections_open() == 1);
}

}  // namespace
