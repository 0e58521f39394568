package main

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	"cellserver/cmd/cellserver/doctor"
)

// doctorOptions are the options of doctor. Their names are those of redis-cli.
var doctorOptions = []option{
	{"--user", "NAME", "log in as this user, with the password of --requirepass"},
	{"--tls", "", "the port is that of tls-port"},
	{"--cacert", "FILE", "the authority of the server's certificate; without it those of the system"},
	{"--cert", "FILE", "the client's certificate, if tls-auth-clients asks for one"},
	{"--key", "FILE", "the key of this certificate"},
	{"--insecure", "", "accept any certificate of the server"},
}

// examine is `cellserver doctor [HOST:PORT] [...]`. It prints how the server at this address is, and what
// to do. Without an address or a port it asks where a server with the same directives listens, as ping does.
func examine(r request) error {
	var over *doctor.TLS
	files := doctor.TLS{
		CA: r.options["--cacert"], Cert: r.options["--cert"], Key: r.options["--key"],
		Insecure: r.options["--insecure"] != "",
	}
	switch {
	case r.options["--tls"] != "":
		over, r.config.Port = &files, 0
	case files != doctor.TLS{}:
		return errors.New("--cacert, --cert, --key and --insecure need --tls: cellserver doctor " +
			"127.0.0.1:6380 --tls --cacert ca.crt")
	}
	if (files.Cert == "") != (files.Key == "") {
		return errors.New("--cert and --key belong together: give both")
	}
	address, err := r.doctorAddress(over != nil)
	if err != nil {
		return err
	}
	as := doctor.Login{User: r.options["--user"], Password: r.config.RequirePass}
	text, err := doctor.Examine(address, as, over)
	switch {
	case err == nil:
		fmt.Print(text)
	case r.operand == "":
		return fmt.Errorf("%w (doctor needs the address of a server that listens elsewhere: "+
			"cellserver doctor HOST:PORT)", err)
	}
	return err
}

// doctorAddress completes the address that the command line names with that of the configuration.
func (r *request) doctorAddress(tls bool) (string, error) {
	network, address := pingAddress(r.config)
	switch {
	case r.operand == "" && network == "tcp":
		return address, nil
	case r.operand == "" && tls:
		return "", errors.New("doctor needs the address of the port for TLS: " +
			"cellserver doctor 127.0.0.1:6380 --tls")
	case r.operand == "":
		return "", errors.New("doctor needs the address of a server, because port is 0: " +
			"cellserver doctor 127.0.0.1:6379")
	}
	host, port, err := net.SplitHostPort(r.operand)
	if _, notDigits := strconv.ParseUint(r.operand, 10, 16); notDigits == nil {
		host, port = "127.0.0.1", r.operand
		if own, _, err := net.SplitHostPort(address); network == "tcp" && err == nil {
			host = own
		}
	} else if err != nil {
		host = strings.Trim(r.operand, "[]")
		if _, port, err = net.SplitHostPort(address); err != nil && !tls {
			port = "6379"
		}
	}
	example := net.JoinHostPort(host, "6379")
	if port == "" {
		return "", fmt.Errorf("doctor %s: the port is missing: cellserver doctor %s", r.operand, example)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return "", fmt.Errorf("doctor %s: %q is no port: give a number from 1 to 65535, such as %s",
			r.operand, port, example)
	}
	return net.JoinHostPort(host, port), nil
}
