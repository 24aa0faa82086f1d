"""A provider for a virtual node, of Python's own library alone: each container is a process on this machine. No isolation, nothing kept.
    python3 provider.py [port]
    farloop up --virtual-node edge=http:http://127.0.0.1:9000
"""
import json, os, signal, subprocess, sys, threading
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit
from logs import clock, drop, keep_log, lines_of, usage_of

tasks = {}  # by namespace/name: the pod as it was created, and a process for each container
now = lambda: datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
key_of = lambda pod: f'{pod["metadata"]["namespace"]}/{pod["metadata"]["name"]}'

class Problem(Exception):
    """A status of HTTP and a text."""

def create(pod):
    if key_of(pod) in tasks:
        return
    if pod["spec"].get("initContainers") or pod["spec"].get("restartPolicy", "Always") != "Never":
        raise Problem(400, "only pods with restartPolicy: Never and without init containers are run here")
    runs = {}
    for container in pod["spec"]["containers"]:
        words = container.get("command", []) + container.get("args", []) or ["sleep", "infinity"]
        env = {"PATH": os.environ["PATH"], **{each["name"]: each.get("value", "") for each in container.get("env", [])}}
        try:  # a session of its own, so that a stop reaches all of it
            process = subprocess.Popen(words, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        except OSError:
            process = None
        runs[container["name"]] = {"process": process, "started": now(), "finished": None, "log": process and keep_log(process)}
    tasks[key_of(pod)] = {"pod": pod, "runs": runs, "started": now()}
def container_status(container, run):
    code = 128 if run["process"] is None else run["process"].poll()
    status = {"name": container["name"], "image": container.get("image", ""), "imageID": "", "restartCount": 0, "ready": code is None}
    if code is None:
        return {**status, "state": {"running": {"startedAt": run["started"]}}}
    run["finished"] = run["finished"] or now()
    reason = "StartError" if run["process"] is None else "Error" if code else "Completed"
    ended = {"exitCode": code if code >= 0 else 128 - code, "reason": reason, "startedAt": run["started"], "finishedAt": run["finished"]}
    return {**status, "state": {"terminated": ended}}

def shown(task):
    statuses = [container_status(each, task["runs"][each["name"]]) for each in task["pod"]["spec"]["containers"]]
    codes = [each["state"].get("terminated", {}).get("exitCode") for each in statuses]
    phase = "Running" if None in codes else "Failed" if any(codes) else "Succeeded"
    is_ready = all(code is None for code in codes)
    states = {"PodScheduled": True, "Initialized": True, "ContainersReady": is_ready, "Ready": is_ready}
    conditions = [{"type": kind, "status": str(value)} for kind, value in states.items()]
    address = {"hostIP": "127.0.0.1", "podIP": "127.0.0.1", "podIPs": [{"ip": "127.0.0.1"}]}
    return {**{key: value for key, value in task["pod"].items() if key != "farloop.dev/volumes"}, "status": {"phase": phase, "conditions": conditions, "startTime": task["started"], "containerStatuses": statuses, **address}}

def known(key):
    if key not in tasks:
        raise Problem(404, f'pod "{key}" is not known')
    return tasks[key]

def remove(pod):
    processes = [run["process"] for run in known(key_of(pod))["runs"].values() if run["process"]]
    grace_seconds = pod["metadata"].get("deletionGracePeriodSeconds", 30)
    if all(process.poll() is not None for process in processes):
        if grace_seconds == 0:
            del tasks[key_of(pod)]  # nobody asks for it any more
        return
    def end(how):
        for process in (each for each in processes if each.poll() is None):
            os.killpg(process.pid, how)
    end(signal.SIGTERM)
    threading.Timer(grace_seconds, end, [signal.SIGKILL]).start()

def log_of(path):
    namespace, name, container = urlsplit(path).path.split("/")[3:6]
    query = dict(parse_qsl(urlsplit(path).query))
    log = known(f"{namespace}/{name}")["runs"].get(container, {}).get("log")
    if log is None or query.get("previous") == "true":
        raise Problem(404, f"no log of the container {container}")
    return lines_of(log, query)

def figures_of(task):
    running = {name: run for name, run in task["runs"].items() if run["process"] and run["process"].poll() is None}
    containers = [{"name": name, "startTime": run["started"], **usage_of(run["process"].pid)} for name, run in running.items()]
    return {"uid": task["pod"]["metadata"]["uid"], "time": clock(), "containers": containers}

def answer(method, path, pod):
    parts = path.strip("/").split("/")
    if method == "GET" and parts == ["v1", "pods"]:
        return {"kind": "PodList", "apiVersion": "v1", "items": [shown(task) for task in list(tasks.values())]}
    if method == "GET" and parts == ["v1", "figures"]:
        return {"items": [figures_of(task) for task in list(tasks.values())]}
    if method == "GET" and parts[:2] == ["v1", "pods"] and len(parts) in (4, 5):
        found = shown(known("/".join(parts[2:4])))
        return found["status"] if len(parts) == 5 else found
    update = lambda told: known(key_of(told))["pod"].update(metadata=told["metadata"])
    calls = {"/v1/createPod": create, "/v1/updatePod": update, "/v1/deletePod": remove}
    if method == "POST" and path in calls:
        return calls[path](pod) or {}
    raise Problem(501 if path == "/v1/notifyPods" else 404, f"no such call: {method} {path}")

class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            if self.path.startswith("/v1/containerLogs/"):
                return self.send_log(log_of(self.path))
            status, text = 200, json.dumps(answer(self.command, self.path, json.loads(body) if body else None))
        except Exception as problem:
            status, text = problem.args if isinstance(problem, Problem) else (500, str(problem))
        self.send_response(status)
        self.send_header("Content-Type", "application/json" if status == 200 else "text/plain")
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())
    do_POST = do_GET
    def send_log(self, lines):
        self.close_connection = True  # its end is the log's
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            for line in lines:
                self.wfile.write(line)
        except ConnectionError:
            pass  # nobody reads it any more
    log_message = lambda *_: None

server = ThreadingHTTPServer(("127.0.0.1", int((sys.argv[1:] or [9000])[0])), Handler)
print(f"provider at http://127.0.0.1:{server.server_address[1]}", flush=True)
signal.signal(signal.SIGTERM, lambda *_: sys.exit())
try:
    server.serve_forever()
finally:  # what it runs ends with it
    [remove(task["pod"]) for task in list(tasks.values())]
    drop()
    os._exit(0)
