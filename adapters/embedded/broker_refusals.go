package embedded

import (
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// why is told with a refusal where the protocol has room for it.
var why = "the embedded broker keeps its log as it is: nobody deletes from it or changes its settings"

// ourGroups begin the names of the groups of Parley's reactors: where one of them lost
// its place, calls would be made twice or not at all.
const ourGroups = "parley-"

// refusals answer the requests by which a log loses records, or is set up to lose them
// later: to whoever has logged in, Parley too, which needs none of them.
var refusals = map[kmsg.Key]func(kmsg.Request) kmsg.Response{
	kmsg.DeleteTopics: func(r kmsg.Request) kmsg.Response { return refuseDeleteTopics(r.(*kmsg.DeleteTopicsRequest)) },
	kmsg.DeleteRecords: func(r kmsg.Request) kmsg.Response {
		return refuseDeleteRecords(r.(*kmsg.DeleteRecordsRequest))
	},
	kmsg.CreatePartitions: func(r kmsg.Request) kmsg.Response {
		out := r.ResponseKind().(*kmsg.CreatePartitionsResponse)
		for _, t := range r.(*kmsg.CreatePartitionsRequest).Topics {
			out.Topics = append(out.Topics, kmsg.CreatePartitionsResponseTopic{
				Topic: t.Topic, ErrorCode: kerr.TopicAuthorizationFailed.Code, ErrorMessage: &why})
		}
		return out
	},
	kmsg.AlterConfigs: func(r kmsg.Request) kmsg.Response {
		out := r.ResponseKind().(*kmsg.AlterConfigsResponse)
		for _, x := range r.(*kmsg.AlterConfigsRequest).Resources {
			out.Resources = append(out.Resources, kmsg.AlterConfigsResponseResource{
				ResourceType: x.ResourceType, ResourceName: x.ResourceName, ErrorCode: forResource(x.ResourceType), ErrorMessage: &why})
		}
		return out
	},
	kmsg.IncrementalAlterConfigs: func(r kmsg.Request) kmsg.Response {
		out := r.ResponseKind().(*kmsg.IncrementalAlterConfigsResponse)
		for _, x := range r.(*kmsg.IncrementalAlterConfigsRequest).Resources {
			out.Resources = append(out.Resources, kmsg.IncrementalAlterConfigsResponseResource{
				ResourceType: x.ResourceType, ResourceName: x.ResourceName, ErrorCode: forResource(x.ResourceType), ErrorMessage: &why})
		}
		return out
	},
	kmsg.CreateACLs: func(r kmsg.Request) kmsg.Response {
		out := r.ResponseKind().(*kmsg.CreateACLsResponse)
		for range r.(*kmsg.CreateACLsRequest).Creations {
			out.Results = append(out.Results, kmsg.CreateACLsResponseResult{ErrorCode: kerr.ClusterAuthorizationFailed.Code, ErrorMessage: &why})
		}
		return out
	},
	kmsg.DeleteACLs: func(r kmsg.Request) kmsg.Response {
		out := r.ResponseKind().(*kmsg.DeleteACLsResponse)
		for range r.(*kmsg.DeleteACLsRequest).Filters {
			out.Results = append(out.Results, kmsg.DeleteACLsResponseResult{ErrorCode: kerr.ClusterAuthorizationFailed.Code, ErrorMessage: &why})
		}
		return out
	},
	kmsg.AlterUserSCRAMCredentials: func(r kmsg.Request) kmsg.Response {
		out, in := r.ResponseKind().(*kmsg.AlterUserSCRAMCredentialsResponse), r.(*kmsg.AlterUserSCRAMCredentialsRequest)
		users := map[string]bool{}
		for _, x := range in.Deletions {
			users[x.Name] = true
		}
		for _, x := range in.Upsertions {
			users[x.Name] = true
		}
		for user := range users {
			out.Results = append(out.Results, kmsg.AlterUserSCRAMCredentialsResponseResult{
				User: user, ErrorCode: kerr.ClusterAuthorizationFailed.Code, ErrorMessage: &why})
		}
		return out
	},
	kmsg.ElectLeaders: func(r kmsg.Request) kmsg.Response {
		out := r.ResponseKind().(*kmsg.ElectLeadersResponse)
		out.ErrorCode = kerr.ClusterAuthorizationFailed.Code
		for _, topic := range r.(*kmsg.ElectLeadersRequest).Topics { // version 0 has no other place for it
			t := kmsg.ElectLeadersResponseTopic{Topic: topic.Topic}
			for _, p := range topic.Partitions {
				t.Partitions = append(t.Partitions, kmsg.ElectLeadersResponseTopicPartition{Partition: p, ErrorCode: out.ErrorCode, ErrorMessage: &why})
			}
			out.Topics = append(out.Topics, t)
		}
		return out
	},
	kmsg.AlterPartitionAssignments: func(r kmsg.Request) kmsg.Response {
		out := r.ResponseKind().(*kmsg.AlterPartitionAssignmentsResponse)
		out.ErrorCode, out.ErrorMessage = kerr.ClusterAuthorizationFailed.Code, &why
		return out
	},
}

func forResource(t kmsg.ConfigResourceType) int16 {
	switch t {
	case kmsg.ConfigResourceTypeTopic:
		return kerr.TopicAuthorizationFailed.Code
	case kmsg.ConfigResourceTypeGroupConfig:
		return kerr.GroupAuthorizationFailed.Code
	}
	return kerr.ClusterAuthorizationFailed.Code
}

func refuseDeleteTopics(r *kmsg.DeleteTopicsRequest) kmsg.Response {
	out := r.ResponseKind().(*kmsg.DeleteTopicsResponse)
	refuse := func(name *string, id [16]byte) {
		t := kmsg.NewDeleteTopicsResponseTopic()
		t.Topic, t.TopicID, t.ErrorCode, t.ErrorMessage = name, id, kerr.TopicAuthorizationFailed.Code, &why
		out.Topics = append(out.Topics, t)
	}
	for _, name := range r.TopicNames {
		refuse(&name, [16]byte{})
	}
	for _, t := range r.Topics {
		refuse(t.Topic, t.TopicID)
	}
	return out
}

func refuseDeleteRecords(r *kmsg.DeleteRecordsRequest) kmsg.Response {
	out := r.ResponseKind().(*kmsg.DeleteRecordsResponse)
	for _, topic := range r.Topics {
		t := kmsg.NewDeleteRecordsResponseTopic()
		t.Topic = topic.Topic
		for _, partition := range topic.Partitions {
			p := kmsg.NewDeleteRecordsResponseTopicPartition()
			p.Partition, p.LowWatermark, p.ErrorCode = partition.Partition, -1, kerr.TopicAuthorizationFailed.Code
			t.Partitions = append(t.Partitions, p)
		}
		out.Topics = append(out.Topics, t)
	}
	return out
}

// sometimes are refused for what they name: the groups of Parley's reactors, and
// transactions, for whose end readers of the log in other languages would wait.
var sometimes = map[kmsg.Key]func(kmsg.Request) kmsg.Response{
	kmsg.DeleteGroups: func(r kmsg.Request) kmsg.Response {
		groups := r.(*kmsg.DeleteGroupsRequest).Groups
		if !slices.ContainsFunc(groups, ours) {
			return nil
		}
		out := r.ResponseKind().(*kmsg.DeleteGroupsResponse)
		for _, g := range groups {
			out.Groups = append(out.Groups, kmsg.DeleteGroupsResponseGroup{Group: g, ErrorCode: kerr.GroupAuthorizationFailed.Code})
		}
		return out
	},
	kmsg.OffsetDelete: func(r kmsg.Request) kmsg.Response {
		if !ours(r.(*kmsg.OffsetDeleteRequest).Group) {
			return nil
		}
		out := r.ResponseKind().(*kmsg.OffsetDeleteResponse)
		out.ErrorCode = kerr.GroupAuthorizationFailed.Code
		return out
	},
	kmsg.InitProducerID: func(r kmsg.Request) kmsg.Response {
		if r.(*kmsg.InitProducerIDRequest).TransactionalID == nil {
			return nil
		}
		out := r.ResponseKind().(*kmsg.InitProducerIDResponse)
		out.ErrorCode = kerr.TransactionalIDAuthorizationFailed.Code
		return out
	},
}

func ours(group string) bool { return strings.HasPrefix(group, ourGroups) }

// refuse makes the cluster answer so.
func refuse(cluster *kfake.Cluster) {
	for key, answer := range refusals {
		cluster.ControlKey(int16(key), func(r kmsg.Request) (kmsg.Response, error, bool) {
			cluster.KeepControl()
			return answer(r), nil, true
		})
	}
	for key, answer := range sometimes {
		cluster.ControlKey(int16(key), func(r kmsg.Request) (kmsg.Response, error, bool) {
			cluster.KeepControl()
			out := answer(r)
			return out, nil, out != nil
		})
	}
}
