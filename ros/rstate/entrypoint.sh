#!/bin/bash
# rstate in a container, with ROS 2 and its interfaces around it. The container's own process is rstate itself, which gets
# the signals that end it.
set -e
source "/opt/ros/${ROS_DISTRO}/setup.bash"
source /opt/rstate/local_setup.bash
exec /opt/rstate/bin/rstate "$@"
