#!/bin/bash
# The start of a robot as a test: start.sh FOLDER NETWORK COMMAND [WORD...]
#
# COMMAND starts the nodes of the robot, and FOLDER gets the evidence. ROS 2 is sourced already. The test starts the nodes
# and the daemon, brings the network up, and shuts it down. It arms nothing. If a step fails, it says why and ends with
# the exit code of that step.
set -u

if [ $# -lt 3 ]; then
  echo "write start.sh FOLDER NETWORK COMMAND [WORD...]" >&2
  exit 2
fi
folder="$1" network="$2"
shift 2
mkdir -p "$folder" || exit 2

# A domain of its own, on this machine alone: other jobs may run beside this one.
export ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST ROS_DOMAIN_ID="${ROS_DOMAIN_ID:-$((RANDOM % 100 + 1))}"

nodes= daemon=
end() {
  # The daemon disarms while the nodes are there.
  for group in $daemon $nodes; do
    kill -INT -- "-$group" 2>/dev/null
    for ((tries = 200; tries > 0; tries--)); do
      kill -0 "$group" 2>/dev/null || break
      sleep 0.1
    done
    kill -KILL -- "-$group" 2>/dev/null # what it has started and left behind, or all of it after 20 s
  done
  wait
}
trap end EXIT

# Each of both is a process group of its own. Otherwise bash has them ignore SIGINT, and cannot name what they start.
set -m
"$@" >"$folder/nodes.log" 2>&1 </dev/null &
nodes=$!
rstate run "$network" --journal "$folder/journal" --log json >"$folder/daemon.log" 2>&1 </dev/null &
daemon=$!
set +m

step() {
  "$@"
  code=$?
  [ $code -eq 0 ] && return
  echo "failed with exit code $code: $*" >&2
  rstate why --dir "$folder/journal" | tee "$folder/why.txt" >&2
  rstate doctor "$network" >"$folder/doctor.txt" 2>&1
  exit $code
}

step rstate watch --wait --until unconfigured --for 60s
step rstate send active --reason "CI"
rstate status -o json >"$folder/active.json"
step rstate send shutdown --reason "CI"
wait $daemon # its exit code tells whether every node is finalized
code=$?
daemon=
[ $code -eq 0 ] || echo "the daemon ended with exit code $code" >&2
exit $code
