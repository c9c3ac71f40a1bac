# Parley as one static binary, run by a user without rights.
#
#   docker build -t parley .

FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o /parley ./cmd/parley

FROM alpine:3.22
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
