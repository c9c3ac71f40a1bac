package eventstore

import "github.com/segmentio/kafka-go"

// partitioner is murmur2 as Java clients do it, so that any client finds a stream.
var partitioner = kafka.Murmur2Balancer{Consistent: true}

var partitionNumbers = func() []int {
	n := make([]int, 1024)
	for i := range n {
		n[i] = i
	}
	return n
}()

// MaxPartitions is the most partitions a topic may have.
const MaxPartitions = 1024

// PartitionOf is the partition that holds a stream in a topic whose genesis says
// count partitions.
func PartitionOf(stream string, count int) int {
	return partitioner.Balance(kafka.Message{Key: []byte(stream)}, partitionNumbers[:count]...)
}
