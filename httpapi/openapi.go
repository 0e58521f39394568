package httpapi

import (
	_ "embed" // the description
	"net/http"
)

//go:embed openapi.json
var description []byte

// openAPI answers /openapi.json.
func (*API) openAPI(w http.ResponseWriter, r *http.Request, _ Config, _ string) *Problem {
	if err := allow(w, r, http.MethodGet, http.MethodHead); err != nil {
		return err
	}
	w.Header()["Content-Type"] = jsonType
	_, _ = w.Write(description) // the client has left if this fails
	return nil
}
