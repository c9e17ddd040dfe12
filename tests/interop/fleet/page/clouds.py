"""clouds.py: the simulated clouds of the page's test, and the targets that are followed in them."""

HOSTILE = "<img src=x onerror=\"document.title='taken'\"><script>document.title='taken'</script>"
TRICK = "\u202egnp.exe \u200b\u2066 HEALTHY"


def small_fleet():
    """A fleet as an operator may have it: each standing at least once, and a hostile name."""
    def at(*moments):
        return [dict(state=state, at=when, **more) for when, state, more in moments]

    nodes = [
        {"name": "llm-70b-pretrain", "accelerator_type": "v5litepod-256", "timeline": at((0, "READY", {}))},
        {"name": "llm-7b-sft", "accelerator_type": "v4-128", "timeline": at((0, "CREATING", {}), (12, "READY", {}), (40, "REPAIRING", {"health_description": "chip 3 of worker 5 does not answer"}))},
        {"name": "vision-ablate-0", "accelerator_type": "v5litepod-16", "timeline": at((0, "READY", {}))},
        {"name": "vision-ablate-1", "accelerator_type": "v5litepod-16", "timeline": at((0, "READY", {}), (8, "PREEMPTED", {}))},
        {"name": "rl-actors", "accelerator_type": "v4-32", "timeline": at((0, "READY", {"endpoints": 2}))},
        {"name": "eval-nightly", "accelerator_type": "v3-8", "timeline": at((0, "STOPPED", {}))},
        {"name": "speech-large", "accelerator_type": "v5p-256", "timeline": at((0, "CREATING", {}))},
        {"name": "diffusion-xl", "accelerator_type": "v6e-64", "timeline": at((0, "CREATING", {}), (20, "READY", {}))},
        {"name": "retriever", "accelerator_type": "v4-16", "zone": "europe-west4-b", "timeline": at((0, "READY", {}))},
        {"name": "goes-away", "accelerator_type": "v4-32", "timeline": at((0, "READY", {}), (45, "REPAIRING", {"health_description": "the host was lost"}))},
        {"name": "hostile", "accelerator_type": "v4-32", "timeline": at((0, "READY", {"health": "UNHEALTHY_MAINTENANCE", "health_description": HOSTILE + TRICK + "x" * 10_000}))},
    ]
    queued = [{"name": "gemma-next", "state": "WAITING_FOR_RESOURCES", "slices": 2, "node": {"accelerator_type": "v5litepod-64"}}]
    targets = [f"tpu:{node['name']},project=lab,zone={node.get('zone', 'us-central2-b')}" for node in nodes]
    targets += ["tpu:qr/gemma-next,project=lab,zone=us-central2-b", "tpu:not-there,project=lab,zone=us-central2-b",
                "tpu:%3Cimg%20src%3Dx%20onerror%3Dalert%281%29%3E,project=lab,zone=us-central2-b"]
    return {"project": "lab", "zone": "us-central2-b", "zones": ["europe-west4-b"], "nodes": nodes, "queued_resources": queued}, targets


def large_fleet(count):
    """That many clusters in one zone."""
    nodes = [{"name": "run-{i}", "count": count, "accelerator_type": "v5litepod-16", "timeline": [{"at": 0, "state": "READY"}]}]
    return {"project": "lab", "zone": "us-central2-b", "nodes": nodes}, [f"tpu:run-{i},project=lab,zone=us-central2-b" for i in range(count)]
