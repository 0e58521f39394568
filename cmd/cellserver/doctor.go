package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"

	"cellserver/cmd/cellserver/doctor"
	"cellserver/internal/config"
	"cellserver/internal/config/configload"
)

// examine is `cellserver --doctor [HOST:PORT] [...]`. It prints how the server at this address is, and what
// to do. Without an address or a port it asks where a server with the same directives listens, as --ping
// does. Its own options follow the address. The other arguments are directives: requirepass has the password.
func examine(args []string) error {
	named := ""
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		named, args = args[0], args[1:]
	}
	var own doctorOptions
	rest, err := own.read(args)
	if err != nil {
		return err
	}
	cfg, _, err := configload.Load(rest, os.Environ(), new(fileReader).read)
	if err != nil {
		return err
	}
	address, err := own.address(named, cfg)
	if err != nil {
		return err
	}
	own.as.Password = cfg.RequirePass
	text, err := doctor.Examine(address, own.as, own.over())
	switch {
	case err == nil:
		fmt.Print(text)
	case named == "":
		return fmt.Errorf("%w (--doctor needs the address of a server that listens elsewhere: "+
			"cellserver --doctor HOST:PORT)", err)
	}
	return err
}

// address completes the address that the command line names with that of the configuration.
func (o *doctorOptions) address(named string, cfg *config.Config) (string, error) {
	if o.tls {
		cfg.Port = 0
	}
	network, address := pingAddress(cfg)
	switch {
	case named == "" && network == "tcp":
		return address, nil
	case named == "" && o.tls:
		return "", errors.New("--doctor needs the address of the port for TLS: " +
			"cellserver --doctor 127.0.0.1:6380 --tls")
	case named == "":
		return "", errors.New("--doctor needs the address of a server, because port is 0: " +
			"cellserver --doctor 127.0.0.1:6379")
	}
	host, port, err := net.SplitHostPort(named)
	if err != nil {
		host = strings.Trim(named, "[]")
		if _, port, err = net.SplitHostPort(address); err != nil && !o.tls {
			port = "6379"
		}
	}
	example := net.JoinHostPort(host, "6379")
	if port == "" {
		return "", fmt.Errorf("--doctor %s: the port is missing: cellserver --doctor %s", named, example)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return "", fmt.Errorf("--doctor %s: %q is no port: give a number from 1 to 65535, such as %s",
			named, port, example)
	}
	return net.JoinHostPort(host, port), nil
}

// doctorOptions are the options of --doctor itself. Their names are those of redis-cli.
type doctorOptions struct {
	as    doctor.Login
	tls   bool
	files doctor.TLS
}

// read reads the options at the beginning of the arguments, and returns the arguments after them.
func (o *doctorOptions) read(args []string) (rest []string, err error) {
	for len(args) > 0 {
		n, err := o.take(args)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			break
		}
		args = args[n:]
	}
	switch {
	case !o.tls && o.files != doctor.TLS{}:
		return nil, errors.New("--cacert, --cert, --key and --insecure need --tls: cellserver --doctor " +
			"127.0.0.1:6380 --tls --cacert ca.crt")
	case (o.files.Cert == "") != (o.files.Key == ""):
		return nil, errors.New("--cert and --key belong together: give both")
	}
	return args, nil
}

// take takes the first option, which has n words. n is 0 for something else.
func (o *doctorOptions) take(args []string) (n int, err error) {
	name := args[0]
	switch name {
	case "--tls":
		o.tls = true
		return 1, nil
	case "--insecure":
		o.files.Insecure = true
		return 1, nil
	}
	value := map[string]*string{"--user": &o.as.User, "--cacert": &o.files.CA, "--cert": &o.files.Cert, "--key": &o.files.Key}[name]
	switch {
	case value == nil:
		return 0, nil
	case len(args) > 1:
		*value = args[1]
		return 2, nil
	case name == "--user":
		return 0, errors.New("--user needs the name of a user: cellserver --doctor 127.0.0.1:6379 " +
			"--user ann --requirepass secret")
	}
	return 0, fmt.Errorf("%s needs the name of a file: cellserver --doctor 127.0.0.1:6380 --tls --cacert ca.crt --cert ann.crt --key ann.key", name)
}

// over returns the settings of TLS, or nil for a connection without TLS.
func (o *doctorOptions) over() *doctor.TLS {
	if !o.tls {
		return nil
	}
	return &o.files
}
