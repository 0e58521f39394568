package entry

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// Epoch is the body of an entry that begins an epoch. It repeats what all nodes must agree on.
type Epoch struct {
	Cluster   [20]byte // id of the cluster
	Groups    uint8    // 1, 2, 4, 8 or 16
	Databases uint16   // at least 1
	Features  uint16   // feature level of the cluster when the epoch begins
}

// epochSize is the number of bytes of an Epoch.
const epochSize = 20 + 1 + 2 + 2

// AppendEpoch appends the body of an entry that begins an epoch.
func AppendEpoch(dst []byte, e Epoch) []byte {
	dst = append(dst, e.Cluster[:]...)
	dst = append(dst, e.Groups)
	dst = binary.LittleEndian.AppendUint16(dst, e.Databases)
	return binary.LittleEndian.AppendUint16(dst, e.Features)
}

// ParseEpoch decodes the body of an entry that begins an epoch.
func ParseEpoch(body []byte) (e Epoch, err error) {
	if len(body) != epochSize {
		return Epoch{}, fmt.Errorf("the body of the epoch has %d bytes, and it must have %d",
			len(body), epochSize)
	}
	rest := body[copy(e.Cluster[:], body):]
	e.Groups = rest[0]
	e.Databases = binary.LittleEndian.Uint16(rest[1:])
	e.Features = binary.LittleEndian.Uint16(rest[3:])
	if !slices.Contains([]uint8{1, 2, 4, 8, 16}, e.Groups) {
		return Epoch{}, fmt.Errorf("the epoch has %d groups, and a cluster has 1, 2, 4, 8 or 16", e.Groups)
	}
	if e.Databases == 0 {
		return Epoch{}, fmt.Errorf("the epoch has no databases, and a cluster has at least 1")
	}
	return e, nil
}

// AppendLevel appends the body of an entry that raises the feature level.
func AppendLevel(dst []byte, level uint16) []byte {
	return binary.LittleEndian.AppendUint16(dst, level)
}

// ParseLevel decodes the body of an entry that raises the feature level.
func ParseLevel(body []byte) (level uint16, err error) {
	if len(body) != 2 {
		return 0, fmt.Errorf("the body of the level has %d bytes, and it must have 2", len(body))
	}
	return binary.LittleEndian.Uint16(body), nil
}
