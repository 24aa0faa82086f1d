"""Waits for what comes about by itself."""
import time


def until(holds):
    last = time.monotonic() + 60
    while not holds():
        if time.monotonic() > last:
            raise TimeoutError("it did not come about within 60 s")
        time.sleep(0.2)
