# Parley as one static binary, run by a user without rights.
#
#   docker build --build-arg COMMIT=$(git rev-parse HEAD) -t parley .
#
# The image has Postgres for the embedded parts, so that this is all of it:
#
#   docker run --rm -p 127.0.0.1:8080:8080 --name parley parley serve --dev
#
# --target server is smaller, for nodes on Kafka and Postgres of your own.

FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
# .git is not sent to the builder: who wants `parley --version` to know its commit says it.
ARG COMMIT=
RUN CGO_ENABLED=0 go build -trimpath \
	-ldflags "-s -w -X github.com/parley-platform/parley/cmd/parley/version.commit=$COMMIT" -o /parley ./cmd/parley

FROM alpine:3.22 AS server
# Certificates for outgoing calls, time zones for the reports.
RUN apk add --no-cache ca-certificates tzdata \
	&& addgroup -g 10001 parley \
	&& adduser -D -H -u 10001 -G parley parley \
	&& install -d -o parley -g parley -m 0700 /var/lib/parley
COPY --from=build /parley /usr/local/bin/parley
USER parley
# The node's identity and, unless PARLEY_KEYSET names another file, its master key:
# keep this volume.
VOLUME /var/lib/parley
ENV PARLEY_DATA=/var/lib/parley PARLEY_LISTEN=0.0.0.0:8080
EXPOSE 8080
# Alive, not ready: a node that catches up must not be restarted for it.
HEALTHCHECK --interval=5s --timeout=3s --start-period=20s --retries=6 \
	CMD wget -q -O /dev/null http://127.0.0.1:8080/livez || exit 1
ENTRYPOINT ["parley"]
CMD ["serve"]

FROM debian:bookworm-slim
# Postgres' programs alone: Parley makes and starts the cluster, in its folder, as its user.
RUN apt-get update \
	&& mkdir -p /etc/postgresql-common && echo 'create_main_cluster = false' > /etc/postgresql-common/createcluster.conf \
	&& apt-get install -y --no-install-recommends ca-certificates tzdata wget postgresql-15 \
	&& rm -rf /var/lib/apt/lists/* \
	&& groupadd -g 10001 parley \
	&& useradd -M -u 10001 -g parley -d /var/lib/parley -s /usr/sbin/nologin parley \
	&& install -d -o parley -g parley -m 0700 /var/lib/parley
COPY --from=build /parley /usr/local/bin/parley
USER parley
WORKDIR /var/lib/parley
VOLUME /var/lib/parley
# The workspace of --dev has public secrets; a container is reached by whom its ports are
# published for, and by its own network.
ENV PARLEY_DATA=/var/lib/parley PARLEY_LISTEN=0.0.0.0:8080 PARLEY_DEV_EXPOSED=true
EXPOSE 8080
HEALTHCHECK --interval=5s --timeout=3s --start-period=20s --retries=6 \
	CMD wget -q -O /dev/null http://127.0.0.1:8080/livez || exit 1
ENTRYPOINT ["parley"]
CMD ["serve"]
