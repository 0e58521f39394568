//go:build !linux

package webload

import "errors"

// poller exists on Linux only, where servers are measured.
type poller struct{}

func newPoller(int) (*poller, error)    { return nil, errors.New("servers are measured on Linux only") }
func (p *poller) close()                {}
func (p *poller) add(int, int) error    { return nil }
func (p *poller) ready() ([]int, error) { return nil, nil }
