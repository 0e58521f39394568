package admin

import (
	"cellserver/commands"
	"cellserver/resp"
)

func commandDocs(c *commands.Call) error {
	var found []*commands.Command
	if len(c.Args) == 2 {
		found = commands.TopLevel()
	}
	for _, name := range c.Args[2:] {
		if cmd := commands.Named(name); cmd != nil {
			found = append(found, cmd)
		}
	}
	c.Out.Map(len(found))
	for _, cmd := range found {
		c.Out.BulkString(cmd.FullName())
		replyDocs(cmd, c.Out)
	}
	return nil
}

// fields collects the fields of a map, whose header has their number.
type fields struct {
	w   *resp.Writer
	all []field
}

type field struct {
	name  string
	write func()
}

// add adds a field with a value that is not a text.
func (f *fields) add(name string, write func()) { f.all = append(f.all, field{name, write}) }

// text adds a field, unless its value is empty.
func (f *fields) text(name, value string) {
	if value != "" {
		f.add(name, func() { f.w.BulkString(value) })
	}
}

func (f *fields) reply() {
	f.w.Map(len(f.all))
	for _, one := range f.all {
		f.w.BulkString(one.name)
		one.write()
	}
}

// replyDocs writes a map of the documentation of a command, without its empty fields.
func replyDocs(c *commands.Command, w *resp.Writer) {
	f, docs := fields{w: w}, c.Docs()
	f.text("summary", docs.Summary)
	f.text("since", docs.Since)
	f.text("group", string(c.Group))
	f.text("complexity", docs.Complexity)
	f.text("deprecated_since", docs.Deprecated.Since)
	f.text("replaced_by", docs.Deprecated.By)
	if docs.Deprecated != (commands.Deprecation{}) {
		f.add("doc_flags", func() { commands.SimpleSet(w, []string{"deprecated"}) })
	}
	if len(docs.Arguments) > 0 {
		f.add("arguments", func() { replyArguments(docs.Arguments, w) })
	}
	if len(c.Subs) > 0 {
		f.add("subcommands", func() { replySubcommands(c.Subs, w) })
	}
	f.reply()
}

func replySubcommands(subs []*commands.Command, w *resp.Writer) {
	w.Map(len(subs))
	for _, s := range subs {
		w.BulkString(s.FullName())
		replyDocs(s, w)
	}
}

func replyArguments(args []commands.Argument, w *resp.Writer) {
	w.Array(len(args))
	for i := range args {
		replyArgument(&args[i], w)
	}
}

func replyArgument(a *commands.Argument, w *resp.Writer) {
	f := fields{w: w}
	f.text("name", a.Name)
	f.text("type", a.Type)
	if a.Type == commands.ArgumentKey {
		f.add("key_spec_index", func() { w.Int(int64(a.KeySpec)) })
	}
	f.text("token", a.Token)
	if flags := a.Flags(); len(flags) > 0 {
		f.add("flags", func() { commands.SimpleSet(w, flags) })
	}
	if len(a.Arguments) > 0 {
		f.add("arguments", func() { replyArguments(a.Arguments, w) })
	}
	f.reply()
}
