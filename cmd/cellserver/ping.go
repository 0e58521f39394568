package main

import (
	"cmp"
	"crypto/tls"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"cellserver/cmd/cellserver/doctor"
	"cellserver/internal/config"
)

// pingTimeout bounds the connect. After the connect it also bounds the request with its reply.
const pingTimeout = 3 * time.Second

// healthyReplies begin the replies of a healthy server. It may refuse PING or the address of ping, or have
// maxclients clients. A restart would end the connections of these, and the next clients would fill it again.
var healthyReplies = []string{"+PONG", "-NOAUTH", "-NOPERM", "-DENIED", "-ERR max number of clients"}

// ping is `cellserver ping [...]`. It returns nil if a server with the same directives and the same
// environment answers PING. Containers use it as their health check.
func ping(r request) error {
	network, address := pingAddress(r.config)
	conn, err := net.DialTimeout(network, address, pingTimeout)
	if err != nil {
		return doctor.Unreachable(address, err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(pingTimeout))
	if network == "tcp" && r.config.Port == 0 {
		secure := tls.Client(conn, &tls.Config{InsecureSkipVerify: true}) // it asks whether this server lives
		err := secure.Handshake()
		if err != nil || r.config.TLSAuthClients == config.TLSAuthYes { // ping has no certificate to ask more
			return err
		}
		conn = secure
	}
	_, unsent := conn.Write([]byte("PING\r\n")) // it fails if a full server has answered and closed already
	var reply [64]byte
	n, err := conn.Read(reply[:])
	for _, healthy := range healthyReplies {
		if strings.HasPrefix(string(reply[:n]), healthy) {
			return nil
		}
	}
	return fmt.Errorf("%s answered PING with %q (%v): check that cellserver listens there",
		address, reply[:n], cmp.Or(unsent, err))
}

// pingAddress returns the first address that a configuration listens on. A wildcard becomes the loopback
// address.
func pingAddress(cfg *config.Config) (network, address string) {
	port := cfg.Port
	if port == 0 {
		port = cfg.TLSPort
	}
	if port == 0 || len(cfg.Bind) == 0 {
		return "unix", cfg.UnixSocket
	}
	host := strings.TrimPrefix(cfg.Bind[0], "-")
	return "tcp", net.JoinHostPort(cmp.Or(config.LoopbackOf(host), host), strconv.Itoa(port))
}
