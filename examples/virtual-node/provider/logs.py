"""Logs of the example provider's containers: a file for each run, in which each line has its time; and what a run uses."""
import atexit, os, shutil, tempfile, threading, time
from collections import deque
from datetime import datetime, timezone
from math import inf

folder = tempfile.mkdtemp(prefix="provider-logs-")
drop = lambda: shutil.rmtree(folder, ignore_errors=True)
atexit.register(drop)
clock = lambda: datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")

def keep_log(process):
    """Keeps what a process writes; a disk that is slow holds it up."""
    handle, path = tempfile.mkstemp(dir=folder)
    log = {"file": path, "size": 0, "ended": False}
    def keep():
        with os.fdopen(handle, "wb") as file:
            for line in process.stdout:
                file.write(f"{clock()} ".encode() + line.rstrip(b"\n") + b"\n")
                file.flush()
                log["size"] = file.tell()
        log["ended"] = True
    threading.Thread(target=keep, daemon=True).start()
    return log

def lines_of(log, query):
    """The lines that a query asks for, as a kubelet takes it."""
    tail, left = (float(query.get(name, inf)) for name in ("tailLines", "limitBytes"))
    since = query.get("sinceTime", "").encode()
    cut = lambda line: line if query.get("timestamps") == "true" else line.split(b" ", 1)[1]
    with open(log["file"], "rb") as file:
        while True:
            ended, size, last = log["ended"], log["size"], deque(maxlen=None if tail == inf else int(tail))
            def news():
                while file.tell() < size:
                    line = file.readline()
                    if line[:24] >= since:
                        yield line
            found = news()
            if tail < inf:  # of what is there at the request
                last.extend(found)
                found, tail = last, inf
            for line in found:
                shown = cut(line)[: int(left) if left < inf else None]
                left -= len(shown)
                yield shown
                if left <= 0:
                    return
            if query.get("follow") != "true" or (ended and log["size"] == size):
                return
            time.sleep(0.1)

def usage_of(group):
    """Of a process and its children, on Linux: all that is in its group."""
    cpu_seconds = memory_bytes = 0
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                fields = file.read().rsplit(") ", 1)[1].split()
        except OSError:
            continue  # it has ended meanwhile
        if int(fields[2]) == group:
            cpu_seconds += (int(fields[11]) + int(fields[12])) / 100
            memory_bytes += int(fields[21]) * 4096
    return {"cpuSeconds": cpu_seconds, "memoryBytes": memory_bytes}
