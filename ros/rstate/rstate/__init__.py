"""What nodes in Python need of rstate."""
