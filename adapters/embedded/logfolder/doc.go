// Package logfolder reads the folder of the embedded broker's log from outside, before
// the broker opens it: it finds damage ([Scan]), keeps the ends that were acknowledged
// ([Notes]), and copies what is whole into a new folder ([Salvage]).
//
// It owns the knowledge of the broker's format on disk. It never writes into a folder
// that it scans, and it never opens one for clients: that is the broker's.
//
// A folder (DIR/kafka of a node) holds
//
//	log/meta.json, log/topics.json           what topics there are
//	log/partitions/TOPIC-N/OFFSET.dat        a segment: Kafka batches, one after the other
//	log/partitions/TOPIC-N/OFFSET.idx        15 bytes for each batch of it
//	log/partitions/TOPIC-N/snapshot.json     how the partition was at the last clean stop
//	log/groups.log                           where consumer groups stand
//	acknowledged                             what was acknowledged: ours, see Notes
package logfolder
