package main

import (
	"fmt"
	"os"
	"strings"

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

// clusterImport is `cellserver --cluster-import [FILE or DIRECTORY] [...]`.
func clusterImport(args []string) error {
	source := ""
	if len(args) > 0 && !strings.HasPrefix(args[0], "--") {
		source, args = args[0], args[1:]
	}
	cfg, _, err := configload.Load(args, os.Environ(), new(fileReader).read)
	if err != nil {
		return err
	}
	text, err := app.ImportCluster(cfg, source)
	fmt.Print(text)
	return err
}
