// Package publishersubscriber holds the command that generates the bindings of this module.
package publishersubscriber

//go:generate go run github.com/tiiuae/rclgo/cmd/rclgo-gen generate -d msgs --include-go-package-deps ./...
