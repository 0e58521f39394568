package main

import (
	"errors"
	"fmt"
	"strings"

	"cellserver/cmd/cellserver/app"
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
	return err
}

// clusterImport is `cellserver import [PATH] [...]`. The directives are those of the node.
func clusterImport(r request) error {
	text, err := app.ImportCluster(r.config, r.operand)
	fmt.Print(text)
	return err
}
