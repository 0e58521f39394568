package load

import (
	"fmt"
	"strconv"
)

// AnyByte stands for any byte of a reply.
const AnyByte = '\x00'

// Script appends a connection's i-th request, and its exact reply. In the reply, '?' matches any digit, and
// AnyByte any byte.
type Script func(request, reply []byte, i int) ([]byte, []byte)

// Key writes a key in the same way as redis-benchmark.
func Key(prefix string, i int) string {
	b := append(make([]byte, 0, 32), prefix...)
	for digit := 100_000_000_000; digit > 0; digit /= 10 {
		b = append(b, byte('0'+i/digit%10))
	}
	return string(b)
}

// Command appends a command. It does not use fmt, because the clients must be faster than the server.
func Command(b []byte, args ...string) []byte {
	b = append(strconv.AppendInt(append(b, '*'), int64(len(args)), 10), "\r\n"...)
	for _, arg := range args {
		b = append(strconv.AppendInt(append(b, '$'), int64(len(arg)), 10), "\r\n"...)
		b = append(append(b, arg...), "\r\n"...)
	}
	return b
}

// ThrottleReply returns the reply of CL.THROTTLE.
func ThrottleReply(limited, limit, remaining, retry, reset int) string {
	return fmt.Sprintf("*5\r\n:%d\r\n:%d\r\n:%d\r\n:%d\r\n:%d\r\n", limited, limit, remaining, retry, reset)
}

// Sample is one measurement of a command or of a transaction.
type Sample struct {
	Rate                float64 // per second
	CPU                 float64 // of the server, µs for each
	P50, P99, P999, Max float64 // milliseconds
	Others              float64 // the part of a core that other processes used
}

// Point is the pipeline depth and the number of connections of a row.
type Point struct{ Pipeline, Connections int }

func (s Sample) Disturbed() float64 { return s.Others }
