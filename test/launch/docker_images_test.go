package launch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestImagesAreROSWithATag, and a build can name each by digest.
func TestImagesAreROSWithATag(t *testing.T) {
	file := readDockerfile(t)
	if len(file.stages) < 2 {
		t.Fatalf("there are %d stages: what builds must not be in what runs", len(file.stages))
	}
	if file.defaults["ROS_DISTRO"] != "jazzy" {
		t.Errorf("the distribution is %q unless a build says otherwise", file.defaults["ROS_DISTRO"])
	}
	for _, s := range file.stages {
		image, tag, _ := strings.Cut(s.image, ":")
		if image != "ros" || !strings.HasPrefix(tag, "jazzy-ros-") || strings.Contains(tag, "latest") {
			t.Errorf("a stage begins from %q", s.image)
		}
	}
	for _, name := range []string{"BUILD_IMAGE", "RUN_IMAGE"} {
		if file.defaults[name] == "" {
			t.Errorf("no build can give the image by digest: there is no argument %s", name)
		}
	}
}

// TestImagesByDigestAreExplained: the Dockerfile says why its images are tags, and SECURITY.md how a release names
// digests.
func TestImagesByDigestAreExplained(t *testing.T) {
	for page, want := range map[string][]string{
		"Dockerfile": {"a tag can be moved", "reaches no container registry", "SECURITY.md"},
		"SECURITY.md": {"can be moved", "reaches no container registry", "imagetools inspect ros:jazzy-ros-base",
			"imagetools inspect ros:jazzy-ros-core"},
	} {
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		prose := strings.Join(strings.Fields(strings.ReplaceAll(string(text), "\n#", "\n")), " ")
		for _, part := range append(want, "--build-arg BUILD_IMAGE=ros@sha256:", "--build-arg RUN_IMAGE=ros@sha256:") {
			if !strings.Contains(prose, part) {
				t.Errorf("%s does not say %q", page, part)
			}
		}
	}
}
