package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"cellserver/cmd/cellserver/app"
	"cellserver/internal/config"
	"cellserver/internal/config/configload"
	"cellserver/internal/notices"

	"github.com/coreos/go-systemd/v22/activation"
	"github.com/coreos/go-systemd/v22/daemon"
)

func main() {
	args := ownArgs()
	if err := run(args, hidePasswords()); err != nil {
		fmt.Fprintln(os.Stderr, "cellserver:", err)
		os.Exit(1)
	}
}

// ownArgs replaces os.Args by a copy, and returns the arguments without the name of the program. The list of processes
// shows the original memory.
func ownArgs() []string {
	for i, arg := range os.Args {
		os.Args[i] = strings.Clone(arg)
	}
	return os.Args[1:]
}

// run executes the command line. Its error is one line for the user. visible is the reason why the passwords are not
// hidden, or nil.
func run(args []string, visible error) error {
	switch {
	case len(args) > 0 && args[0] == "--ping":
		return ping(args[1:])
	case len(args) > 0 && args[0] == "--cluster-check":
		return clusterCheck(args[1:])
	case len(args) > 0 && args[0] == "--doctor":
		return examine(args[1:])
	case len(args) > 0 && args[0] == "--check-rules":
		return checkRules(args[1:])
	case len(args) > 0 && args[0] == "--cluster-recover":
		return clusterRecover(args[1:])
	case len(args) > 0 && args[0] == "--cluster-import":
		return clusterImport(args[1:])
	}
	var files fileReader
	cfg, warnings, err := configload.Load(args, os.Environ(), files.read)
	switch {
	case errors.Is(err, configload.ErrHelp):
		fmt.Print(config.Usage())
		return nil
	case errors.Is(err, configload.ErrVersion):
		fmt.Println("cellserver", app.Version)
		return nil
	case errors.Is(err, configload.ErrLicenses):
		fmt.Print(notices.Text)
		return nil
	case err != nil:
		return err
	}
	if visible != nil {
		warnings = append(warnings, configload.Warning{File: "command line", Text: "passwords stay visible in the list of processes: " +
			"set requirepass in a configuration file (" + visible.Error() + ")"})
	}
	paceCollector()
	ctx := stopOnSignal()
	a, err := app.New(app.Options{
		Config: cfg, Warnings: warnings, ConfigFile: files.first, Sockets: activation.Files(true), Notify: notify,
	})
	if err != nil {
		return err
	}
	onHangup(a.ReloadRules)
	if cfg.LogFile == "" && cfg.LogLevel != config.LogWarning {
		fmt.Print(a.Greeting())
	}
	return a.Run(ctx)
}

// notify tells systemd a state, if systemd waits for it.
func notify(state string) error {
	_, err := daemon.SdNotify(false, state)
	return err
}
