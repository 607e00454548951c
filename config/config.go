// Package config has the files of the demos, so that `rstate demo` needs no other file.
package config

import (
	"embed"
	"io/fs"
)

//go:embed small_robot.yaml nrp.yaml rock.yaml cle.yaml cloe.yaml experiments/nrp.yaml experiments/roscle.yaml
//go:embed rehearsals/demos/*.yaml
var embedded embed.FS

// Files are the network files of the demos, and their stories. A test can put others in their place.
var Files fs.FS = embedded
