package embedded

import (
	"strings"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// spell writes the types of groups as the broker behind the door knows them. Kafka takes
// "Classic" for "classic", and its tools ask so; kfake would find no group.
func spell(cluster *kfake.Cluster) {
	cluster.ControlKey(int16(kmsg.ListGroups), func(r kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		types := r.(*kmsg.ListGroupsRequest).TypesFilter
		for i := range types {
			types[i] = strings.ToLower(types[i])
		}
		return nil, nil, false
	})
}
