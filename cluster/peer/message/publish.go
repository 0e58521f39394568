package message

import (
	"encoding/binary"
	"errors"
)

// channelSize is the number of bytes that say how long the channel is.
const channelSize = 4

// errPublish means that the body of a published message is damaged.
var errPublish = errors.New("the channel of a published message is longer than its frame")

// AppendPublish appends the frame of a published message.
func AppendPublish(to, channel, text []byte) []byte {
	var size [channelSize]byte
	binary.LittleEndian.PutUint32(size[:], uint32(len(channel)))
	return Append(to, Publish, size[:], channel, text)
}

// ParsePublish reads the body of a published message. The results are parts of the body.
func ParsePublish(body []byte) (channel, text []byte, err error) {
	if len(body) < channelSize {
		return nil, nil, errPublish
	}
	size, rest := binary.LittleEndian.Uint32(body), body[channelSize:]
	if int64(size) > int64(len(rest)) {
		return nil, nil, errPublish
	}
	return rest[:size:size], rest[size:], nil
}
