#!/usr/bin/env python3
"""Runs a command at each change of a network's state: COMMAND BEFORE NOW.

    on_state.py [--node NAME] COMMAND

BEFORE and NOW are states, such as active. NOW is silent while the daemon gives no sign of life, and BEFORE is none at the
start. A change waits until the command of the one before has ended. If rstate watch ends, so does this program.
"""

import argparse
import json
import subprocess
import sys


def state_of(line):
    """Returns the state that a line of rstate watch shows."""
    shown = json.loads(line)
    return shown['state']['label'] if shown['alive'] else 'silent'


def main():
    parser = argparse.ArgumentParser(description='Run a command at each change of a network.')
    parser.add_argument('--node', default='/rstate', help='full name of the daemon')
    parser.add_argument('command', help='a program; it gets the state before and the state now')
    given = parser.parse_args()
    before = 'none'
    with subprocess.Popen(['rstate', 'watch', '--wait', '--node', given.node, '-o', 'json'],
                          stdout=subprocess.PIPE, text=True) as watch:
        try:
            for line in watch.stdout:
                now = state_of(line)
                if now == before:
                    continue
                ended = subprocess.run([given.command, before, now], check=False)
                if ended.returncode != 0:
                    print(f'{given.command} {before} {now} ended with {ended.returncode}', file=sys.stderr)
                before = now
        finally:
            watch.terminate()
    return watch.returncode


if __name__ == '__main__':
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
