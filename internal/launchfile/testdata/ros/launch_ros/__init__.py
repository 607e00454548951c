"""A stand-in for launch_ros: see the one for launch."""
