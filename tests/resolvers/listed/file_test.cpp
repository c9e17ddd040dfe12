// The file resolver: formats, their recognition, and faults of a file.
#include "rollcall/file_resolver.hpp"

#include "support/result.hpp"
#include "support/spec_text.hpp"
#include "support/test_runtime.hpp"

using namespace rollcall;
using rollcall::testing::spec_text;
using rollcall::testing::TestRuntime;

namespace {

// Files with a single file, which may change.
class OneFile final : public Files {
 public:
  std::string text;
  Result<std::string> read(const std::string& path, std::size_t max_bytes) const override {
    return fixed_files({{"hosts", text}})->read(path, max_bytes);
  }
};

class FileWorld : public TestRuntime {
 public:
  explicit FileWorld(std::string text) {
    file->text = std::move(text);
    RuntimeOptions options;
    options.http = transport;
    options.time = time;
    options.environment = fixed_environment({});
    options.files = file;
    options.limits.max_endpoints = 1000;
    options.limits.max_body_bytes = 100'000;
    with_file.emplace(io.get_executor(), std::move(options));
  }
  std::shared_ptr<OneFile> file = std::make_shared<OneFile>();
  std::optional<Runtime> with_file;
};

std::string file_answer(std::string text, const std::string& target = "file:hosts") {
  FileWorld world(std::move(text));
  return spec_text(world, *world.with_file, target);
}

}  // namespace

TEST_CASE("a file's format is recognised by its content") {
  CHECK(file_answer(R"({"worker":["a:1","b:1"],"ps":{"2":"c:1"}})") == R"({"worker":["a:1","b:1"],"ps":{"2":"c:1"}})");
  CHECK(file_answer(R"( {"cluster":{"worker":["a:1"]},"task":{"type":"worker","index":0}})") == R"({"worker":["a:1"]})");
  CHECK(file_answer(R"({"cluster":{"0":"a:1"}})") == R"({"cluster":["a:1"]})");
  CHECK(file_answer("\xef\xbb\xbf# all\n a:8470 # the first\r\n\n[fd00::1]:8471\nfd00::2\n", "file:hosts,port=9,format=lines") ==
        R"({"worker":["a:8470","[fd00::1]:8471","[fd00::2]:9"]})");
  CHECK(file_answer("a:8470\nb:8470\n") == R"({"worker":["a:8470","b:8470"]})");
  // What Open MPI 4 reads of a host's sockets and cores does not change its slots.
  CHECK(file_answer("a boards=1 sockets=2 cores=4 slots=2\nb sockets_per_board=2 cores-per-socket=4 cpu_set=0-1\n") ==
        R"({"worker":["a:8470","a:8471","b:8470"]})");
  // mpirun_rsh of MVAPICH: the adapter behind the host or the number.
  CHECK(file_answer("a:2:mlx5_0\nb:hca1\n", "file:hosts,format=mpi") == R"({"worker":["a:8470","a:8471","b:8470"]})");
  CHECK_THAT(file_answer("a:2:x\n", "file:hosts,format=mpi"), Catch::Contains("does not begin with a host"));
  CHECK(file_answer("a slots=2 max_slots=4\nb\n") == R"({"worker":["a:8470","a:8471","b:8470"]})");
  CHECK(file_answer("a cpu=2\nb count=1\n") == R"({"worker":["a:8470","a:8471","b:8470"]})");
  CHECK(file_answer("a slots = 2\nb\tslots=\t1 max-slots =4\n") == R"({"worker":["a:8470","a:8471","b:8470"]})");
  CHECK(file_answer("u@a slots=1 user-name=v port=22\n") == R"({"worker":["a:8470"]})");
  CHECK(file_answer("rank 1=b slot=0-3\nrank 0=a slot=0\nrank 2 = b slot = 1:0\n") == R"({"worker":["a:8470","b:8470","b:8471"]})");
  CHECK(file_answer("rank slots=2\n") == R"({"worker":["rank:8470","rank:8471"]})");
  CHECK(file_answer("a:2\nroot@b:1 binding=x\na:1\n", "file:hosts,port=9000,job=ps") == R"({"ps":["a:9000","a:9001","b:9000","a:9002"]})");
  CHECK(file_answer("a\nb\n") == R"({"worker":["a:8470","b:8470"]})");
  CHECK(file_answer("a:2 slots=2") == R"({"worker":["a:8470","a:8471"]})");
  // As mpirun of Open MPI 4.1.4 reads them.
  CHECK(file_answer("a max_slots=2\nb max_slots=1 slots=2") == R"({"worker":["a:8470","a:8471","b:8470","b:8471"]})");
  CHECK(file_answer("// two\na slots=1\na\nb") == R"({"worker":["a:8470","a:8471","b:8470"]})");
  // One machine in other letters has other ports.
  CHECK(file_answer("Node1:1\nnode1:1\nNODE1.:1") == R"({"worker":["Node1:8470","node1:8471","NODE1.:8472"]})");
  CHECK(file_answer("fd00::1\nfd00:0:0::1") == R"({"worker":["[fd00::1]:8470","[fd00:0:0::1]:8471"]})");
  CHECK(file_answer("a:80\n", "file:hosts,format=lines") == R"({"worker":["a:80"]})");
  CHECK(file_answer("[fd00::1]:8470\n") == R"({"worker":["[fd00::1]:8470"]})");
  CHECK(file_answer(R"({"task":{"type":"worker","index":0}})") == "{}");
  CHECK(file_answer(R"({"task":{"0":"a:1"}})") == R"({"task":["a:1"]})");
  CHECK(file_answer("\xef\xbb\xbf{\"cluster\":{\"worker\":[\"a:1\"]}}") == R"({"worker":["a:1"]})");
  CHECK(file_answer(R"({"cluster":{"worker":["a:1"]},"task":{"type":"worker","index":"x"}})") == R"({"worker":["a:1"]})");
}

TEST_CASE("a file is read again at every call") {
  FileWorld world("a:2222\n");
  const auto resolver = make_file_resolver(*world.with_file, FileOptions("hosts"));
  CHECK(world.run(resolver->cluster_spec()).to_json() == R"({"worker":["a:2222"]})");
  world.file->text = R"({"cluster":{"ps":["b:1"]},"task":{"type":"ps","index":0},"rpc_layer":"grpc"})";
  CHECK(world.run(resolver->master()) == "grpc://b:1");
  CHECK((resolver->task_type() == "ps" && resolver->task_id() == 0 && resolver->rpc_layer() == "grpc"));
  REQUIRE(resolver->set_task_id(3));
  CHECK(world.run(resolver->try_master()).error().code() == Errc::not_found);
}

TEST_CASE("a file that is being written does not end a repeated poll") {
  FileWorld world("");
  const auto resolver = make_file_resolver(*world.with_file, FileOptions("hosts"));
  const ClusterStatus empty = world.run(resolver->try_cluster_status()).value();
  CHECK((empty.members.empty() && empty.state.level == MemberState::waiting && empty.state.text == "there is no host in it"));
  world.file->text = R"({"worker":["a:1",)";
  CHECK(world.run(resolver->try_cluster_status()).error().code() == Errc::malformed_response);
  CHECK(world.run(resolver->try_cluster_spec()).error().code() == Errc::invalid_argument);
  world.file->text += R"("b:1"]})";
  CHECK(world.run(resolver->try_cluster_status())->spec().to_json() == R"({"worker":["a:1","b:1"]})");
}

TEST_CASE("an invalid task in a file is an error only when it is read") {
  FileWorld world(R"({"cluster":{"worker":["a:1"]},"task":{"type":"worker","index":"x"}})");
  const auto resolver = make_file_resolver(*world.with_file, FileOptions("hosts"));
  CHECK(resolver->task_type() == "worker");
  CHECK_THROWS_WITH(resolver->task_id(), Catch::Contains("task.index") && Catch::Contains("hosts"));
}

TEST_CASE("faults of a file are reported with file and line") {
  for (const auto& [text, target, why] : std::initializer_list<std::tuple<const char*, const char*, const char*>>{
           {"", "file:hosts", "not_ready: there is no host in it"},
           {"# none\n", "file:hosts", "not_ready: there is no host in it"},
           {"# none\n", "file:hosts,format=lines", "not_ready: there is no host in it"},
           {"a:0\n", "file:hosts", "not_ready: there is no host in it"},
           {"null\n", "file:hosts", "null"},
           {R"({"apiVersion":"v1","kind":"List","items":[]})", "file:hosts", "it is a Kubernetes 'List', and no list of hosts"},
           {"---\r\n# a job\r\nkind: Job\r\napiVersion: batch/v1\r\n", "file:hosts", "it is a Kubernetes 'Job'"},
           {"\xff\xfe{", "file:hosts", "it is UTF-16, not UTF-8"},
           {"[\"a:1\", \"b:1\"]", "file:hosts", "array"},
           {"{\"cluster\":[\"a:1\"]}", "file:hosts", "cluster"},
           {"{\"cluster\":[\"a:1\"],\"task\":{\"type\":\"worker\",\"index\":0}}", "file:hosts", "cluster"},
           {"a:1\nb:8470\n", "file:hosts", "format=lines or format=mpi"},
           {"a:8470\nb:x\n", "file:hosts,format=lines", "line 2: 'b:x': is not HOST:PORT"},
           {"a:8470\nb\n", "file:hosts", "line 2: 'b': has no port"},
           {"a:8470 b:8470\n", "file:hosts,format=lines", "line 1: "},
           {"a slots=x", "file:hosts", "line 1: 'a slots=x': slots= has no number"},
           {"a slots=-1", "file:hosts", "slots= has no number"},
           {"a slots=", "file:hosts", "slots= has no number"},
           {"a cpu=+2", "file:hosts", "cpu= has no number"},
           {"a slots=2 count=2", "file:hosts", "line 1: 'a slots=2 count=2': slots= stands there twice"},
           {"a max_slots=2 max_slots=2", "file:hosts", "max_slots= stands there twice"},
           {"a:2000 slots=1", "file:hosts,format=mpi", "the host has 2000 slots by the number behind the colon, and 1 by its key"},
           {"a slots=4 max_slots=1", "file:hosts", "line 1: 'a slots=4 max_slots=1': max_slots=1 is less than the slots, 4"},
           {"a max_slots=x", "file:hosts", "max_slots= has no number"},
           {"a slots=2 max_slots=4\na slots=1", "file:hosts", "line 2: 'a slots=1': the host stands there before, and slots= here"},
           {"A slots=2\na slots=2", "file:hosts", "line 2: 'a slots=2': the host stands there before"},
           {"a\na cpu=2", "file:hosts", "line 2: 'a cpu=2': the host stands there before"},
           {"+n0 slots=2", "file:hosts", "line 1: '+n0 slots=2': names no host: +nN counts the hosts of an allocation"},
           {"+e", "file:hosts", "names no host"},
           {"a slots=8\nb lots=8", "file:hosts", "line 2: 'b lots=8': 'lots' is no key of a host file"},
           {"a slot=2", "file:hosts", "'slot' is no key of a host file"},
           {"a Slots=2", "file:hosts", "'Slots' is no key of a host file"},
           {"a slots=2,max_slots=3", "file:hosts", "slots= has no number"},
           {"a slots =", "file:hosts", "slots= has no number"},
           {"a token=hush", "file:hosts", "'a token=***': 'token' is no key"},
           {"rank 0=a slot=0\nrank 2=b slot=0", "file:hosts", "rank 1 has no line, but rank 2 has"},
           {"rank 0=a slot=0\nrank 0=b slot=0", "file:hosts", "line 2: 'rank 0=b slot=0': rank 0 stands there twice"},
           {"rank 0=a slot=0\nb", "file:hosts", "line 2: 'b': is not rank N=HOST, as the lines before it"},
           {"rank 0=+n0 slot=0", "file:hosts", "names no host"},
           {"rank 0=a:1 slot=0", "file:hosts", "does not begin with a host"},
           {"rank 0=a lot=0", "file:hosts", "has more than slot=CPUS behind the host"},
           {"rank 99999999=a slot=0", "file:hosts", "limit_exceeded: line 1: rank 99999999 is more than 1000 ranks"},
           {"rank 0", "file:hosts", "is not rank N=HOST"},
           {"\na 4", "file:hosts", "line 2: 'a 4': '4' is not KEY=VALUE"},
           {"slots=4", "file:hosts,format=mpi", "does not begin with a host"},
           {"a slots=100000", "file:hosts", "limit_exceeded: line 1: more than 1000"},
           {"a slots=1000", "file:hosts,port=65000", "slot 536 of 'a' would have port 65536"},
           {"ya29.a0ARrdaM-x", "file:hosts", "line 1: '***': is a token or a key, by its looks, and not a host"},
           {"a:1\nghp_0123456789abcdef:8470", "file:hosts,format=lines", "line 2: '***': is a token"},
           {"AKIAIOSFODNN7EXAMPLE slots=4", "file:hosts", "line 1: '***': is a token"},
           {"a slots=4 password:hush", "file:hosts", "'a slots=4 password:***': 'password:***' is not KEY=VALUE"},
           {"{", "file:hosts", "invalid_argument"},
           {"{\"worker\":1}", "file:hosts", "worker"},
           {"{\"worker\":[\"a:1\"]}", "file:hosts,format=mpi", "does not begin with a host"},
           {"a\x1b[2J:1", "file:hosts", "\\x1b"},
           {"{\"cluster\":{\"worker\":1}}", "file:hosts,format=tfconfig", "cluster"}}) {
    CAPTURE(text, target);
    const std::string answer = file_answer(text, target);
    CHECK_THAT(answer, Catch::Contains(why) && Catch::Contains("hosts"));
    CHECK(answer.find('\x1b') == std::string::npos);
  }
  std::string tasks = R"({"worker":["a:1")";
  for (int i = 0; i < 1000; ++i) tasks += R"(,"a:1")";
  CHECK_THAT(file_answer(tasks + "]}"), Catch::StartsWith("limit_exceeded: more than 1000 tasks"));
  CHECK_THAT(file_answer("{\"cluster\":" + tasks + "]}}"), Catch::StartsWith("limit_exceeded: more than 1000 tasks"));
  CHECK_THAT(file_answer("", "file:absent"), Catch::StartsWith("not_found: ") && Catch::Contains("absent"));
  CHECK_THAT(file_answer(std::string(200'000, '#')), Catch::StartsWith("limit_exceeded: "));
  std::string many;
  for (int i = 0; i < 1001; ++i) many += "a:8470\n";
  CHECK_THAT(file_answer(many), Catch::Contains("line 1001: more than 1000 hosts"));
  for (const auto& [target, why] :
       std::initializer_list<std::pair<const char*, const char*>>{{"file:", "file:PATH"},
                                                                  {"file:-", "standard input"},
                                                                  {"file:a%00b", "NUL"},
                                                                  {"file:hosts,format=yaml", "cluster, tfconfig, mpi or lines"},
                                                                  {"file:hosts,port=0", "not a port"},
                                                                  {"file:hosts,task=x", "not a task"},
                                                                  {"file:hosts,jobs=w", "did you mean job="}}) {
    CHECK_THAT(file_answer("a:8470", target), Catch::Contains(why));
  }
}
