package cluster

import (
	"errors"
	"time"
)

// stopWithin is how long a stop may take, in addition to a node timeout. Every step ends by itself much
// earlier, unless the disk or the system does not answer.
const stopWithin = 10 * time.Second

var errStuck = errors.New("the node of the cluster did not stop in time, so its directory is not marked as clean: see why its disk is slow")

// Stop ends everything, and marks the directory as clean if everything is on disk.
func (m *Member) Stop() error {
	m.cancel()
	ended := make(chan error, 1)
	go func() { ended <- m.end() }()
	select {
	case err := <-ended:
		return err
	case <-time.After(m.o.NodeTimeout + stopWithin):
		return errStuck
	}
}

// end ends everything. The connections go first: Raft does not abort a message that it sends or receives.
func (m *Member) end() error {
	m.proxy.Close()
	m.sender.Close()
	if m.lived != nil {
		<-m.lived
	}
	if m.transport != nil {
		if err := m.transport.Close(); err != nil {
			m.log.Warn("the connections to other nodes did not close", "error", err)
		}
	}
	m.port.Close()
	if err := m.group.Load().Close(); err != nil {
		m.log.Warn("the node of the cluster did not stop cleanly", "error", err)
	}
	m.working.Wait()
	m.serving.Wait()
	return m.disk().close()
}
