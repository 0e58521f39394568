package source

import (
	"fmt"

	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Bounds on what an xDS server sends. Two bytes make a message, which takes a hundred times as much memory. A
// descriptor with a limit is two of them.
const (
	maxMessage = 16 << 20
	maxParts   = 1_000_000
)

var errParts = fmt.Errorf("the xDS server sent more than %d messages in one", maxParts)

// A boundedCodec refuses a message with too many messages inside, before they take memory.
type boundedCodec struct{ encoding.CodecV2 }

// Unmarshal implements [encoding.CodecV2].
func (c boundedCodec) Unmarshal(data mem.BufferSlice, v any) error {
	m, is := v.(proto.Message)
	if is && partsOf(data.Materialize(), m.ProtoReflect().Descriptor(), 0) > maxParts {
		return errParts
	}
	return c.CodecV2.Unmarshal(data, v)
}

// partsOf counts the messages inside a message, until there are too many. What the library refuses counts as
// nothing: it is no message, or too deep.
func partsOf(b []byte, m protoreflect.MessageDescriptor, level int) (parts int) {
	for len(b) > 0 && parts <= maxParts && level <= protowire.DefaultRecursionLimit {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return parts
		}
		size := protowire.ConsumeFieldValue(number, kind, b[n:])
		if size < 0 {
			return parts
		}
		field := m.Fields().ByNumber(number)
		if kind == protowire.BytesType && field != nil && field.Message() != nil {
			inner, _ := protowire.ConsumeBytes(b[n:])
			parts += 1 + partsOf(inner, field.Message(), level+1)
		}
		b = b[n+size:]
	}
	return parts
}
