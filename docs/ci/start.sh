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

"$@" >"$folder/nodes.log" 2>&1 &
nodes=$!
rstate run "$network" --journal "$folder/journal" --log json >"$folder/daemon.log" 2>&1 &
daemon=$!
trap 'kill -INT $nodes $daemon 2>/dev/null; wait' EXIT

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
