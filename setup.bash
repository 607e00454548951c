# Source this: the shell gets the ROS 2 of this checkout, our interfaces, and bin/rstate. `ROS_DISTRO=kilted` before
# it chooses Kilted. Everything stays on this machine unless ROS_AUTOMATIC_DISCOVERY_RANGE says otherwise.
_rstate_root="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
if _rstate_env="$(cd "$_rstate_root" && go run ./setup -q && go run ./setup env)"; then
  eval "$_rstate_env"
  export ROS_AUTOMATIC_DISCOVERY_RANGE="${ROS_AUTOMATIC_DISCOVERY_RANGE:-LOCALHOST}"
  case ":$PATH:" in *":$_rstate_root/bin:"*) ;; *) export PATH="$_rstate_root/bin:$PATH" ;; esac
  unset _rstate_root _rstate_env
else
  unset _rstate_root _rstate_env
  return 1
fi
