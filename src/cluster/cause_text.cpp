#include "rollcall/cause_text.hpp"

#include <algorithm>
#include <iterator>

#include "base/both_ends.hpp"
#include "base/text.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_shown_causes = 2;
constexpr std::size_t max_shown_text = 200;

class RemedyRow {
 public:
  CauseLayer layer;
  std::string_view code;  ///< `*` for any text; empty: any
  std::string_view text;
};

// Of rows of one layer the first that fits counts.
constexpr RemedyRow remedies[] = {
    {CauseLayer::workload, "Suspended", "resume it (spec.suspend: false), unless a queue holds it"},
    {CauseLayer::workload, "JobSuspended", "resume it (spec.suspend: false), unless a queue holds it"},
    {CauseLayer::queue, "NoWorkload", "ask for Kueue's controller, and for its managedJobsNamespaceSelector"},
    {CauseLayer::queue, "NoQueue", "remove the label kueue.x-k8s.io/queue-name, or install Kueue"},
    {CauseLayer::queue, "Rejected", "ask the owner of the admission check"},
    {CauseLayer::queue, "InvalidAccount", "name an account that may be used: scontrol update jobid=ID account=ACCOUNT"},
    {CauseLayer::queue, "AccountNotAllowed", "name an account or a partition that may be used: scontrol update jobid=ID"},
    {CauseLayer::queue, "InvalidQOS", "name a QOS that may be used: scontrol update jobid=ID qos=QOS"},
    {CauseLayer::queue, "QOSNotAllowed", "name a QOS or a partition that may be used: scontrol update jobid=ID"},
    {CauseLayer::queue, "", "wait for the queue, ask for less, or ask its owner for quota"},
    {CauseLayer::creation, "", "raise the quota, or change what the pods ask for; kubectl describe shows the object"},
    {CauseLayer::order, "", "see to the stage that comes before it"},
    {CauseLayer::gate, "JobH*", "release the job: scontrol release ID"},
    {CauseLayer::gate, "", "ask the controller that the gate is named after"},
    {CauseLayer::schedule, "NoScheduler", "start that scheduler, or remove spec.schedulerName"},
    {CauseLayer::schedule, "TriggeredScaleUp", "wait: a node is coming"},
    {CauseLayer::schedule, "Preempting", "wait: room is being made"},
    {CauseLayer::schedule, "UnboundClaim", "create the claim, or give it a storage class that exists"},
    {CauseLayer::schedule, "ProvisioningFailed", "create the claim, or give it a storage class that exists"},
    {CauseLayer::schedule, "", "free or add nodes that fit, or ask for less"},
    {CauseLayer::node, "Cordoned", "kubectl uncordon it, or let the pod move"},
    {CauseLayer::node, "DOWN", "repair the node, then: scontrol update nodename=NODE state=resume"},
    {CauseLayer::node, "*+*", "repair the node, then: scontrol update nodename=NODE state=resume"},  // Slurm's states: IDLE+DRAIN
    {CauseLayer::node, "Prolog", "repair the node, then: scontrol update nodename=NODE state=resume"},
    {CauseLayer::node, "Evicted", "ask for as much as it uses, such as ephemeral-storage or memory, or use less"},
    {CauseLayer::node, "OutOf*", "ask for less, or free that of the node"},
    {CauseLayer::node, "NodeAffinity", "give the node the labels that the pod asks for, or change those"},
    {CauseLayer::node, "TopologyAffinityError", "ask for what one NUMA node has, or change the kubelet's topology manager policy"},
    {CauseLayer::node, "UnexpectedAdmissionError", "see the log of the node's device plug-in"},
    {CauseLayer::node, "", "repair or replace the node; deleting the pod moves it"},
    {CauseLayer::volume, "FailedPrepareDynamicResources", "see the log of the driver of the claimed devices on its node"},
    {CauseLayer::volume, "FailedCreatePodSandBox", "mend the network plug-in of its node"},
    {CauseLayer::volume, "NetworkNotReady", "mend the network plug-in of its node"},
    {CauseLayer::volume, "", "create what the volume names, or mend the network plug-in"},
    {CauseLayer::image, "Pulling", "wait: the image is being pulled"},
    {CauseLayer::image, "", "push the image, correct its name, or give the pod a secret to pull it"},
    {CauseLayer::init, "", "see the log: kubectl logs POD -c CONTAINER (--previous: of before a restart)"},
    {CauseLayer::container, "CreateContainerConfigError", "create the Secret, the ConfigMap or the key that it names"},
    {CauseLayer::container, "*ContainerError", "correct what it starts, or mounts: kubectl describe pod POD"},
    {CauseLayer::container, "ContainerCreating", "see what is being prepared: kubectl describe pod POD"},
    {CauseLayer::container, "DeadlineExceeded", "raise spec.activeDeadlineSeconds of the pod"},
    {CauseLayer::container, "OOMKilled", "raise the memory limit, or use less memory"},
    {CauseLayer::container, "", "see the log: kubectl logs POD -c CONTAINER (--previous: of before a restart)"},
    {CauseLayer::readiness, "", "see what its readiness probe asks for"},
    {CauseLayer::leaving, "", "wait for its replacement, or make it again"},
};

std::string shortened(const std::string& text) { return text.size() <= max_shown_text ? text : both_ends(text, max_shown_text); }

// True if `text` has `code` as a word: "has failed: DeadlineExceeded: …" needs no "DeadlineExceeded" before it.
bool says(std::string_view text, std::string_view code) {
  const auto is_part = [text](std::size_t at) { return at < text.size() && is_alnum(text[at]); };
  for (std::size_t at = text.find(code); at != std::string_view::npos; at = text.find(code, at + 1)) {
    if (!(at > 0 && is_part(at - 1)) && !is_part(at + code.size())) return true;
  }
  return false;
}

}  // namespace

std::string cause_text(const Cause& cause) {
  std::string text = cause.code;
  if (!cause.text.empty() && cause.text != cause.code) {
    const bool repeats = cause.code.empty() || cause.text.starts_with(cause.code) || says(cause.text, cause.code);
    text = repeats ? cause.text : cause.code + ": " + cause.text;
  }
  if (text.empty()) text = to_string(cause.layer);
  if (text.ends_with('.') && !text.ends_with("..")) text.pop_back();  // the sentence of a service goes on
  const bool is_own = cause.object.empty() || cause.object == "pod" || cause.object.starts_with("Pod ");
  return is_own ? text : text + " (" + cause.object + ")";
}

std::string causes_text(const std::vector<Cause>& chain) {
  std::string text;
  for (std::size_t i = 0; i < std::min(chain.size(), max_shown_causes); ++i) text += (i > 0 ? ", " : "") + shortened(cause_text(chain[i]));
  return text;
}

std::vector<Cause> chain_of(const ClusterStatus& status, const Member& member) {
  if (status.causes.empty()) return member.causes;
  std::vector<Cause> chain;
  // The others hold up only members that do not exist yet.
  std::copy_if(status.causes.begin(), status.causes.end(), std::back_inserter(chain),
               [](const Cause& cause) { return cause.layer <= CauseLayer::queue; });
  chain.insert(chain.end(), member.causes.begin(), member.causes.end());
  return chain;
}

const std::vector<Cause>& chain_of_absent(const ClusterStatus& status) noexcept { return status.causes; }

std::string_view remedy_of(const Cause& cause) noexcept {
  const auto found = std::find_if(std::begin(remedies), std::end(remedies), [&cause](const RemedyRow& row) {
    return row.layer == cause.layer && (row.code.empty() || glob_match(row.code, cause.code));
  });
  return found == std::end(remedies) ? std::string_view() : found->text;
}

}  // namespace rollcall
