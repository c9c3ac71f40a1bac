// Package watermillkafka is Watermill's Publisher and Subscriber on kafka-go.
//
// It owns the consumer group of a reactor: joining and leaving, reading each
// assigned partition, handing out records so that those of one key stay in order
// while different keys run side by side, and committing the lowest unfinished
// offset. It never skips: what cannot be read at the very offset where the group
// stands stops the partition and says so. It never judges whether a record was
// accepted (handlers/reactors does) and never creates a topic.
//
// Delivery is at least once. A record comes again after a nack, and after a
// restart or a rebalance when it was above the lowest unfinished offset.
package watermillkafka
