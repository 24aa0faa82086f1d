"""Drives the official Python client, unmodified: python pod_client.py KUBECONFIG NODE. Prints what it saw of a pod as JSON."""

import json
import sys
import time

from condition import until
from kubernetes import client, config
from kubernetes.stream import stream

NAMESPACE = "default"
LINES = "one\ntwo\nthree\n"


def pod_of(node, name, run_seconds):
    annotations = {"sim.farloop.dev/run-seconds": run_seconds, "sim.farloop.dev/log": LINES}
    return client.V1Pod(
        metadata=client.V1ObjectMeta(name=name, annotations=annotations),
        spec=client.V1PodSpec(
            node_name=node,
            restart_policy="Never",
            enable_service_links=False,
            tolerations=[client.V1Toleration(operator="Exists")],
            containers=[client.V1Container(name="main", image="example.com/work")],
        ),
    )


def main(kubeconfig, node):
    config.load_kube_config(kubeconfig)
    core = client.CoreV1Api()
    phase = lambda name: core.read_namespaced_pod(name, NAMESPACE).status.phase
    seen = {}

    core.create_namespaced_pod(NAMESPACE, pod_of(node, "ends", "4"))
    until(lambda: phase("ends") == "Running")
    followed = core.read_namespaced_pod_log("ends", NAMESPACE, follow=True, _preload_content=False)
    seen["followed"] = b"".join(followed.stream()).decode()
    until(lambda: phase("ends") == "Succeeded")
    seen["phaseAfter"] = phase("ends")
    seen["whole"] = core.read_namespaced_pod_log("ends", NAMESPACE)
    seen["tail"] = core.read_namespaced_pod_log("ends", NAMESPACE, tail_lines=1)
    seen["limited"] = core.read_namespaced_pod_log("ends", NAMESPACE, limit_bytes=5)
    seen["timed"] = core.read_namespaced_pod_log("ends", NAMESPACE, timestamps=True)
    try:
        core.read_namespaced_pod_log("ends", NAMESPACE, container="none")
    except client.ApiException as problem:
        seen["none"] = problem.status

    core.create_namespaced_pod(NAMESPACE, pod_of(node, "runs", "600"))
    until(lambda: phase("runs") == "Running")
    execute = core.connect_get_namespaced_pod_exec
    ways = dict(stderr=True, stdin=False, stdout=True, tty=False)
    seen["said"] = stream(execute, "runs", NAMESPACE, command=["echo", "hello"], **ways)
    session = stream(execute, "runs", NAMESPACE, command=["sh", "-c", "echo out; nothing-there; exit 7"], _preload_content=False, **ways)
    session.run_forever(timeout=60)
    seen["session"] = [session.read_stdout(), session.read_stderr().split(":")[0], session.returncode]
    typed = stream(execute, "runs", NAMESPACE, command=["cat"], _preload_content=False, **{**ways, "stdin": True})
    text = "x" * 1_000_000
    for at in range(0, len(text), 50_000):
        typed.write_stdin(text[at : at + 50_000])
    got = ""
    last = time.monotonic() + 60
    while len(got) < len(text) and time.monotonic() < last:
        typed.update(timeout=1)
        got += typed.read_stdout() if typed.peek_stdout() else ""
    seen["echoed"] = [len(got), got == text]
    typed.close()
    print(json.dumps(seen))


main(*sys.argv[1:])
