// Package kafkatest starts real Apache Kafka for tests and fault runs: one broker or
// three, each a process of its own that can be killed, stopped, paused and started
// again.
//
// The brokers come from where this machine has them, in this order: KAFKA_BROKERS
// names a cluster that runs already (it is only used, never stopped), else Docker
// starts the project's image, else the published Maven artifacts run with this
// machine's Java. Whatever lacks is an error that says what to install.
//
// It knows nothing of Parley's topics, and nothing outside of tests imports it.
package kafkatest
