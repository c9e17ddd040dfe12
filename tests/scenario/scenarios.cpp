#include "scenario/scenarios.hpp"

#include <deque>
#include <set>

#include "async/async_event.hpp"
#include "call/rules/classify_status.hpp"
#include "fleet/fleet.hpp"
#include "rollcall/cloud_tpu_client.hpp"
#include "rollcall/discover.hpp"
#include "rollcall/kubernetes_resolver.hpp"
#include "rollcall/queued_resource.hpp"
#include "rollcall/tpu_resolver.hpp"
#include "rollcall/union_resolver.hpp"
#include "rollcall/watch.hpp"

namespace rollcall::testing {
namespace {

constexpr const char* plain_cloud = R"({"project":"p","zone":"us-central2-b","nodes":[
  {"name":"trainer","accelerator_type":"v4-16"},{"name":"second","accelerator_type":"v4-8"},{"name":"fleet-{i}","count":5,"accelerator_type":"v4-8"}]})";

constexpr const char* crowd_cloud =
    R"({"project":"p","zone":"us-central2-b","nodes":[{"name":"fleet-{i}","count":80,"accelerator_type":"v4-8"}],"api":{"max_page_size":80}})";

constexpr const char* workers_cloud = R"({"workers":[{"address":"10.0.0.1"},{"address":"10.0.0.2"},{"address":"10.0.0.3"}]})";

constexpr const char* queued_cloud = R"({"project":"p","zone":"us-central2-b","queued_resources":[
  {"name":"ms","slices":5,"node":{"accelerator_type":"v4-16"}},{"name":"pair","slices":2,"node":{"accelerator_type":"v4-16"}}]})";

QueuedResourceOptions queued_here(std::string name) { return QueuedResourceOptions(std::move(name)).project("p").zone("us-central2-b"); }

TpuOptions three() { return TpuOptions("grpc://10.0.0.1,grpc://10.0.0.2,grpc://10.0.0.3"); }

asio::awaitable<Result<std::string>> ask_devices(std::shared_ptr<TpuResolver> tpu, CallOptions options) {
  const Result<TpuSystemMetadata> metadata = co_await tpu->try_system_metadata(std::move(options));
  if (!metadata) co_return metadata.error();
  co_return std::to_string(metadata->num_cores) + " cores, " + std::to_string(metadata->devices.size()) + " devices";
}

Result<std::string> spec_text(const Result<ClusterSpec>& spec) {
  if (!spec) return spec.error();
  return spec->to_json();
}

asio::awaitable<Result<std::string>> ask_spec(std::shared_ptr<ClusterResolver> resolver, CallOptions options) {
  Result<ClusterSpec> spec = co_await resolver->try_cluster_spec(options);
  co_return spec_text(spec);
}

TpuOptions here(std::string name) { return TpuOptions(std::move(name)).project("p").zone("us-central2-b"); }

std::shared_ptr<ClusterResolver> fleet(Runtime runtime, int size) {
  std::vector<std::shared_ptr<ClusterResolver>> children;
  for (int i = 0; i < size; ++i) children.push_back(make_tpu_resolver(runtime, here("fleet-" + std::to_string(i))));
  return make_union_resolver(runtime, std::move(children));
}

constexpr const char* searched_cloud = R"({"project":"p","zone":"us-central2-b","nodes":[{"name":"n-{i}","count":5}],
  "queued_resources":[{"name":"ms","slices":2}],"compute":{"groups":[{"name":"g","instances":[]}]},"api":{"max_page_size":3}})";

// The names of all finds, or the failures.
asio::awaitable<Result<std::string>> search_all(Runtime runtime, std::size_t buffered) {
  DiscoverOptions options;
  options.projects({"p"}).max_buffered(buffered);
  const std::shared_ptr<FoundStream> stream = discover(runtime, std::move(options));
  std::set<std::string> names;
  for (;;) {
    const Result<std::optional<Found>> item = co_await stream->try_next();
    if (!item) co_return item.error();
    if (!*item) break;
    names.insert((*item)->target);
  }
  std::string text;
  for (const std::string& name : names) text += name + " ";
  co_return text;
}

asio::awaitable<Result<std::string>> ask_master(std::shared_ptr<ClusterResolver> resolver) {
  Result<std::string> master = co_await resolver->try_master("worker", 1);
  co_return master;
}

asio::awaitable<Result<std::string>> ask_counts(std::shared_ptr<ClusterResolver> resolver) {
  Result<AcceleratorCounts> counts = co_await resolver->try_num_accelerators();
  if (!counts) co_return counts.error();
  co_return counts->to_json();
}

asio::awaitable<Result<std::string>> await_health(std::shared_ptr<CloudTpuClient> client) {
  try {
    co_await client->wait_for_healthy(std::chrono::seconds(80), std::chrono::seconds(5));
  } catch (const ResolveError& error) {
    co_return error.failure();
  }
  co_return std::string("healthy");
}

constexpr const char* late_cloud = R"({"project":"p","zone":"us-central2-b","nodes":[
  {"name":"late","accelerator_type":"v4-16","endpoints":["10.0.0.1","10.0.0.2"],"timeline":[{"at":"0s","state":"CREATING"},{"at":"3s","state":"READY"}],
   "workers":{"runtime":"tensorflow","except":[{"worker":1,"runtime":"none","timeline":[{"at":"8s","runtime":"tensorflow"}]}]}},
  {"name":"trainer","accelerator_type":"v4-8"}]})";

constexpr const char* pods_cloud = R"({"kubernetes":{"namespace":"train","managed_fields":false,"pods":[
  {"kind":"indexed_job","name":"trainer","count":3,"except":[{"pod":1,"running_after":4}]}]}})";

// The request for the events of the pods that wait. Without them a wait says less, and does not end.
constexpr std::uint64_t pods_events = 4;

WaitOptions two_minutes() { return WaitOptions().timeout(std::chrono::minutes(2)); }

asio::awaitable<Result<std::string>> await_ready(std::shared_ptr<ClusterResolver> resolver, Readiness until) {
  WaitOptions options = two_minutes();
  Result<ClusterStatus> status = co_await try_wait_until_ready(resolver, until, std::move(options));
  if (!status) co_return status.error();
  co_return status->spec().to_json();
}

asio::awaitable<Result<std::string>> follow_until_ready(std::shared_ptr<ClusterResolver> resolver) {
  const auto following = watch(resolver, WatchOptions().machine_notices(false));
  for (;;) {
    const Result<ClusterChange> change = co_await following->try_next();
    if (!change) co_return change.error();
    if (change->kind == ChangeKind::cluster_ready) co_return following->status().spec().to_json();
  }
}

std::shared_ptr<ClusterResolver> late_pods(Runtime runtime) {
  KubernetesOptions::LabelMapping workers = {{"worker", {"job-name=trainer"}}};
  KubernetesOptions options(std::move(workers));
  options.api_server("https://127.0.0.1:6443").namespace_name("train").address(PodAddress::pod);
  return make_kubernetes_resolver(runtime, std::move(options));
}

std::shared_ptr<ClusterResolver> late_and_trainer(Runtime runtime) {
  std::vector<std::shared_ptr<ClusterResolver>> both;
  both.push_back(make_tpu_resolver(runtime, here("late")));
  both.push_back(make_tpu_resolver(runtime, here("trainer")));
  return make_union_resolver(runtime, std::move(both));
}

class Waker final : public rollcall::fleet::TopicListener {
 public:
  explicit Waker(AsyncEvent& event) : event_(event) {}
  void on_topic() noexcept override { event_.wake(); }
  bool wants_spec() const noexcept override { return true; }

 private:
  AsyncEvent& event_;
};

// The final specs of a service that follows the targets, once all are ready.
asio::awaitable<Result<std::string>> follow_for_others(Runtime runtime, std::vector<std::string> targets) {
  const std::shared_ptr<rollcall::fleet::Fleet> service = rollcall::fleet::make_fleet(runtime);
  AsyncEvent event;
  std::deque<Waker> wakers;
  std::vector<std::shared_ptr<rollcall::fleet::Topic>> topics;
  for (const std::string& text : targets) {
    const Result<Target> target = Target::parse(text);
    Result<std::shared_ptr<rollcall::fleet::Topic>> topic = service->topic(*target);
    if (!topic) co_return topic.error();
    (*topic)->listen(wakers.emplace_back(event));
    topics.push_back(std::move(*topic));
  }
  for (;;) {
    std::string specs;
    bool is_complete = true;
    for (const auto& topic : topics) {
      const rollcall::fleet::Known& known = topic->known();
      if (known.failure) co_return *known.failure;
      const bool lasts = known.spec && known.spec->has_error() && known.spec->error().code() != Errc::not_ready;
      const bool is_nonsense = lasts && known.spec->error().code() == Errc::malformed_response;
      if (lasts && !is_transient(known.spec->error().code()) && !is_nonsense) co_return known.spec->error();
      is_complete = is_complete && known.generation > 0 && !topic->history().empty() &&
                    topic->history().back().ready == topic->history().back().total && known.spec && known.spec->has_value();
      if (is_complete) specs += (*known.spec)->to_json();
    }
    if (is_complete) co_return specs;
    const bool is_awake = co_await event.wait();
    if (!is_awake) co_return Failure(Errc::cancelled, "cancelled while following");
  }
}

Scenario patient(std::string name, const char* cloud, std::function<asio::awaitable<Result<std::string>>(Runtime)> script) {
  Scenario scenario{std::move(name), cloud, {}, std::move(script), std::chrono::minutes(2)};
  scenario.retries_malformed = true;
  scenario.asks_members_again = true;
  return scenario;
}

}  // namespace

std::vector<Scenario> scenarios() {
  std::vector<Scenario> all;
  all.push_back({"one TPU", plain_cloud, {}, [](Runtime r) { return ask_spec(make_tpu_resolver(r, here("trainer")), {}); }});
  all.push_back({"project, zone and token from the metadata server",
                 plain_cloud,
                 {{"GCE_METADATA_HOST", "metadata.google.internal"}},
                 [](Runtime r) { return ask_spec(make_tpu_resolver(r, TpuOptions("trainer")), {}); },
                 std::chrono::seconds(30),
                 true});
  all.push_back({"a fleet, each by itself", plain_cloud, {}, [](Runtime r) { return ask_spec(fleet(r, 5), {}); }});
  all.push_back({"a crowd, a few each and the others by one list", crowd_cloud, {}, [](Runtime r) { return ask_spec(fleet(r, 80), {}); }});
  all.back().spare_request = 9;
  all.push_back({"a fleet by one list", plain_cloud, {}, [](Runtime r) {
                   return ask_spec(fleet(r, 5), CallOptions().with(TpuCallOptions().lookup(TpuLookup::list)));
                 }});
  all.push_back({"an API that is busy at first",
                 R"({"project":"p","zone":"us-central2-b","nodes":[{"name":"trainer"}],"faults":[
                   {"match":{"path":"*/nodes/trainer"},"status":503,"times":1},
                   {"match":{"path":"*/nodes/trainer"},"status":429,"headers":{"Retry-After":"2"},"times":1}]})",
                 {},
                 [](Runtime r) { return ask_spec(make_tpu_resolver(r, here("trainer")), {}); }});
  all.push_back(
      {"a TPU that does not exist", plain_cloud, {}, [](Runtime r) { return ask_spec(make_tpu_resolver(r, here("nobody")), {}); }});
  all.push_back({"slices, each by itself", queued_cloud, {}, [](Runtime r) {
                   return ask_spec(make_queued_resource_resolver(r, queued_here("pair").slices(SliceJobs::each)), {});
                 }});
  all.push_back({"slices by one list", queued_cloud, {}, [](Runtime r) {
                   return ask_spec(make_queued_resource_resolver(r, queued_here("ms")), {});
                 }});
  all.push_back({"a search", searched_cloud, {}, [](Runtime r) { return search_all(r, 100); }});
  all.push_back({"a search whose reader is slow", searched_cloud, {}, [](Runtime r) { return search_all(r, 1); }});
  all.push_back({"master", plain_cloud, {}, [](Runtime r) { return ask_master(make_tpu_resolver(r, here("trainer"))); }});
  all.push_back({"counts", plain_cloud, {}, [](Runtime r) { return ask_counts(make_tpu_resolver(r, here("trainer"))); }});
  all.push_back({"an API found by discovery",
                 plain_cloud,
                 {{"TPU_API_DISCOVERY_URL", "https://{api}.googleapis.com/$discovery/rest?version={apiVersion}"}},
                 [](Runtime r) { return ask_spec(make_tpu_resolver(r, here("trainer")), {}); }});
  all.push_back({"a coordinator that is bound here", plain_cloud, {{"GCE_METADATA_HOST", "metadata.google.internal"}}, [](Runtime r) {
                   return ask_master(make_tpu_resolver(r, here("trainer").coordinator_name("chief")));
                 }});
  all.push_back(
      {"waiting for health",
       R"({"project":"p","zone":"us-central2-b","nodes":[{"name":"trainer","timeline":[{"at":"0s","health":"TIMEOUT"},{"at":"12s","health":"HEALTHY"}]}]})",
       {},
       [](Runtime r) { return await_health(make_cloud_tpu_client(r, here("trainer"))); },
       std::chrono::seconds(110)});
  all.push_back(
      {"devices, asked of the master", workers_cloud, {}, [](Runtime r) { return ask_devices(make_tpu_resolver(r, three()), {}); }});
  all.push_back({"devices, asked of every worker", workers_cloud, {}, [](Runtime r) {
                   return ask_devices(make_tpu_resolver(r, three()),
                                      CallOptions().with(TpuCallOptions().device_query(DeviceQuery::workers)));
                 }});
  all.push_back(
      {"devices of a TPU whose master is mute at first",
       R"({"project":"p","zone":"us-central2-b","nodes":[{"name":"trainer","accelerator_type":"v3-16","endpoints":["10.0.0.1","10.0.0.2"],
                   "workers":{"runtime":"tensorflow","except":[{"worker":0,"fault":"stall","times":1}]}}]})",
       {},
       [](Runtime r) { return ask_devices(make_tpu_resolver(r, here("trainer").api_version(TpuApiVersion::v1)), {}); }});
  all.push_back(
      patient("a TPU waited for", late_cloud, [](Runtime r) { return await_ready(make_tpu_resolver(r, here("late")), usually_ready); }));
  all.push_back(patient("its ports waited for", late_cloud,
                        [](Runtime r) { return await_ready(make_tpu_resolver(r, here("late")), usually_ready | Readiness::reachable); }));
  all.push_back(patient("its runtimes waited for", late_cloud,
                        [](Runtime r) { return await_ready(make_tpu_resolver(r, here("late")), usually_ready | Readiness::devices); }));
  all.push_back(patient("two TPUs waited for", late_cloud, [](Runtime r) { return await_ready(late_and_trainer(r), usually_ready); }));
  all.push_back(patient("pods waited for", pods_cloud, [](Runtime r) { return await_ready(late_pods(r), usually_ready); }));
  all.back().spare_request = pods_events;
  all.push_back(patient("a TPU followed", late_cloud, [](Runtime r) { return follow_until_ready(make_tpu_resolver(r, here("late"))); }));
  all.push_back(patient("pods followed", pods_cloud, [](Runtime r) { return follow_until_ready(late_pods(r)); }));
  all.back().spare_request = pods_events;
  all.push_back(patient("TPUs followed for others", late_cloud, [](Runtime r) {
    return follow_for_others(r, {"tpu:late,project=p,zone=us-central2-b", "tpu:trainer,project=p,zone=us-central2-b"});
  }));
  all.push_back(patient("a zone followed for others, by lists", plain_cloud, [](Runtime r) {
    std::vector<std::string> targets;
    for (int i = 0; i < 5; ++i) targets.push_back("tpu:fleet-" + std::to_string(i) + ",project=p,zone=us-central2-b");
    return follow_for_others(r, std::move(targets));
  }));
  all.push_back(patient("pods followed for others", pods_cloud, [](Runtime r) {
    return follow_for_others(r, {"kubernetes:train,job.worker=job-name=trainer,address=pod,api_server=https://127.0.0.1:6443"});
  }));
  all.back().spare_request = 6;
  return all;
}

}  // namespace rollcall::testing
