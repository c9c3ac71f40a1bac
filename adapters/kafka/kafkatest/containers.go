package kafkatest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
)

// image is the project's own, of the version of pom.xml.
func image() string { return "apache/kafka:" + Version() }

// containers are brokers run by Docker. They use the host's network, so that ports
// and settings are the same as those of processes.
type containers struct {
	docker  *testcontainers.DockerClient
	brokers []testcontainers.Container
	all     []testcontainers.Container // the controller too
}

// dockerAnswers tells whether a Docker daemon is there, and not only its client.
func dockerAnswers(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	docker, err := client.New(client.FromEnv)
	if err != nil {
		return false
	}
	defer docker.Close()
	_, err = docker.Ping(ctx, client.PingOptions{})
	return err == nil
}

func startContainers(ctx context.Context, o Options) (machine, []string, error) {
	docker, err := testcontainers.NewDockerClientWithOpts(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("reaching Docker: %w", err)
	}
	ports, err := freePorts(o.Brokers + 1)
	if err != nil {
		return nil, nil, err
	}
	o.Dir = "/tmp/parley" // within the containers, and gone with them
	brokers, controller := plan(o, ports)
	c := &containers{docker: docker}
	var addresses []string
	fmt.Fprintf(o.Progress, "kafka: starting %d broker(s) of %s with Docker\n", o.Brokers, image())
	if controller.broker == 0 {
		if _, err := c.run(ctx, o, controller, controller); err != nil {
			return c, nil, err
		}
	}
	for _, m := range brokers {
		addresses = append(addresses, net.JoinHostPort("127.0.0.1", strconv.Itoa(m.broker)))
		running, err := c.run(ctx, o, m, controller)
		if err != nil {
			return c, nil, err
		}
		c.brokers = append(c.brokers, running)
	}
	return c, addresses, nil
}

// run starts a member, formatting its storage the first time.
func (c *containers) run(ctx context.Context, o Options, m, controller member) (testcontainers.Container, error) {
	const settings = "/tmp/parley.properties"
	script := fmt.Sprintf("/opt/kafka/bin/kafka-storage.sh format --ignore-formatted -t %s -c %s && exec "+
		"/opt/kafka/bin/kafka-server-start.sh %s", clusterID, settings, settings)
	running, err := testcontainers.GenericContainer(ctx, testcontainers.GenericContainerRequest{
		Started: true,
		ContainerRequest: testcontainers.ContainerRequest{
			Image:      image(),
			Entrypoint: []string{"/bin/bash", "-c", script},
			Env:        map[string]string{"KAFKA_HEAP_OPTS": "-Xmx" + o.Heap},
			Files: []testcontainers.ContainerFile{{Reader: bytes.NewReader(m.properties(o, controller)),
				ContainerFilePath: settings, FileMode: 0o644}},
			HostConfigModifier: func(h *container.HostConfig) { h.NetworkMode = "host" },
		},
	})
	if running != nil {
		c.all = append(c.all, running)
	}
	if err != nil {
		return nil, fmt.Errorf("starting a container of %s: %w", image(), err)
	}
	return running, nil
}

// patience is how long Docker may take over one order.
const patience = time.Minute

func (c *containers) order(broker int, do func(ctx context.Context, id string) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return do(ctx, c.brokers[broker].GetContainerID())
}

func (c *containers) kill(broker int) error {
	return c.order(broker, func(ctx context.Context, id string) error {
		_, err := c.docker.ContainerKill(ctx, id, client.ContainerKillOptions{Signal: "KILL"})
		return err
	})
}

func (c *containers) stop(broker int) error {
	within := 20 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return c.brokers[broker].Stop(ctx, &within)
}

func (c *containers) pause(broker int) error {
	return c.order(broker, func(ctx context.Context, id string) error {
		_, err := c.docker.ContainerPause(ctx, id, client.ContainerPauseOptions{})
		return err
	})
}

func (c *containers) resume(broker int) error {
	return c.order(broker, func(ctx context.Context, id string) error {
		_, err := c.docker.ContainerUnpause(ctx, id, client.ContainerUnpauseOptions{})
		return err
	})
}

func (c *containers) start(ctx context.Context, broker int) error {
	return c.brokers[broker].Start(ctx)
}

func (c *containers) ended() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for _, running := range c.all {
		state, err := running.State(ctx)
		if err != nil {
			return fmt.Errorf("looking after a container: %w", err)
		}
		if !state.Running {
			return fmt.Errorf("a container of %s ended at once: exit code %d %s", image(), state.ExitCode, strings.TrimSpace(state.Error))
		}
	}
	return nil
}

func (c *containers) close() error {
	var errs error
	for _, running := range c.all {
		errs = errors.Join(errs, testcontainers.TerminateContainer(running))
	}
	return errors.Join(errs, c.docker.Close())
}
