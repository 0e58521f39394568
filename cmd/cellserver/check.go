package main

import (
	"errors"
	"fmt"
	"net"
	"strings"

	"cellserver/cmd/cellserver/app"
	"cellserver/cmd/cellserver/doctor"
)

// checkRules is `cellserver check-rules FILE`. It reads a rules-file as the server does, and prints its
// rules.
func checkRules(r request) error {
	rules, err := app.CheckRules(r.operand)
	if err != nil {
		return err
	}
	fmt.Printf("%s is right. Its rules: %d%s\n",
		r.operand, len(rules), strings.Join(append([]string{""}, rules...), "\n  "))
	return nil
}

// checkConfig is `cellserver check-config [...]`. It reads the configuration and the files that it names, as
// a server does at its start, and prints its warnings. It opens no address, and changes nothing.
func checkConfig(r request) error {
	if err := app.CheckConfig(r.config); err != nil {
		return err
	}
	fmt.Println("The configuration is right.")
	for _, warning := range r.warnings {
		fmt.Println("warning:", warning)
	}
	return nil
}

// clusterCheck is `cellserver cluster-check HOST:PORT [...]`. It prints the state of the cluster as the node
// at this address knows it. A directive such as cluster-secret proves who asks.
func clusterCheck(r request) error {
	text, whole, err := app.ClusterState(r.config, r.operand)
	if failed, ok := errors.AsType[*net.OpError](err); ok && failed.Op == "dial" {
		return fmt.Errorf("%w. This is the port of %s for other nodes: is cluster-enabled yes there?",
			doctor.Unreachable(failed.Addr.String(), err), r.operand)
	}
	if err != nil {
		return err
	}
	fmt.Print(text)
	if !whole {
		return errors.New("not all nodes take part in the cluster: the last lines say what to do")
	}
	return nil
}

// clusterRecover is `cellserver cluster-recover [...]`. The directives are those of the node.
func clusterRecover(r request) error {
	text, err := app.RecoverCluster(r.config)
	fmt.Print(text)
	return exemplified(err, "cluster-recover")
}

// clusterImport is `cellserver import [PATH] [...]`. The directives are those of the node.
func clusterImport(r request) error {
	text, err := app.ImportCluster(r.config, r.operand)
	fmt.Print(text)
	return exemplified(err, "import")
}

// exemplified adds an example to the error of a command line without the directives of a node.
func exemplified(err error, name string) error {
	if errors.Is(err, app.ErrOtherNode) {
		return fmt.Errorf("%w, such as %s", err, find(name).sample())
	}
	return err
}
