package main

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"cellserver/internal/config"
	"cellserver/internal/config/configload"
)

// pingPatience is how long a healthy server may take.
const pingPatience = 3 * time.Second

// ping is `cellserver --ping [...]`: nil when the server that the same arguments and
// environment would start answers. Containers use it as their health check.
func ping(args []string) error {
	cfg, _, err := configload.Load(args, os.Environ(), new(fileReader).read)
	if err != nil {
		return err
	}
	network, address := whereToPing(cfg)
	conn, err := net.DialTimeout(network, address, pingPatience)
	if err != nil {
		return err
	}
	defer conn.Close()
	if network == "tcp" && cfg.Port == 0 {
		return nil // TLS alone: that it accepts must do, as we have no certificate to show
	}
	conn.SetDeadline(time.Now().Add(pingPatience))
	if _, err := conn.Write([]byte("PING\r\n")); err != nil {
		return err
	}
	var reply [64]byte
	n, err := conn.Read(reply[:])
	// Whoever asks for a password is well, too.
	if text := string(reply[:n]); strings.HasPrefix(text, "+PONG") || strings.HasPrefix(text, "-NOAUTH") {
		return nil
	}
	return fmt.Errorf("%s answered PING with %q (%v)", address, reply[:n], err)
}

// whereToPing is the first address that a configuration listens on, as a client on the
// same machine reaches it.
func whereToPing(cfg *config.Config) (network, address string) {
	port := cfg.Port
	if port == 0 {
		port = cfg.TLSPort
	}
	if port == 0 || len(cfg.Bind) == 0 {
		return "unix", cfg.UnixSocket
	}
	host := strings.TrimPrefix(cfg.Bind[0], "-")
	switch host {
	case "*", "0.0.0.0":
		host = "127.0.0.1"
	case "::*", "::":
		host = "::1"
	}
	return "tcp", net.JoinHostPort(host, strconv.Itoa(port))
}
