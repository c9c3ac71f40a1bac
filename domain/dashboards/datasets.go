package dashboards

import (
	"maps"
	"slices"
)

// FieldType is the type of a field's values.
type FieldType string

// The types. A date is yyyy-mm-dd, a timestamp ISO 8601, both in UTC.
const (
	String    FieldType = "string"
	Number    FieldType = "number"
	Date      FieldType = "date"
	Timestamp FieldType = "timestamp"
)

// DataSet is a kind of records that widgets can be about: its fields by name. Every
// data set has the fields date and hour, of the moment that decides whether a record
// is in a widget's range.
type DataSet map[string]FieldType

func dataSet(fields DataSet) DataSet {
	fields["date"], fields["hour"] = Date, Number
	return fields
}

var dataSets = map[string]DataSet{
	"interactions": dataSet(DataSet{
		"conversationId": String, "sessionId": String, "channel": String, "direction": String, "status": String, "userId": String,
		"centerId":  String,
		"agentName": String, "machineDetection": String, "reasonCode": String, "finalStatus": String, "requestedAt": Timestamp,
		"startedAt": Timestamp,
		"endedAt":   Timestamp, "durationMs": Number,
	}),
	"sessions": dataSet(DataSet{
		"sessionId": String, "channel": String, "agentName": String, "status": String, "openedAt": Timestamp, "endedAt": Timestamp,
		"durationMs": Number,
	}),
	"notifications": dataSet(DataSet{
		"status": String, "attempts": Number, "queuedAt": Timestamp, "finishedAt": Timestamp,
	}),
}

// DataSets lists the names of all data sets, sorted.
func DataSets() []string { return slices.Sorted(maps.Keys(dataSets)) }

// DataSetNamed finds a data set.
func DataSetNamed(name string) (DataSet, bool) {
	d, ok := dataSets[name]
	return d, ok
}

// Fields lists the names of its fields, sorted.
func (d DataSet) Fields() []string { return slices.Sorted(maps.Keys(d)) }

// Function is what a metric works out.
type Function string

// The functions. P95 is the value that 95 % of the records do not exceed.
const (
	Count Function = "count"
	Sum   Function = "sum"
	Avg   Function = "avg"
	Min   Function = "min"
	Max   Function = "max"
	P95   Function = "p95"
)

// Functions lists them.
func Functions() []Function { return []Function{Count, Sum, Avg, Min, Max, P95} }
