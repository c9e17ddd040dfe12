"""Starts workloads on a real control plane, pod by pod, and compares what the command says at each step with what is there."""
import importlib.machinery
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time

TOOL, ROLLCALL, TRANSCRIPT = sys.argv[1:4]
loader = importlib.machinery.SourceFileLoader('real_kubernetes', TOOL)
rk = importlib.util.module_from_spec(importlib.util.spec_from_loader('real_kubernetes', loader))
loader.exec_module(rk)

LINES = []
FAULTS = []


def note(*cells):
    LINES.append('| ' + ' | '.join(str(cell) for cell in cells) + ' |')
    print(LINES[-1], flush=True)


class Play:
    def __init__(self, cluster, space):
        self.c = cluster
        self.space = space
        cluster.create({'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': space}})

    # objects
    def make(self, version, kind, name, spec, owner=None, labels=None, status=None):
        thing = {'apiVersion': version, 'kind': kind, 'metadata': {'name': name, 'namespace': self.space, 'labels': labels or {}}, 'spec': spec}
        if owner:
            thing['metadata']['ownerReferences'] = [owner_of(owner)]
        if status:
            thing['status'] = status
        made = self.c.create(thing)
        made.setdefault('apiVersion', version)
        made.setdefault('kind', kind)
        return made

    def patch(self, thing, change):
        return self.c.patch(f'{self.c.where(thing)}/{thing["metadata"]["name"]}', change)

    def pods(self, count, selector=''):
        self.c.wait_for(lambda: len(self.alive(selector)) == count, 30, f'{count} pods in {self.space}')
        return sorted(self.alive(selector), key=lambda pod: pod['metadata']['name'])

    def alive(self, selector=''):
        return [p for p in self.c.pods(selector, self.space) if 'deletionTimestamp' not in p['metadata']]

    def ready(self, pod, number):
        self.c.ready(pod, number)

    # answers
    def ask(self, *words, user='admin'):
        env = {'PATH': os.environ['PATH'], 'HOME': self.c.dir, 'KUBECONFIG': self.c.kubeconfig}
        return subprocess.run([ROLLCALL, *words], env=env, capture_output=True, text=True, timeout=60)

    def check(self, target, step, expected, ready, words='', state=None, context=None):
        target = f'kubernetes:{self.space}{target},address=pod' + (f',context={context}' if context else '')
        said = self.ask('status', target, '--format', 'json')
        wait = self.ask('wait', target, '--timeout', '1s')
        try:
            status = json.loads(said.stdout)
        except ValueError:
            status = {}
        if 'clusters' in status:
            status = status['clusters'][0]
        status = status.get('status', status)
        members = status.get('members', [])
        there = sum(m['state'] == 'ready' and m['health'] == 'ready' for m in members)
        is_ready = wait.returncode == 0
        faults = []
        if status.get('expected') != expected:
            faults.append(f'expected {status.get("expected")}')
        if there != ready:
            faults.append(f'{there} ready')
        if is_ready != (ready == expected and expected > 0):
            faults.append(f'wait exits {wait.returncode}: {wait.stderr.strip()[-300:]}')
        everything = said.stdout + said.stderr + wait.stderr
        if words and words not in everything:
            faults.append(f'no word of {words!r}: {said.stderr.strip()[-300:]} {wait.stderr.strip()[-300:]}')
        if faults:
            FAULTS.append(f'{target}: {step}: ' + '; '.join(faults))
        note(f'`{target}`', step, f'{there} of {status.get("expected")}', 'ready' if is_ready else 'not ready', status.get('expected_source', ''),
             '; '.join(c.get('text', c['code']) for c in status.get('causes', [])) or '', 'WRONG: ' + '; '.join(faults) if faults else 'right')


def owner_of(thing):
    return {'apiVersion': thing['apiVersion'], 'kind': thing['kind'], 'name': thing['metadata']['name'], 'uid': thing['metadata']['uid'], 'controller': True,
            'blockOwnerDeletion': True}


def template(labels=None):
    return {'metadata': {'labels': labels or {}}, 'spec': {'restartPolicy': 'Never', 'containers': [{'name': 'trainer', 'image': 'registry.example/trainer:v9'}]}}


def always(labels):
    made = template(labels)
    del made['spec']['restartPolicy']
    return made


def job_spec(number, labels=None, **more):
    return {'parallelism': number, 'completions': number, 'completionMode': 'Indexed', 'template': template(labels), **more}


def start(play, targets, pods, expected, words=''):
    """One pod after the other becomes ready."""
    for number, pod in enumerate(pods):
        for target in targets:
            play.check(target, f'{number} of {len(pods)} pods run', expected, number, words)
        play.ready(pod, number)
    for target in targets:
        play.check(target, 'all pods run', expected, expected)


def play_job(c):
    play = Play(c, 'job')
    play.make('batch/v1', 'Job', 'trainer', job_spec(3, {'app': 'x'}))
    start(play, ['/job/trainer', ',job.worker=job-name=trainer', ',job.worker=app=x'], play.pods(3), 3)
    play.check(',job.worker=job-name=trainer%2Cbatch.kubernetes.io/job-completion-index=1', 'one index on purpose', 1, 1)


def play_quota(c):
    play = Play(c, 'quota')
    play.make('v1', 'ResourceQuota', 'pods', {'hard': {'pods': '2'}})
    c.wait_for(lambda: 'hard' in c.get('/api/v1/namespaces/quota/resourcequotas/pods').get('status', {}), 20, 'the quota')
    play.make('batch/v1', 'Job', 'trainer', job_spec(4))
    for number, pod in enumerate(play.pods(2)):
        play.ready(pod, number)
    for target in ('/job/trainer', ',job.worker=job-name=trainer'):
        play.check(target, 'a quota lets two of four be made', 4, 2)


def play_suspended(c):
    play = Play(c, 'suspended')
    job = play.make('batch/v1', 'Job', 'trainer', job_spec(2, suspend=True), labels={'kueue.x-k8s.io/queue-name': 'team-a'})
    c.wait_for(lambda: c.get('/apis/batch/v1/namespaces/suspended/jobs/trainer')['status'].get('conditions'), 20, 'the condition')
    play.check('/job/trainer', 'suspended', 2, 0, 'queue team-a')
    play.patch(job, {'spec': {'suspend': False}})
    start(play, ['/job/trainer'], play.pods(2), 2)
    play.patch(job, {'spec': {'suspend': True}})
    play.pods(0)
    play.check('/job/trainer', 'suspended again', 2, 0, 'queue team-a')


def play_elastic(c):
    play = Play(c, 'elastic')
    job = play.make('batch/v1', 'Job', 'trainer', job_spec(2))
    for number, pod in enumerate(play.pods(2)):
        play.ready(pod, number)
    play.check('/job/trainer', 'two of two', 2, 2)
    play.patch(job, {'spec': {'parallelism': 3, 'completions': 3}})
    play.check('/job/trainer', 'grown to three, at once', 3, 2)
    play.ready([p for p in play.pods(3) if p['status']['phase'] == 'Pending'][0], 9)
    play.check('/job/trainer', 'grown to three', 3, 3)
    c.delete('/apis/batch/v1/namespaces/elastic/jobs/trainer')
    again = None
    while again is None:
        try:
            again = play.make('batch/v1', 'Job', 'trainer', job_spec(3))
        except rk.Refused:
            time.sleep(0.05)
    play.check('/job/trainer', 'deleted and made again, at once', 3, 0)


def play_stateful(c):
    for policy in ('OrderedReady', 'Parallel'):
        space = 'sts-' + policy.lower()
        play = Play(c, space)
        play.make('apps/v1', 'StatefulSet', 'ps', {'replicas': 3, 'serviceName': 'ps', 'podManagementPolicy': policy, 'ordinals': {'start': 5},
                                                  'selector': {'matchLabels': {'app': 'ps'}}, 'template': always({'app': 'ps'})})
        targets = ['/sts/ps', ',job.worker=app=ps']
        if policy == 'Parallel':
            start(play, targets, play.pods(3), 3)
            continue
        for number in range(3):
            pod = play.pods(number + 1)[-1]
            for target in targets:
                play.check(target, f'ps-{number + 5} is made', 3, number, f'pod {space}/ps-{number + 5} has to be ready' if number < 2 else '')
            play.ready(pod, number)
        for target in targets:
            play.check(target, 'all pods run', 3, 3)


def play_deployment(c):
    play = Play(c, 'deployment')
    play.make('apps/v1', 'Deployment', 'web', {'replicas': 3, 'selector': {'matchLabels': {'app': 'web'}}, 'template': always({'app': 'web'})})
    start(play, ['/deploy/web', ',job.worker=app=web'], play.pods(3), 3)


def play_jobset(c):
    play = Play(c, 'jobset')
    replicated = {'name': 'slice', 'replicas': 2, 'template': {'spec': job_spec(2)}}
    jobset = play.make('jobset.x-k8s.io/v1alpha2', 'JobSet', 'trainer', {'replicatedJobs': [replicated]})
    targets = ['/jobset/trainer', ',job.worker=jobset.sigs.k8s.io/jobset-name=trainer']
    play.check(targets[0], 'no Job is made', 4, 0)
    done = 0
    for index in range(2):
        labels = {'jobset.sigs.k8s.io/jobset-name': 'trainer', 'jobset.sigs.k8s.io/replicatedjob-name': 'slice', 'jobset.sigs.k8s.io/job-index': str(index),
                  'jobset.sigs.k8s.io/replicatedjob-replicas': '2', 'jobset.sigs.k8s.io/restart-attempt': '0'}
        play.make('batch/v1', 'Job', f'trainer-slice-{index}', job_spec(2, labels), owner=jobset, labels=labels)
        for pod in play.pods(2, f'job-name=trainer-slice-{index}'):
            play.ready(pod, done)
            done += 1
            for target in targets:
                play.check(target, f'{index + 1} Jobs are made, {done} pods run', 4, done)
        play.check(f'/job/trainer-slice-{index}', 'one Job of it', 2, 2)
    c.patch_status('jobset/trainer', {'restarts': 1}, play.space)
    play.check('/jobset/trainer', 'started again: the pods are of the attempt before', 4, 0)


def play_lws(c):
    play = Play(c, 'lws')
    prefix = 'leaderworkerset.sigs.k8s.io/'
    lws = play.make('leaderworkerset.x-k8s.io/v1', 'LeaderWorkerSet', 'v', {'replicas': 2, 'startupPolicy': 'LeaderReady', 'leaderWorkerTemplate': {
        'size': 2, 'workerTemplate': template({'app': 'v'})}})
    targets = ['/lws/v', f',job.worker={prefix}name=v']
    play.check(targets[0], 'nothing is made', 4, 0)

    def stateful_set(name, app, owner, **more):
        labels = {'app': app, prefix + 'name': 'v'}
        return play.make('apps/v1', 'StatefulSet', name, {'replicas': 1, 'serviceName': 'v', 'podManagementPolicy': 'Parallel', 'selector': {'matchLabels': {'app': app}},
                                                         'template': always(labels), **more}, owner=owner)

    def named(name, group, worker):  # the labels that a webhook of its controller adds
        c.wait_for(lambda: c.get(f'/api/v1/namespaces/lws/pods/{name}'), 20, name)
        return dict(c.patch(f'/api/v1/namespaces/lws/pods/{name}', {'metadata': {'labels': {prefix + 'group-index': str(group), prefix + 'worker-index': str(worker)}}}),
                    apiVersion='v1', kind='Pod')
    leaders = stateful_set('v', 'v-leader', lws)
    done = 0
    for group in range(2):
        if group > 0:
            play.patch(leaders, {'spec': {'replicas': 2}})
        leader = named(f'v-{group}', group, 0)
        for target in targets:
            play.check(target, f'leader {group} is made', 4, done, f'leader lws/v-{group} has to be ready')
        play.ready(leader, done)
        done += 1
        stateful_set(f'v-{group}', f'v-{group}', leader, ordinals={'start': 1})
        worker = named(f'v-{group}-1', group, 1)
        for target in targets:
            play.check(target, f'worker of group {group} is made', 4, done)
        play.ready(worker, done)
        done += 1
    for target in targets:
        play.check(target, 'all pods run', 4, 4)


def play_ray(c):
    play = Play(c, 'ray')
    ray = play.make('ray.io/v1', 'RayCluster', 'r', {'headGroupSpec': {}, 'workerGroupSpecs': [{'groupName': 'h100', 'replicas': 2, 'minReplicas': 0, 'maxReplicas': 4, 'numOfHosts': 1}]})
    targets = ['/raycluster/r', ',job.worker=ray.io/cluster=r']
    play.check(targets[0], 'nothing is made', 3, 0)
    for number, kind in enumerate(('head', 'worker', 'worker')):
        pod = play.make('v1', 'Pod', f'r-{number}', template()['spec'], owner=ray,
                        labels={'ray.io/cluster': 'r', 'ray.io/node-type': kind, 'ray.io/group': 'headgroup' if kind == 'head' else 'h100'})
        for target in targets:
            play.check(target, f'{number + 1} pods are made', 3, number, 'head has to be ready first' if number == 0 else '')
        play.ready(pod, number)
    for target in targets:
        play.check(target, 'all pods run', 3, 3)


def play_rights(c):
    space = rk.NAMESPACE
    play = Play.__new__(Play)
    play.c, play.space = c, space
    play.make('batch/v1', 'Job', 'limited', job_spec(2))
    play.ready(play.pods(2, 'job-name=limited')[0], 0)
    target = ',job.worker=job-name=limited'
    play.check(target, 'one of two pods runs', 2, 1)
    said = play.ask('status', f'kubernetes:{space}{target},address=pod,context=pods-only', '--format', 'json')
    is_said = 'get jobs.batch' in said.stderr and '--members' in said.stderr
    if not is_said:
        FAULTS.append(f'an account that may read pods only: {said.stderr}')
    note(f'`kubernetes:{space}{target}`', 'an account that may read pods only', '', '', '', said.stderr.strip().replace('|', ' ')[:300], 'right' if is_said else 'WRONG')
    for kind, words in (('job', 'wanted: get jobs.batch'), ('jobset', 'wanted: get jobsets')):
        said = play.ask('status', f'kubernetes:{space}/{kind}/limited,context=pods-only')
        is_said = words in said.stderr
        if not is_said:
            FAULTS.append(f'{kind}: {said.stderr}')
        note(f'`kubernetes:{space}/{kind}/limited`', 'an account that may read pods only', '', '', '', said.stderr.strip().splitlines()[0][:300] if said.stderr else '', 'right' if is_said else 'WRONG')


def main():
    only = os.environ.get('PLAYS', '').split()
    folder = tempfile.mkdtemp(prefix='workloads-')
    cluster = rk.Cluster(folder).start()
    try:
        version = cluster.get('/version')['gitVersion'].lstrip('v')
        LINES.extend(['# Workloads of a real control plane', '', 'Written by `tests/interop/kubernetes_workloads/run`; see `README.md` one folder up.', '', '| | |', '| --- | --- |',
                      f'| Kubernetes | {version} |', '', '| target | step | members ready | wait | source of the number | causes | |', '| --- | --- | --- | --- | --- | --- | --- |'])
        for name, story in list(globals().items()):
            if name.startswith('play_') and (not only or name[5:] in only):
                story(cluster)
    finally:
        cluster.stop()
    LINES.extend(['', f'Wrong answers: {len(FAULTS)}'])
    with open(TRANSCRIPT, 'w', encoding='utf-8') as file:
        file.write('\n'.join(LINES) + '\n')
    for fault in FAULTS:
        print('WRONG', fault, file=sys.stderr)
    sys.exit(1 if FAULTS else 0)


if __name__ == '__main__':
    main()
