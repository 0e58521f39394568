package parts

import (
	"fmt"

	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	pb "google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// A Codec reads messages that have at most so many messages inside.
type Codec struct {
	encoding.CodecV2

	most int
}

// NewCodec makes a codec.
func NewCodec(most int) Codec { return Codec{encoding.GetCodecV2(proto.Name), most} }

// Unmarshal implements [encoding.CodecV2]. Two bytes make a message, so a short one has not too many inside.
func (c Codec) Unmarshal(data mem.BufferSlice, v any) error {
	m, is := v.(pb.Message)
	if is && data.Len() > 2*c.most && Of(data.Materialize(), m.ProtoReflect().Descriptor(), c.most) > c.most {
		return Error(c.most)
	}
	return c.CodecV2.Unmarshal(data, v)
}

// Error is the error of a message with more messages inside than there may be.
func Error(most int) error { return fmt.Errorf("more than %d messages came in one", most) }

// Of counts the messages inside a message of a type, until there are too many. What the library refuses counts
// as nothing: it is no message, or too deep.
func Of(b []byte, m protoreflect.MessageDescriptor, most int) int { return count(b, m, most, 0) }

// count counts the messages inside a message at a level.
func count(b []byte, m protoreflect.MessageDescriptor, most, level int) (parts int) {
	for len(b) > 0 && parts <= most && level <= protowire.DefaultRecursionLimit {
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
			parts += 1 + count(inner, field.Message(), most, level+1)
		}
		b = b[n+size:]
	}
	return parts
}
