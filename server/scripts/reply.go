package scripts

import (
	"cellserver/resp"
	"cellserver/script"
)

// write writes what a script returns, in the version of RESP of the client.
func write(w *resp.Writer, r *script.Reply) {
	switch r.Kind {
	case script.Null:
		w.Null()
	case script.Status:
		w.Simple(string(r.Text))
	case script.Error:
		w.Error(string(r.Text))
	case script.Int:
		w.Int(r.Int)
	case script.Bulk:
		w.Bulk(r.Text)
	case script.Double:
		w.Double(r.Double)
	case script.Bool:
		w.Bool(r.Int != 0)
	case script.BigNumber:
		w.BigNumber(string(r.Text))
	case script.Verbatim:
		const format = 3
		w.Verbatim(string(r.Text[:format]), string(r.Text[format+1:]))
	default:
		writeItems(w, r)
	}
}

func writeItems(w *resp.Writer, r *script.Reply) {
	switch r.Kind {
	case script.Map:
		w.Map(len(r.Items) / 2)
	case script.Set:
		w.Set(len(r.Items))
	default:
		w.Array(len(r.Items))
	}
	for i := range r.Items {
		write(w, &r.Items[i])
	}
}
