module cellserver

go 1.26

require (
	github.com/stretchr/testify v1.12.1
	github.com/tidwall/btree v1.8.2
	github.com/tidwall/redcon v1.6.4
	go.yaml.in/yaml/v3 v3.0.5
)

require github.com/tidwall/match v1.1.1 // indirect
