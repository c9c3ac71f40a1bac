package tracing

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// refused reads an ExportTraceServiceResponse: in field 1, which is there when the
// collector did not take all, field 1 is the number of spans that it left out. The
// message's own package would bring all of gRPC along.
func refused(answer []byte) error {
	partial, _ := field(answer, 1)
	_, left := field(partial, 1)
	if left == 0 {
		return nil
	}
	return fmt.Errorf("the collector left out %d spans", left)
}

// field is the last one of a number: its bytes, or its value. An answer that is no
// message of this kind has none.
func field(message []byte, number protowire.Number) (content []byte, value uint64) {
	for len(message) > 0 {
		n, kind, size := protowire.ConsumeTag(message)
		if size < 0 {
			return nil, 0
		}
		message = message[size:]
		switch {
		case n == number && kind == protowire.BytesType:
			content, size = protowire.ConsumeBytes(message)
		case n == number && kind == protowire.VarintType:
			value, size = protowire.ConsumeVarint(message)
		default:
			size = protowire.ConsumeFieldValue(n, kind, message)
		}
		if size < 0 {
			return nil, 0
		}
		message = message[size:]
	}
	return content, value
}
