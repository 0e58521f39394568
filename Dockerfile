# The compiler runs on the processor of the builder, and builds for that of the image:
#   docker buildx build --platform linux/amd64,linux/arm64 .
# GO_IMAGE=golang@sha256:… pins the image of the compiler. Nothing of it is in the image of the server.
ARG GO_IMAGE=golang:1.26.8
FROM --platform=$BUILDPLATFORM ${GO_IMAGE} AS build
ARG TARGETOS TARGETARCH
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH \
    go build -trimpath -buildvcs=false -ldflags="-s -w -buildid=" -o /cellserver ./cmd/cellserver && mkdir /data

FROM scratch
COPY --from=build /cellserver /cellserver
COPY --from=build /src/internal/notices/NOTICES.txt /NOTICES.txt
COPY --from=build --chown=65532:65532 /data /data
USER 65532:65532

# Data is kept in /data/cellserver-data: mount a volume there, or it goes with the container.
WORKDIR /data
VOLUME /data

# A container has to listen on more than its own loopback. Protected mode stays on: clients from outside are told so
# until there is a password (CELLSERVER_REQUIREPASS) or CELLSERVER_PROTECTED_MODE=no.
ENV CELLSERVER_BIND="* -::*"
EXPOSE 6379

# Sees the environment, but not the arguments of `docker run`: set a port by CELLSERVER_PORT.
HEALTHCHECK --interval=10s --timeout=5s CMD ["/cellserver", "--ping"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["/cellserver"]
