package handshake

import (
	"fmt"
	"net"
	"time"
)

// Within runs a step that reads from a connection or writes to it. It closes the connection if the step
// takes longer than allowed, and then returns an error. The step must end once the connection is closed.
func Within(conn net.Conn, allowed time.Duration, step func() error) error {
	late := time.AfterFunc(allowed, func() { _ = conn.Close() })
	err := step()
	if !late.Stop() {
		return fmt.Errorf("it did not answer within %v", allowed)
	}
	return err
}
