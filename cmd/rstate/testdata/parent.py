"""A parent as ros2 launch is one with a ROS node: its UDP sockets stay open in its children, whose output it reads.

It takes the lowest discovery ports of the domain, starts the command line that it got, and prints what that says.
SIGTERM ends it, and so does the end of its input. It leaves its child, whose output nothing reads from then on.
"""

import os
import socket
import subprocess
import sys
import threading

first = 7410 + 250 * int(os.environ['ROS_DOMAIN_ID'])
kept = []
for port in range(first, first + 40, 2):
    own = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        own.bind(('', port))
    except OSError:
        continue  # of another participant
    own.set_inheritable(True)
    kept.append(own)
    if len(kept) == 2:
        break

child = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         close_fds=False)


def read():
    for line in child.stdout:
        print(line.decode(), end='', flush=True)


threading.Thread(target=read, daemon=True).start()
sys.stdin.read()
os._exit(0)
