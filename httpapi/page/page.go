package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"path"
	"time"
)

//go:embed files
var files embed.FS

// A file is one file of the page.
type file struct {
	kind, tag string // Content-Type and ETag
	content   []byte
}

// byPath are the files by the path of a request.
var byPath = readFiles()

// kinds are the types of the files by their ending.
var kinds = map[string]string{
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
}

func readFiles() map[string]file {
	all := map[string]file{}
	entries, err := files.ReadDir("files")
	for _, e := range entries {
		content, readErr := files.ReadFile("files/" + e.Name())
		if readErr != nil {
			err = readErr
		}
		sum := sha256.Sum256(content)
		all["/"+e.Name()] = file{kinds[path.Ext(e.Name())], `"` + hex.EncodeToString(sum[:8]) + `"`, content}
	}
	if err != nil {
		panic(err) // the compiler has embedded the files
	}
	all["/"] = all["/page.html"]
	return all
}

// policy says what the page may load, and that no other page may show it in a frame.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; " +
	"trusted-types 'none'"

// Serve answers a request for a file of the page. It reports false for any other request.
func Serve(w http.ResponseWriter, r *http.Request) bool {
	f, ok := byPath[r.URL.Path]
	if !ok || r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	h := w.Header()
	h.Set("Content-Type", f.kind)
	h.Set("Content-Security-Policy", policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", f.tag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.content))
	return true
}
