package main

import (
	"errors"
	"fmt"
	"os"

	"cellserver/cmd/cellserver/app"
	"cellserver/internal/config/configload"
)

// clusterCheck is `cellserver --cluster-check HOST:PORT [...]`. It prints the state of the cluster as the
// node at this address knows it. The other arguments are directives, such as cluster-secret.
func clusterCheck(args []string) error {
	if len(args) == 0 {
		return errors.New("--cluster-check needs the address of a node: cellserver --cluster-check " +
			"127.0.0.1:6379")
	}
	cfg, _, err := configload.Load(args[1:], os.Environ(), new(fileReader).read)
	if err != nil {
		return err
	}
	text, whole, err := app.ClusterState(cfg, args[0])
	if err != nil {
		return err
	}
	fmt.Print(text)
	if !whole {
		return errors.New("not all nodes take part in the cluster: the last lines say what to do")
	}
	return nil
}
