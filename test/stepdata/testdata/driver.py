"""Reads the operations of test/stepdata as words, and writes a line for each that has a result."""
import sys
from types import SimpleNamespace

from rstate.step_data import StepData

words = iter(sys.stdin.read().split())


def number():
    return int(next(words))


def several(one):
    return [one() for _ in range(number())]


def count():
    return SimpleNamespace(topic=next(words), participant=next(words), count=number())


def begin():
    epoch = number()
    visible = several(count)
    why = data.refused(epoch) or (data.missing(visible) if epoch else "")
    print(why + ":" + "".join(f" {n}={m}" for _, _, n, m in ([] if why else data.begin(epoch, visible))))


for op in words:
    if op == "new":
        data = StepData()
    elif op == "zero":
        data.zero(number(), several(lambda: next(words)), several(lambda: next(words)))
    elif op == "arrived":
        data.arrive(next(words), next(words), number())
    elif op == "begin":
        begin()
    elif op == "publish":
        print("yes" if data.publish(next(words)) else "no")
    elif op == "sent":
        print("".join(f"{topic}={n} " for topic, n in data.sent()))
    elif op == "settle":
        data.settle()
    elif op == "end":
        data.end()
    else:
        sys.exit(f"unknown operation {op}")
