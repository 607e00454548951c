# rstate in a container:
#
#     docker build -t rstate .
#     docker run --rm --network host -v "$PWD/config:/config:ro" rstate run /config/demo.yaml
#
# Its nodes live elsewhere, so it uses the host's network. Another distribution: --build-arg ROS_DISTRO=kilted.
# The base images are named by tag, and a tag can be moved to another image. No digest stands here, because the CI of
# this repository reaches no container registry: it could not check that an image of a digest is there and works. A
# release names both images by digest: --build-arg BUILD_IMAGE=ros@sha256:... --build-arg RUN_IMAGE=ros@sha256:...
# SECURITY.md says how to find them.

ARG ROS_DISTRO=jazzy
ARG BUILD_IMAGE=ros:${ROS_DISTRO}-ros-base
ARG RUN_IMAGE=ros:${ROS_DISTRO}-ros-core

FROM ${BUILD_IMAGE} AS build
SHELL ["/bin/bash", "-o", "pipefail", "-c"]

RUN apt-get update \
 && apt-get install --no-install-recommends -y ca-certificates curl \
 && rm -rf /var/lib/apt/lists/*

# The distribution's Go is older than go.mod wants. GOTOOLCHAIN: this one and no other.
ARG GO_VERSION=1.25.4
ARG GO_SHA256_AMD64=9fa5ffeda4170de60f67f3aa0f824e426421ba724c21e133c1e35d6159ca1bec
ARG GO_SHA256_ARM64=a68e86d4b72c2c2fecf7dfed667680b6c2a071221bbdb6913cf83ce3f80d9ff0
RUN arch="$(dpkg --print-architecture)" \
 && case "$arch" in \
      amd64) sum="$GO_SHA256_AMD64" ;; \
      arm64) sum="$GO_SHA256_ARM64" ;; \
      *) echo "there is no checksum of Go for $arch: add one to the Dockerfile" >&2; exit 1 ;; \
    esac \
 && curl -fsSL -o /tmp/go.tar.gz "https://go.dev/dl/go${GO_VERSION}.linux-${arch}.tar.gz" \
 && echo "$sum  /tmp/go.tar.gz" | sha256sum --check --strict \
 && tar -C /usr/local -xzf /tmp/go.tar.gz \
 && rm /tmp/go.tar.gz
ENV PATH=/usr/local/go/bin:$PATH GOTOOLCHAIN=local

WORKDIR /src

# What changes seldom comes first: the interfaces take a minute.
COPY msgs/rstate_msgs msgs/rstate_msgs
RUN source "/opt/ros/$ROS_DISTRO/setup.bash" \
 && colcon build --merge-install --install-base /opt/rstate --base-paths msgs/rstate_msgs \
      --cmake-args -DBUILD_TESTING=OFF -DCMAKE_BUILD_TYPE=Release

COPY go.mod go.sum ./
COPY rclgo/go.mod rclgo/
RUN go mod download

COPY cmd cmd
COPY internal internal
COPY msgs/gen msgs/gen
COPY rclgo rclgo
COPY config config
COPY launch launch
COPY ros ros
# Without a version the program says +unknown: the image is built without the clone's history.
ARG VERSION=
RUN source "/opt/ros/$ROS_DISTRO/setup.bash" \
 && colcon build --merge-install --install-base /opt/rstate --base-paths ros/rstate \
      --cmake-args -DBUILD_TESTING=OFF -DCMAKE_BUILD_TYPE=Release "-DRSTATE_VERSION=$VERSION"

FROM ${RUN_IMAGE}

RUN useradd --system --create-home --home-dir /var/lib/rstate --shell /usr/sbin/nologin rstate
COPY --from=build /opt/rstate /opt/rstate
COPY LICENSE /usr/share/doc/rstate/LICENSE
# For a shell in the container.
COPY --from=build /opt/rstate/share/bash-completion/completions/rstate /usr/share/bash-completion/completions/rstate
COPY --from=build /opt/rstate/share/zsh/site-functions/_rstate /usr/share/zsh/site-functions/_rstate
COPY --from=build /opt/rstate/share/fish/vendor_completions.d/rstate.fish /usr/share/fish/vendor_completions.d/rstate.fish
# Called rstate, so that `docker exec NAME rstate status` does what one thinks.
COPY ros/rstate/entrypoint.sh /usr/local/bin/rstate

# The journal is in ROS_HOME: mount something there to keep it. Shared memory does not reach across the container's wall, and
# participants on one host that believe it does never meet: UDP does. RSTATE_NODE is whose health is looked at.
ENV ROS_HOME=/var/lib/rstate FASTDDS_BUILTIN_TRANSPORTS=UDPv4 RSTATE_NODE=/rstate
USER rstate
WORKDIR /var/lib/rstate

HEALTHCHECK --interval=30s --timeout=15s --start-period=30s --retries=3 \
  CMD /usr/local/bin/rstate status --node "$RSTATE_NODE"
ENTRYPOINT ["/usr/local/bin/rstate"]
CMD ["help"]
