package main

import (
	"errors"
	"fmt"
	"os"

	"cellserver/cmd/cellserver/app"
	"cellserver/internal/config/configload"
)

// clusterRecover is `cellserver --cluster-recover [...]`. The other arguments are the directives of the node.
func clusterRecover(args []string) error {
	cfg, _, err := configload.Load(args, os.Environ(), new(fileReader).read)
	if err != nil {
		return err
	}
	text, err := app.RecoverCluster(cfg)
	fmt.Print(text)
	return err
}

// clusterImport is `cellserver --cluster-import FILE [...]`.
func clusterImport(args []string) error {
	if len(args) == 0 {
		return errors.New("--cluster-import needs an RDB file: cellserver --cluster-import dump.rdb, and the directives of the node")
	}
	cfg, _, err := configload.Load(args[1:], os.Environ(), new(fileReader).read)
	if err != nil {
		return err
	}
	text, err := app.ImportCluster(cfg, args[0])
	fmt.Print(text)
	return err
}
