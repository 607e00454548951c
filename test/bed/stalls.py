"""Suspends processes of a test at drawn moments, one at a time, for a while.

Usage: stalls.py SEED PID. Lines on stdin add a process ("+ PID") or leave one alone ("- PID"). PID is
the test itself. The end of stdin is the end of the test: what is suspended goes on, and this ends.
"""
import os
import random
import signal
import sys
import threading

FOR = 3.0
PAUSE = (4.0, 10.0)  # from the end of one to the next: what follows from one is over by then

draw = random.Random(sys.argv[1])
pids = [int(sys.argv[2])]
lock = threading.Lock()
over = threading.Event()


def listen():
    for line in sys.stdin:
        what, pid = line.split()
        with lock:
            if what == '+':
                pids.append(int(pid))
            elif int(pid) in pids:
                pids.remove(int(pid))
    over.set()


def suspended(pid):
    with open(f'/proc/{pid}/stat') as f:
        return f.read().rsplit(')', 1)[1].split()[0] in 'TtZX'


def stall():
    with lock:
        pid = draw.choice(pids)
        try:
            if suspended(pid):
                return
            with open(f'/proc/{pid}/cmdline') as f:
                name = ' '.join(f.read().split('\0')[:2])
            os.kill(pid, signal.SIGSTOP)
        except OSError:
            return
    over.wait(FOR)
    with lock:
        if pid in pids:  # or the test has suspended it itself, or it has ended
            os.kill(pid, signal.SIGCONT)
            print(f'stalls: {pid} stood for {FOR:.0f} s: {name}', file=sys.stderr, flush=True)


signal.signal(signal.SIGINT, signal.SIG_IGN)
threading.Thread(target=listen, daemon=True).start()
while not over.wait(draw.uniform(*PAUSE)):
    stall()
