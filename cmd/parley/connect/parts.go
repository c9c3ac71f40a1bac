package connect

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/segmentio/kafka-go/sasl"

	"github.com/parley-platform/parley/adapters/embedded"
	"github.com/parley-platform/parley/adapters/embedded/datafolder"
	"github.com/parley-platform/parley/adapters/embedded/private"
	"github.com/parley-platform/parley/adapters/kafka"
	"github.com/parley-platform/parley/adapters/postgres"
	"github.com/parley-platform/parley/cmd/parley/exit"
	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/cmd/parley/settings"
	"github.com/parley-platform/parley/domain/catalog"
)

// PartsFlags say which log and which database a tool works on.
type PartsFlags struct {
	Data        string `help:"Folder of a node with embedded parts, whether it runs or not; for what --kafka-brokers and --database-url leave out." default:".data" placeholder:"DIR"`
	DatabaseURL string `help:"Postgres. Empty: the private one under --data." placeholder:"URL"`
	KafkaFlags

	found sasl.Mechanism `kong:"-"` // the login of the embedded broker, once it is connected to
}

// Login is that of the flags, else the one that was found in the data folder.
func (c *PartsFlags) Login() (*tls.Config, sasl.Mechanism, error) {
	config, mechanism, err := c.KafkaFlags.Login()
	if mechanism == nil {
		mechanism = c.found
	}
	return config, mechanism, err
}

// Open reaches the log and the database: those that are named, else those of the
// data folder, which are started when no node runs there.
func (c *PartsFlags) Open(ctx context.Context, logger *slog.Logger) (log *kafka.Log, db *postgres.DB, closeAll func(), err error) {
	tlsConfig, mechanism, err := c.Login()
	if err != nil {
		return nil, nil, nil, err
	}
	if err := c.elsewhere(); err != nil {
		return nil, nil, nil, err
	}
	var closers []func()
	end := func() {
		for _, f := range slices.Backward(closers) {
			f()
		}
	}
	defer func() {
		if err != nil {
			end()
		}
	}()
	brokers, url := c.KafkaBrokers, c.DatabaseURL
	if len(brokers) == 0 || url == "" {
		ours, stop, err := c.embedded(ctx, logger)
		if err != nil {
			return nil, nil, nil, err
		}
		closers = append(closers, stop)
		if len(brokers) == 0 {
			brokers = []string{ours.broker}
			if c.found = ours.login; mechanism == nil { // else the flags say what the broker was told
				mechanism = c.found
			}
		}
		if url == "" {
			url = ours.url
		}
	}
	c.KafkaBrokers = brokers
	begin, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	log = kafka.New(kafka.Config{Brokers: brokers, ClientID: "parley-tool", TLS: tlsConfig, SASL: mechanism, Log: logger})
	closers = append(closers, log.Close)
	if err := log.Ping(begin); err != nil {
		return nil, nil, nil, err
	}
	var topics []string
	for _, cat := range catalog.Categories() {
		topics = append(topics, cat.Topic())
	}
	if err := log.Attach(begin, topics...); err != nil {
		return nil, nil, nil, fmt.Errorf("reading the log: %w", err)
	}
	if db, err = postgres.Open(begin, url, nil); err != nil {
		return nil, nil, nil, err
	}
	closers = append(closers, db.Close)
	if err := db.Queries.Ping(begin); err != nil {
		return nil, nil, nil, fmt.Errorf("reaching the database: %w (is it running, and does the database of the URL exist?)", err)
	}
	return log, db, end, nil
}

// parts are the addresses of the embedded ones, and the broker's own login.
type parts struct {
	broker, url string
	login       sasl.Mechanism
}

// RunningBroker is the broker that a node runs in the folder, and how it is logged in to.
func RunningBroker(dir string) (address string, login sasl.Mechanism, err error) {
	address, known, err := embedded.BrokerAt(dir)
	if err != nil || known == nil {
		return address, nil, err
	}
	login, err = known.Mechanism()
	return address, login, err
}

const dialTimeout = 5 * time.Second // to a broker on this machine

// At is where the log is: at the brokers that are named, else at the one that a node runs
// in the data folder, wherever it listens, with its login unless the flags say another.
func (k KafkaFlags) At(data string) (brokers []string, config *tls.Config, login sasl.Mechanism, err error) {
	config, login, err = k.Login()
	if brokers = k.KafkaBrokers; len(brokers) == 0 && err == nil {
		brokers, err = brokersOfDev(data)
	}
	if err != nil {
		return nil, nil, nil, exit.Wrongf("%s", err)
	}
	if len(brokers) > 0 {
		return brokers, config, login, nil
	}
	address, found, err := RunningBroker(filepath.Join(data, "kafka"))
	if err != nil {
		return nil, nil, nil, exit.Wrongf("say which brokers with --kafka-brokers or PARLEY_KAFKA_BROKERS, or where the node with the "+
			"embedded one is with --data: %s", err)
	}
	if login == nil {
		login = found
	}
	door, err := net.DialTimeout("tcp", address, dialTimeout)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("the node of %s does not run, or is only starting, and its broker with it: start it (parley serve "+
			"--data %s), or say which brokers are meant with --kafka-brokers: %w", data, data, err)
	}
	return []string{address}, config, login, door.Close()
}

// ofDev is what the dev.env of a data folder says of a part that is elsewhere; empty where
// the part is in the folder, as then the folder knows better.
func ofDev(data, part, variable string) (string, error) {
	if _, err := os.Stat(filepath.Join(data, part)); err == nil {
		return "", nil
	}
	env, err := settings.Read(filepath.Join(data, settings.File))
	return env[variable], err
}

func brokersOfDev(data string) ([]string, error) {
	list, err := ofDev(data, "kafka", "KAFKA_BROKERS")
	if list == "" {
		return nil, err
	}
	return strings.Split(list, ","), nil
}

// elsewhere fills in what nobody said and the folder has not.
func (c *PartsFlags) elsewhere() (err error) {
	if len(c.KafkaBrokers) == 0 {
		c.KafkaBrokers, err = brokersOfDev(c.Data)
	}
	if err == nil && c.DatabaseURL == "" {
		c.DatabaseURL, err = ofDev(c.Data, "postgres", "DATABASE_URL")
	}
	return err
}

// embedded finds the parts of the node that runs in the data folder, or starts them.
func (c *PartsFlags) embedded(ctx context.Context, logger *slog.Logger) (p parts, stop func(), err error) {
	broker, database := filepath.Join(c.Data, "kafka"), filepath.Join(c.Data, "postgres")
	_, err1 := os.Stat(filepath.Join(c.Data, "node-id"))
	_, err2 := os.Stat(embedded.LogFolder(broker)) // of a folder that a backup was put into no node has made its own yet
	if err1 != nil && err2 != nil {
		return p, nil, exit.Wrongf("%s is not the folder of a node: name it with --data, or name the parts with --kafka-brokers and "+
			"--database-url", c.Data)
	}
	release, err := datafolder.Lock(c.Data)
	if errors.Is(err, datafolder.ErrLocked) { // a node runs
		p, err = c.running(broker, database)
		return p, func() {}, err
	}
	if err != nil {
		return p, nil, err
	}
	return c.started(ctx, broker, database, release, logger)
}

// running are the parts of the node that runs.
func (c *PartsFlags) running(broker, database string) (p parts, err error) {
	if len(c.KafkaBrokers) == 0 {
		if p.broker, p.login, err = RunningBroker(broker); err != nil {
			return p, err
		}
	}
	if c.DatabaseURL == "" {
		p.url, err = private.PostgresAt(database)
	}
	return p, err
}

// started are parts that run until stop, which lets go of the folder as well.
func (c *PartsFlags) started(ctx context.Context, broker, database string, release func(), logger *slog.Logger) (p parts, stop func(),
	err error) {
	closers := []func(){release}
	end := func() {
		for _, f := range slices.Backward(closers) {
			f()
		}
	}
	defer func() {
		if err != nil {
			end()
		}
	}()
	if p.url = c.DatabaseURL; p.url == "" { // first: the read models remember how far the log was
		s, err := private.StartPostgres(ctx, private.PostgresConfig{Dir: database, Log: logger})
		if err != nil {
			return p, nil, err
		}
		closers = append(closers, func() { _ = s.Close() })
		p.url = s.URL()
	}
	if len(c.KafkaBrokers) == 0 {
		remembered, err := postgres.Checkpoints(ctx, p.url)
		if err != nil {
			return p, nil, err
		}
		b, err := embedded.StartBroker(embedded.BrokerConfig{Dir: broker, Known: node.KnownEnds(remembered), Log: logger})
		if err != nil {
			return p, nil, err
		}
		closers = append(closers, func() { _ = b.Close() })
		p.broker = b.Addrs()[0]
		if _, p.login, err = b.Client(); err != nil {
			return p, nil, err
		}
	}
	return p, end, nil
}
